// SPDX-License-Identifier: Apache-2.0
#include "wire/params.h"

namespace tegu::wire {
namespace {

constexpr std::size_t kPartHeaderBytes = 8;

std::size_t bytes_of(const ReduceParams&) {
    return 16;
}
void write(const ReduceParams& params, Writer& writer) {
    writer.u32(params.statistics);
    writer.u32(params.ddof);
    writer.u8(params.skip_nans ? 1 : 0);
    writer.reserved(7);
}

void read(ReduceParams& params, Reader& reader) {
    params.statistics = reader.u32();
    if ((params.statistics & ~kAllStatistics) != 0)
        reader.fail(Status::Unsupported, "statistics", "bits of docs/protocol.md", "a statistic is not known",
                    params.statistics);
    params.ddof = reader.u32();
    params.skip_nans = reader.boolean("skip_nans");
    reader.reserved(7);
}

std::size_t bytes_of(const TopkParams&) {
    return 16;
}

void write(const TopkParams& params, Writer& writer) {
    writer.u64(params.k);
    writer.u8(params.largest ? 1 : 0);
    writer.u8(params.distinct ? 1 : 0);
    writer.reserved(6);
}

void read(TopkParams& params, Reader& reader) {
    params.k = reader.u64();
    params.largest = reader.boolean("largest");
    params.distinct = reader.boolean("distinct");
    reader.reserved(6);
}

// Without a range lo and hi are zero bytes, so that equal jobs are equal bytes.
template <class Params>
void write_range(const Params& params, Writer& writer) {
    if (!params.has_range) return writer.reserved(16);
    writer.f64(params.lo);
    writer.f64(params.hi);
}

template <class Params>
void read_range(Params& params, Reader& reader) {
    if (!params.has_range) return reader.reserved(16);
    params.lo = reader.f64();
    params.hi = reader.f64();
}

std::size_t bytes_of(const EntropyMapParams&) {
    return 32;
}

void write(const EntropyMapParams& params, Writer& writer) {
    writer.u32(params.window_rows);
    writer.u32(params.window_cols);
    writer.u32(params.levels);
    writer.u8(params.has_range ? 1 : 0);
    writer.u8(static_cast<std::uint8_t>(params.base));
    writer.u8(static_cast<std::uint8_t>(params.border));
    writer.reserved(1);
    write_range(params, writer);
}

void read(EntropyMapParams& params, Reader& reader) {
    params.window_rows = reader.u32();
    params.window_cols = reader.u32();
    params.levels = reader.u32();
    params.has_range = reader.boolean("has_range");
    params.base = reader.enumeration("base", LogBase::E, "0 (2) or 1 (e)");
    params.border = reader.enumeration("border", Border::Mirror, "0 (clip) or 1 (mirror)");
    reader.reserved(1);
    read_range(params, reader);
}

std::size_t bytes_of(const AddParams&) {
    return 8;
}

void write(const AddParams&, Writer& writer) {
    writer.reserved(8);
}

void read(AddParams&, Reader& reader) {
    reader.reserved(8);
}

std::size_t bytes_of(const DotParams&) {
    return 8;
}

void write(const DotParams& params, Writer& writer) {
    writer.u8(params.skip_nans ? 1 : 0);
    writer.reserved(7);
}

void read(DotParams& params, Reader& reader) {
    params.skip_nans = reader.boolean("skip_nans");
    reader.reserved(7);
}

std::size_t bytes_of(const RowscaleParams&) {
    return 8;
}

void write(const RowscaleParams& params, Writer& writer) {
    writer.u8(params.skip_nans ? 1 : 0);
    writer.reserved(7);
}

void read(RowscaleParams& params, Reader& reader) {
    params.skip_nans = reader.boolean("skip_nans");
    reader.reserved(7);
}

std::size_t bytes_of(const QuantileParams& params) {
    return 8 + 8 * params.q.size();
}

void write(const QuantileParams& params, Writer& writer) {
    writer.u32(static_cast<std::uint32_t>(params.q.size()));
    writer.u8(static_cast<std::uint8_t>(params.method));
    writer.u8(params.skip_nans ? 1 : 0);
    writer.reserved(2);
    for (const double q : params.q) writer.f64(q);
}

void read(QuantileParams& params, Reader& reader) {
    const std::uint32_t count = reader.u32();
    params.method = reader.enumeration("method", QuantileMethod::Midpoint, "0 (linear) to 4 (midpoint)");
    params.skip_nans = reader.boolean("skip_nans");
    reader.reserved(2);
    if (count > kMaxQuantiles)
        reader.fail(Status::BadRange, "q", "1..1024 quantiles", "there are too many quantiles", count);
    if (!reader.ok()) return;
    if (reader.left() / 8 < count) return reader.underrun(8 * std::size_t{count});
    params.q.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) params.q.push_back(reader.f64());
}

std::size_t bytes_of(const HistogramParams&) {
    return 24;
}

void write(const HistogramParams& params, Writer& writer) {
    writer.u32(params.bins);
    writer.u8(params.has_range ? 1 : 0);
    writer.u8(params.skip_nans ? 1 : 0);
    writer.reserved(2);
    write_range(params, writer);
}

void read(HistogramParams& params, Reader& reader) {
    params.bins = reader.u32();
    params.has_range = reader.boolean("has_range");
    params.skip_nans = reader.boolean("skip_nans");
    reader.reserved(2);
    read_range(params, reader);
}

std::size_t bytes_of(const EntropyParams&) {
    return 24;
}

void write(const EntropyParams& params, Writer& writer) {
    writer.u32(params.levels);
    writer.u8(params.has_range ? 1 : 0);
    writer.u8(static_cast<std::uint8_t>(params.base));
    writer.u8(params.skip_nans ? 1 : 0);
    writer.reserved(1);
    write_range(params, writer);
}

void read(EntropyParams& params, Reader& reader) {
    params.levels = reader.u32();
    params.has_range = reader.boolean("has_range");
    params.base = reader.enumeration("base", LogBase::E, "0 (2) or 1 (e)");
    params.skip_nans = reader.boolean("skip_nans");
    reader.reserved(1);
    read_range(params, reader);
}

std::size_t bytes_of(const FusedParams& params) {
    std::size_t bytes = 8;
    for (const FusedPart& part : params.parts)
        bytes += kPartHeaderBytes +
                 std::visit([](const auto& alternative) { return bytes_of(alternative); }, part);
    return bytes;
}

void write(const FusedParams& params, Writer& writer) {
    writer.u32(static_cast<std::uint32_t>(params.parts.size()));
    writer.reserved(4);
    for (const FusedPart& part : params.parts) {
        writer.u16(static_cast<std::uint16_t>(operation_of(part)));
        writer.reserved(6);
        std::visit([&](const auto& alternative) { write(alternative, writer); }, part);
    }
}

template <class Params>
FusedPart read_part(Reader& reader) {
    Params params;
    read(params, reader);
    return params;
}

FusedPart read_part(Reader& reader) {
    const std::uint16_t operation = reader.u16();
    reader.reserved(6);
    switch (static_cast<Operation>(operation)) {
        case Operation::Reduce: return read_part<ReduceParams>(reader);
        case Operation::Topk: return read_part<TopkParams>(reader);
        case Operation::Quantile: return read_part<QuantileParams>(reader);
        case Operation::Histogram: return read_part<HistogramParams>(reader);
        case Operation::Entropy: return read_part<EntropyParams>(reader);
        default:
            reader.fail(Status::Unsupported, "parts", "reduce, topk, quantile, histogram, entropy",
                        "the operation cannot be part of a fused job", operation);
            return {};
    }
}

void read(FusedParams& params, Reader& reader) {
    const std::uint32_t count = reader.u32();
    reader.reserved(4);
    if (count > kMaxFusedParts)
        reader.fail(Status::BadRange, "parts", "1..5 operations", "there are too many parts", count);
    for (std::uint32_t i = 0; i < count && reader.ok(); ++i) params.parts.push_back(read_part(reader));
}

}  // namespace

std::size_t params_bytes(const JobParams& params) {
    return std::visit([](const auto& alternative) { return bytes_of(alternative); }, params);
}

void write_params(const JobParams& params, Writer& writer) {
    std::visit([&](const auto& alternative) { write(alternative, writer); }, params);
}

JobParams read_params(Operation operation, Reader& reader) {
    JobParams params;
    switch (operation) {
#define TEGU_X(number, Name, stem, inputs, sentence) \
    case Operation::Name: read(params.emplace<Name##Params>(), reader); break;
        TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    }
    return params;
}

}  // namespace tegu::wire
