// SPDX-License-Identifier: Apache-2.0
#include "client/request.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "client/params.h"

namespace tegu::clientlib {
namespace {

// tegu.h repeats the lists of base/. tests/client/abi_check.py compares those with different spellings.
#define TEGU_X(number, Name, WORD, retry, exit_code, sentence) \
    static_assert(TEGU_##WORD == (number), "tegu.h repeats the list of base/status.h");
TEGU_STATUSES(TEGU_X)
#undef TEGU_X
#define TEGU_X(number, Name, word, type) \
    static_assert(TEGU_##Name == (number), "tegu.h repeats the list of base/element_type.h");
TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X

constexpr std::size_t kLargestStruct = 4096;  // a larger number is not a plausible size
constexpr std::uint64_t kShortRowBytes = 256;
constexpr std::uint32_t kMaxSpinMicroseconds = 10000;

// Copies the common prefix of a caller's struct over `known`, which holds defaults.
template <class Struct>
Result<void> read_sized(const Struct& given, std::size_t smallest, const char* name, Struct& known) {
    const std::size_t size = given.size;
    if (size < smallest || size > kLargestStruct)
        return field_error(
            Status::BadRequest, std::string(name) + ".size",
            std::to_string(smallest) + ".." + std::to_string(kLargestStruct),
            "the size of the struct is " + std::to_string(size) + "; set it with the init function");
    const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
    if (size > sizeof known && !all_zero(bytes + sizeof known, size - sizeof known))
        return field_error(
            Status::Unsupported, name, "fields of version " TEGU_VERSION_TEXT,
            "the program was built for a newer library, and uses a field that this one does not know");
    std::memcpy(&known, bytes, std::min(size, sizeof known));
    known.size = sizeof known;
    return {};
}

// Sums that saturate at UINT64_MAX.
struct Bound {
    std::uint64_t bytes = 0;
    void add(std::uint64_t elements, std::uint64_t each) {
        std::uint64_t array;
        if (__builtin_mul_overflow(elements, each, &array) || array > UINT64_MAX - 63 ||
            __builtin_add_overflow(bytes, (array + 63) & ~std::uint64_t{63}, &bytes))
            bytes = UINT64_MAX;
    }
};

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
    Result<JobParams> params = params_of(request.operation, request.params);
    if (!params) return std::move(params).error();
    job.params = std::move(*params);
    const std::uint64_t element = element_bytes(job.type);
    if (element == 0)
        return field_error(Status::Unsupported, "type", "an element type of tegu.h",
                           "element type " + std::to_string(request.type) + " is not known");
    std::uint64_t bytes;
    if (__builtin_mul_overflow(job.rows, job.cols, &bytes) ||
        __builtin_mul_overflow(bytes, element, &bytes) || bytes > INT64_MAX)
        return bad_range("rows", "rows * cols * element size below 2^63",
                         std::to_string(job.rows) + " x " + std::to_string(job.cols) +
                             " elements are more than any memory holds");
    return job;
}

std::uint64_t input_bytes(const Job& job) {
    return job.rows * job.cols * element_bytes(job.type);
}

std::uint64_t result_bytes_bound(const Job& job) {
    const bool by_rows = job.axis == Axis::Rows;
    const JobShape shape{job.rows, job.cols, by_rows ? job.rows : 1, by_rows ? job.cols : job.rows * job.cols,
                         element_bytes(job.type)};
    Bound bound;
    const auto add = [&bound](std::uint64_t elements, std::uint64_t each) { bound.add(elements, each); };
    std::visit([&](const auto& params) { params.outputs(shape, add); }, job.params);
    return bound.bytes;
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
