// SPDX-License-Identifier: Apache-2.0
#include "wire/params.h"

namespace tegu::wire {
namespace {

constexpr std::size_t kReduceBytes = 16;
constexpr std::size_t kTopkBytes = 16;
constexpr std::size_t kEntropyMapBytes = 32;

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
void write(const EntropyMapParams& params, Writer& writer) {
    writer.u32(params.window_rows);
    writer.u32(params.window_cols);
    writer.u32(params.levels);
    writer.u8(params.has_range ? 1 : 0);
    writer.u8(static_cast<std::uint8_t>(params.base));
    writer.u8(static_cast<std::uint8_t>(params.border));
    writer.reserved(1);
    if (!params.has_range) return writer.reserved(16);
    writer.f64(params.lo);
    writer.f64(params.hi);
}

void read(EntropyMapParams& params, Reader& reader) {
    params.window_rows = reader.u32();
    params.window_cols = reader.u32();
    params.levels = reader.u32();
    params.has_range = reader.boolean("has_range");
    params.base = reader.enumeration("base", LogBase::E, "0 (2) or 1 (e)");
    params.border = reader.enumeration("border", Border::Mirror, "0 (clip) or 1 (mirror)");
    reader.reserved(1);
    if (!params.has_range) return reader.reserved(16);
    params.lo = reader.f64();
    params.hi = reader.f64();
}

}  // namespace

std::size_t params_bytes(Operation operation) {
    switch (operation) {
#define TEGU_X(number, Name, stem, inputs, sentence) \
    case Operation::Name: return k##Name##Bytes;
        TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    }
    return 0;
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
