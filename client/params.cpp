// SPDX-License-Identifier: Apache-2.0
#include "client/params.h"

#include <algorithm>

namespace tegu::clientlib {
namespace {

constexpr char kParts[] = "reduce, topk, quantile, histogram, entropy";

// The bytes of the union that the operation's parameters do not use are zero, else a newer caller asks for
// more than we know.
template <class Params>
bool only(const tegu_params& all, const Params& params) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&all);
    return all_zero(bytes + sizeof(Params), sizeof all - sizeof(Params)) &&
           all_zero(&params.reserved, sizeof params.reserved);
}

// A list of the caller: at most `most` elements, and there if it has any.
Result<void> check_list(const void* list, std::uint32_t count, std::uint32_t most, const char* field) {
    if (count > most)
        return bad_range(field, "1.." + std::to_string(most),
                         "a list of " + std::to_string(count) + " is too long for a message");
    if (count != 0 && list == nullptr)
        return field_error(Status::BadRequest, field, "a list",
                           "the list is NULL, its count " + std::to_string(count));
    return {};
}

Result<ReduceParams> read(const tegu_reduce_params& raw) {
    ReduceParams params;
    params.statistics = raw.statistics;
    params.skip_nans = raw.skip_nans != 0;
    params.ddof = raw.ddof;
    return params;
}

Result<TopkParams> read(const tegu_topk_params& raw) {
    TopkParams params;
    params.k = raw.k;
    params.largest = raw.largest != 0;
    params.distinct = raw.distinct != 0;
    return params;
}

Result<EntropyMapParams> read(const tegu_entropy_map_params& raw) {
    EntropyMapParams params;
    params.window_rows = raw.window_rows;
    params.window_cols = raw.window_cols;
    params.levels = raw.levels;
    params.has_range = raw.has_range != 0;
    params.lo = raw.lo;
    params.hi = raw.hi;
    params.base = static_cast<LogBase>(raw.base);
    params.border = static_cast<Border>(raw.border);
    return params;
}

Result<AddParams> read(const tegu_add_params&) {
    return AddParams{};
}

Result<DotParams> read(const tegu_dot_params& raw) {
    return DotParams{raw.skip_nans != 0};
}

Result<RowscaleParams> read(const tegu_rowscale_params& raw) {
    return RowscaleParams{raw.skip_nans != 0};
}

Result<QuantileParams> read(const tegu_quantile_params& raw) {
    if (auto list = check_list(raw.q, raw.count, kMaxQuantiles, "q"); !list) return std::move(list).error();
    QuantileParams params;
    if (raw.count != 0) params.q.assign(raw.q, raw.q + raw.count);
    params.method = static_cast<QuantileMethod>(raw.method);
    params.skip_nans = raw.skip_nans != 0;
    return params;
}

Result<HistogramParams> read(const tegu_histogram_params& raw) {
    HistogramParams params;
    params.bins = raw.bins;
    params.has_range = raw.has_range != 0;
    params.lo = raw.lo;
    params.hi = raw.hi;
    params.skip_nans = raw.skip_nans != 0;
    return params;
}

Result<EntropyParams> read(const tegu_entropy_params& raw) {
    EntropyParams params;
    params.levels = raw.levels;
    params.has_range = raw.has_range != 0;
    params.lo = raw.lo;
    params.hi = raw.hi;
    params.base = static_cast<LogBase>(raw.base);
    params.skip_nans = raw.skip_nans != 0;
    return params;
}

Result<FusedParams> read(const tegu_fused_params& raw);

// `Wanted` is what holds the result: JobParams, or FusedPart. `field`: what to call the reserved bytes.
template <class Wanted, class Raw>
Result<Wanted> read_only(const tegu_params& all, const Raw& raw, const char* field) {
    if (!only(all, raw)) return reserved_error(field);
    auto params = read(raw);
    if (!params) return std::move(params).error();
    return Wanted(std::move(*params));
}

Result<FusedPart> read_part(const tegu_part& part) {
    if (!all_zero(part.reserved, sizeof part.reserved)) return reserved_error("parts.reserved");
    const tegu_params& params = part.params;
    const char* field = "parts.params.reserved";
    switch (part.operation) {
        case TEGU_REDUCE: return read_only<FusedPart>(params, params.reduce, field);
        case TEGU_TOPK: return read_only<FusedPart>(params, params.topk, field);
        case TEGU_QUANTILE: return read_only<FusedPart>(params, params.quantile, field);
        case TEGU_HISTOGRAM: return read_only<FusedPart>(params, params.histogram, field);
        case TEGU_ENTROPY: return read_only<FusedPart>(params, params.entropy, field);
        default:
            return field_error(
                Status::Unsupported, "parts", kParts,
                "operation " + std::to_string(part.operation) + " cannot be part of a fused job");
    }
}

// A part twice is refused here: with it the lists could grow beyond what a message carries.
Result<FusedParams> read(const tegu_fused_params& raw) {
    if (auto list = check_list(raw.parts, raw.count, kMaxFusedParts, "parts"); !list)
        return std::move(list).error();
    FusedParams params;
    for (std::uint32_t i = 0; i < raw.count; ++i) {
        Result<FusedPart> part = read_part(raw.parts[i]);
        if (!part) return std::move(part).error();
        for (const FusedPart& other : params.parts)
            if (other.index() == part->index())
                return field_error(
                    Status::BadRequest, "parts", "each operation at most once",
                    std::string(find_operation(raw.parts[i].operation)->stem) + " is a part twice");
        params.parts.push_back(std::move(*part));
    }
    return params;
}

}  // namespace

bool all_zero(const void* data, std::size_t bytes) {
    const auto* first = static_cast<const unsigned char*>(data);
    return std::all_of(first, first + bytes, [](unsigned char byte) { return byte == 0; });
}

Error reserved_error(const char* field) {
    return field_error(Status::Unsupported, field, "0",
                       "a reserved byte is not zero: a field that this library does not know");
}

Result<JobParams> params_of(std::uint16_t operation, const tegu_params& params) {
    switch (static_cast<Operation>(operation)) {
#define TEGU_X(number, Name, stem, inputs, sentence) \
    case Operation::Name: return read_only<JobParams>(params, params.stem, "params.reserved");
        TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    }
    return field_error(Status::Unsupported, "operation", "an operation of tegu.h",
                       "operation " + std::to_string(operation) + " is not known");
}

}  // namespace tegu::clientlib
