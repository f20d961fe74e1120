// SPDX-License-Identifier: Apache-2.0
#include "client/request.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tegu::clientlib {
namespace {

// tegu.h repeats the lists of base/. tests/client/abi_check.py compares those whose names are not spelt alike.
#define TEGU_X(number, Name, WORD, retry, exit_code, sentence) \
    static_assert(TEGU_##WORD == (number), "tegu.h repeats the list of base/status.h");
TEGU_STATUSES(TEGU_X)
#undef TEGU_X
#define TEGU_X(number, Name, word, type) \
    static_assert(TEGU_##Name == (number), "tegu.h repeats the list of base/element_type.h");
TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X

constexpr std::size_t kLargestStruct = 4096;  // a size beyond it is not a size
constexpr std::uint64_t kShortRowBytes = 256;
constexpr std::uint32_t kMaxSpinMicroseconds = 10000;

bool all_zero(const void* data, std::size_t bytes) {
    const auto* first = static_cast<const unsigned char*>(data);
    return std::all_of(first, first + bytes, [](unsigned char byte) { return byte == 0; });
}

// Copies the part of a caller's struct that both sides know over `known`, which holds defaults.
template <class Struct>
Result<void> read_sized(const Struct& given, std::size_t smallest, const char* name, Struct& known) {
    const std::size_t size = given.size;
    if (size < smallest || size > kLargestStruct)
        return field_error(Status::BadRequest, std::string(name) + ".size",
                           std::to_string(smallest) + ".." + std::to_string(kLargestStruct),
                           "the size of the struct is " + std::to_string(size) + "; set it with the init function");
    const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
    if (size > sizeof known && !all_zero(bytes + sizeof known, size - sizeof known))
        return field_error(Status::Unsupported, name, "fields of version " TEGU_VERSION_TEXT,
                           "the program was built for a newer library, and uses a field that this one does not know");
    std::memcpy(&known, bytes, std::min(size, sizeof known));
    known.size = sizeof known;
    return {};
}

Error reserved_error(const char* field) {
    return field_error(Status::Unsupported, field, "0",
                       "a reserved byte is not zero: a field that this library does not know");
}

// The bytes of the union that the operation's parameters do not use are zero, else a newer caller asks for more than we know.
template <class Params>
bool only(const tegu_params& all, const Params& params) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&all);
    return all_zero(bytes + sizeof(Params), sizeof all - sizeof(Params)) &&
           all_zero(&params.reserved, sizeof params.reserved);
}

ReduceParams params_of(const tegu_reduce_params& raw) {
    ReduceParams params;
    params.statistics = raw.statistics;
    params.skip_nans = raw.skip_nans != 0;
    params.ddof = raw.ddof;
    return params;
}

TopkParams params_of(const tegu_topk_params& raw) {
    TopkParams params;
    params.k = raw.k;
    params.largest = raw.largest != 0;
    params.distinct = raw.distinct != 0;
    return params;
}

EntropyMapParams params_of(const tegu_entropy_map_params& raw) {
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

AddParams params_of(const tegu_add_params&) {
    return {};
}

DotParams params_of(const tegu_dot_params& raw) {
    return DotParams{raw.skip_nans != 0};
}

RowscaleParams params_of(const tegu_rowscale_params& raw) {
    return RowscaleParams{raw.skip_nans != 0};
}

QuantileParams params_of(const tegu_quantile_params& raw) {
    QuantileParams params;
    if (raw.count != 0) params.q.assign(raw.q, raw.q + std::min(raw.count, kMaxQuantiles + 1));  // one too many is refused later
    params.method = static_cast<QuantileMethod>(raw.method);
    params.skip_nans = raw.skip_nans != 0;
    return params;
}

HistogramParams params_of(const tegu_histogram_params& raw) {
    HistogramParams params;
    params.bins = raw.bins;
    params.has_range = raw.has_range != 0;
    params.lo = raw.lo;
    params.hi = raw.hi;
    params.skip_nans = raw.skip_nans != 0;
    return params;
}

EntropyParams params_of(const tegu_entropy_params& raw) {
    EntropyParams params;
    params.levels = raw.levels;
    params.has_range = raw.has_range != 0;
    params.lo = raw.lo;
    params.hi = raw.hi;
    params.base = static_cast<LogBase>(raw.base);
    params.skip_nans = raw.skip_nans != 0;
    return params;
}

// A part that no fused job can have is left as no statistics at all, and refused by check_parts().
FusedPart part_of(const tegu_part& part) {
    switch (part.operation) {
        case TEGU_TOPK: return params_of(part.params.topk);
        case TEGU_QUANTILE: return params_of(part.params.quantile);
        case TEGU_HISTOGRAM: return params_of(part.params.histogram);
        case TEGU_ENTROPY: return params_of(part.params.entropy);
        default: return params_of(part.params.reduce);
    }
}

FusedParams params_of(const tegu_fused_params& raw) {
    FusedParams params;
    for (std::uint32_t i = 0; i < std::min(raw.count, kMaxFusedParts + 1); ++i) params.parts.push_back(part_of(raw.parts[i]));
    return params;
}

Result<void> check_parts(const tegu_fused_params& fused) {
    for (std::uint32_t i = 0; i < std::min(fused.count, kMaxFusedParts); ++i) {
        const tegu_part& part = fused.parts[i];
        if (!all_zero(part.reserved, sizeof part.reserved)) return reserved_error("parts.reserved");
        bool known = false;
        switch (part.operation) {
            case TEGU_REDUCE: known = only(part.params, part.params.reduce); break;
            case TEGU_TOPK: known = only(part.params, part.params.topk); break;
            case TEGU_QUANTILE: known = only(part.params, part.params.quantile); break;
            case TEGU_HISTOGRAM: known = only(part.params, part.params.histogram); break;
            case TEGU_ENTROPY: known = only(part.params, part.params.entropy); break;
            default:
                return field_error(Status::Unsupported, "parts", "reduce, topk, quantile, histogram, entropy",
                                   "operation " + std::to_string(part.operation) + " cannot be part of a fused job");
        }
        if (!known) return reserved_error("parts.params.reserved");
    }
    return {};
}

// Sums that stick at UINT64_MAX.
struct Bound {
    std::uint64_t bytes = 0;
    void add(std::uint64_t elements, std::uint64_t each) {
        std::uint64_t array;
        if (__builtin_mul_overflow(elements, each, &array) || array > UINT64_MAX - 63 ||
            __builtin_add_overflow(bytes, (array + 63) & ~std::uint64_t{63}, &bytes))
            bytes = UINT64_MAX;
    }
};

std::uint64_t rows_out(const Job& job) {
    return job.axis == Axis::Rows ? job.rows : 1;
}

Bound bound_of(const Job& job, const ReduceParams& params) {
    Bound bound;
    for (const StatisticInfo& info : kStatisticInfos)
        if ((params.statistics & statistic_bit(info.statistic)) != 0)
            bound.add(rows_out(job), 8 * static_cast<std::uint64_t>(info.values_per_row));
    return bound;
}

Bound bound_of(const Job& job, const TopkParams& params) {
    const std::uint64_t n = job.axis == Axis::Rows ? job.cols : job.rows * job.cols;
    const std::uint64_t found = rows_out(job) * std::min(params.k, n);
    Bound bound;
    bound.add(found, element_bytes(job.type));
    bound.add(found, 8);
    bound.add(rows_out(job), 8);
    return bound;
}

Bound bound_of(const Job& job, const EntropyMapParams&) {
    Bound bound;
    bound.add(job.rows * job.cols, 4);
    return bound;
}

Bound bound_of(const Job& job, const AddParams&) {
    Bound bound;
    bound.add(job.rows * job.cols, element_bytes(job.type));
    return bound;
}

Bound bound_of(const Job& job, const DotParams&) {
    Bound bound;
    bound.add(rows_out(job), 8);
    return bound;
}

Bound bound_of(const Job& job, const RowscaleParams&) {
    Bound bound;
    bound.add(job.rows * job.cols, element_bytes(job.type));
    bound.add(rows_out(job), element_bytes(job.type));
    return bound;
}

Bound bound_of(const Job& job, const QuantileParams& params) {
    Bound bound;
    bound.add(rows_out(job), 8 * params.q.size());
    return bound;
}

Bound bound_of(const Job& job, const HistogramParams& params) {
    Bound bound;
    bound.add(rows_out(job), 8 * std::uint64_t{params.bins});
    bound.add(rows_out(job), 8 * (std::uint64_t{params.bins} + 1));
    return bound;
}

Bound bound_of(const Job& job, const EntropyParams&) {
    Bound bound;
    bound.add(rows_out(job), 8);
    return bound;
}

Bound bound_of(const Job& job, const FusedParams& params) {
    Bound bound;
    for (const FusedPart& part : params.parts)
        bound.add(std::visit([&job](const auto& alternative) { return bound_of(job, alternative).bytes; }, part), 1);
    return bound;
}

}  // namespace

Result<tegu_request> read_request(const tegu_request& request) {
    tegu_request known;
    std::memset(&known, 0, sizeof known);
    known.priority = TEGU_PRIORITY_NORMAL;
    auto read = read_sized(request, offsetof(tegu_request, output), "request", known);
    if (!read) return std::move(read).error();
    if (!all_zero(known.reserved, sizeof known.reserved)) return reserved_error("request.reserved");
    return known;
}

Result<tegu_options> read_options(const tegu_options& options) {
    tegu_options known;
    tegu_options_init(&known, sizeof known);
    auto read = read_sized(options, offsetof(tegu_options, server_uid), "options", known);
    if (!read) return std::move(read).error();
    if (known.spin_us > kMaxSpinMicroseconds)
        return field_error(Status::BadRequest, "spin_us", "0.." + std::to_string(kMaxSpinMicroseconds),
                           "spin_us is " + std::to_string(known.spin_us));
    if (known.reserved != 0) return reserved_error("options.reserved");
    return known;
}

Result<Job> job_of(const tegu_request& request) {
    Job job;
    job.type = static_cast<ElementType>(request.type);
    job.axis = static_cast<Axis>(request.axis);
    job.rows = request.rows;
    job.cols = request.cols;
    bool known = true;
    switch (static_cast<Operation>(request.operation)) {
#define TEGU_X(number, Name, stem, inputs, sentence) \
    case Operation::Name:                            \
        job.params = params_of(request.params.stem); \
        known = only(request.params, request.params.stem);  \
        break;
        TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
        default:
            return field_error(Status::Unsupported, "operation", "an operation of tegu.h",
                               "operation " + std::to_string(request.operation) + " is not known");
    }
    if (!known) return reserved_error("params.reserved");
    if (request.operation == TEGU_FUSED) {
        Result<void> parts = check_parts(request.params.fused);
        if (!parts) return std::move(parts).error();
    }
    const std::uint64_t element = element_bytes(job.type);
    if (element == 0)
        return field_error(Status::Unsupported, "type", "an element type of tegu.h",
                           "element type " + std::to_string(request.type) + " is not known");
    std::uint64_t bytes;
    if (__builtin_mul_overflow(job.rows, job.cols, &bytes) || __builtin_mul_overflow(bytes, element, &bytes) ||
        bytes > INT64_MAX)
        return bad_range(
            "rows", "rows * cols * element size below 2^63",
            std::to_string(job.rows) + " x " + std::to_string(job.cols) + " elements are more than any memory holds");
    return job;
}

std::uint64_t input_bytes(const Job& job) {
    return job.rows * job.cols * element_bytes(job.type);
}

std::uint64_t result_bytes_bound(const Job& job) {
    return std::visit([&job](const auto& params) { return bound_of(job, params).bytes; }, job.params);
}

Result<Packing> plan_packing(const Job& job, const tegu_operand& operand, int index, bool may_keep_stride) {
    Packing packing{0, input_bytes(job)};
    const std::uint64_t stride = operand.row_stride;
    if (stride == 0 || stride == job.cols || job.rows <= 1 || packing.bytes == 0) return packing;
    const std::string field = "inputs[" + std::to_string(index) + "].row_stride";
    const std::uint64_t element = element_bytes(job.type);
    std::uint64_t span;
    if (stride < job.cols || __builtin_mul_overflow(stride * element, job.rows, &span) ||
        stride > INT64_MAX / element || span > INT64_MAX)
        return bad_range(field, "0 or at least " + std::to_string(job.cols),
                         "a row stride of " + std::to_string(stride) + " elements cannot be used");
    span -= (stride - job.cols) * element;  // the last row ends with its last element
    if (may_keep_stride && job.cols * element < kShortRowBytes && span / 2 <= packing.bytes)
        packing = Packing{stride, span};
    return packing;
}

void pack(const Job& job, const tegu_operand& operand, const Packing& packing, std::byte* out) {
    if (packing.bytes == 0) return;
    const auto* from = static_cast<const std::byte*>(operand.data);
    const bool dense = operand.row_stride == 0 || operand.row_stride == job.cols || job.rows <= 1;
    if (dense || packing.row_stride != 0) {
        std::memcpy(out, from, packing.bytes);
        return;
    }
    const std::size_t row_bytes = job.cols * element_bytes(job.type);
    const std::size_t stride_bytes = operand.row_stride * element_bytes(job.type);
    for (std::uint64_t row = 0; row < job.rows; ++row)
        std::memcpy(out + row * row_bytes, from + row * stride_bytes, row_bytes);
}

}  // namespace tegu::clientlib
