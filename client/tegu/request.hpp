// SPDX-License-Identifier: Apache-2.0
// Request: the description of a job. Part: one operation of a fused job, with the same factories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#if defined(__has_include) && __has_include("client/tegu.h")
#include "client/tegu/array.hpp"
#include "client/tegu/buffer.hpp"
#else
#include <tegu/array.hpp>
#include <tegu/buffer.hpp>
#endif

namespace tegu {
namespace client {

// One operation with its parameters: tegu_part with its defaults. Set its members directly.
struct Part : tegu_part {
    explicit Part(std::uint16_t operation_number) { tegu_part_init(this, operation_number); }

    static Part reduce(std::uint32_t statistics) {
        Part part(TEGU_REDUCE);
        part.params.reduce.statistics = statistics;
        return part;
    }
    static Part topk(std::uint64_t k, bool largest = true, bool distinct = false) {
        Part part(TEGU_TOPK);
        part.params.topk.k = k;
        part.params.topk.largest = largest ? 1 : 0;
        part.params.topk.distinct = distinct ? 1 : 0;
        return part;
    }
    // Does not copy `q`; the conversion of the part to a request, or to a part of one, does.
    static Part quantile(const double* q, std::uint32_t count, std::uint8_t method = TEGU_QUANTILE_LINEAR) {
        Part part(TEGU_QUANTILE);
        part.params.quantile.q = q;
        part.params.quantile.count = count;
        part.params.quantile.method = method;
        return part;
    }
    // Without range: smallest to largest element.
    static Part histogram(std::uint32_t bins) {
        Part part(TEGU_HISTOGRAM);
        part.params.histogram.bins = bins;
        return part;
    }
    static Part histogram(std::uint32_t bins, double lo, double hi) {
        Part part = histogram(bins);
        part.params.histogram.has_range = 1;
        part.params.histogram.lo = lo;
        part.params.histogram.hi = hi;
        return part;
    }
    // Without range: that of the integer type, or of the finite elements.
    static Part entropy(std::uint32_t levels) {
        Part part(TEGU_ENTROPY);
        part.params.entropy.levels = levels;
        return part;
    }
    static Part entropy(std::uint32_t levels, double lo, double hi) {
        Part part = entropy(levels);
        part.params.entropy.has_range = 1;
        part.params.entropy.lo = lo;
        part.params.entropy.hi = hi;
        return part;
    }
};

// A request: tegu_request with its defaults, and factories for the usual shapes. Set its members directly. It
// and its copies own lists made from the caller's; input data and buffers stay owned by the caller.
struct Request : tegu_request {
    explicit Request(std::uint16_t operation_number) {
        tegu_request_init(this, sizeof(tegu_request), operation_number);
    }
    // The part as a separate job.
    explicit Request(const Part& part) : Request(part.operation) {
        params = part.params;
        if (part.operation != TEGU_QUANTILE) return;
        const auto owned = std::make_shared<Lists>();
        owned->take(params.quantile, count_of_q(part));
        lists_ = owned;
    }

    // rows x cols elements of `type` at `data`. The memory must stay valid until the request is submitted.
    Request& input(const void* data, std::uint8_t element, std::uint64_t row_count, std::uint64_t col_count,
                   std::uint64_t row_stride = 0) {
        inputs[0] = tegu_operand{data, nullptr, 0, row_stride};
        return shape(element, row_count, col_count);
    }
    // The same in a buffer, which must stay valid until the job's result has arrived.
    Request& input(const Buffer& buffer, std::uint8_t element, std::uint64_t row_count,
                   std::uint64_t col_count, std::uint64_t offset_bytes = 0, std::uint64_t row_stride = 0) {
        inputs[0] = tegu_operand{nullptr, buffer.get(), offset_bytes, row_stride};
        return shape(element, row_count, col_count);
    }
    // The second input of add and dot, of the type and shape of the first.
    Request& second_input(const void* data, std::uint64_t row_stride = 0) {
        inputs[1] = tegu_operand{data, nullptr, 0, row_stride};
        return *this;
    }
    Request& second_input(const Buffer& buffer, std::uint64_t offset_bytes = 0,
                          std::uint64_t row_stride = 0) {
        inputs[1] = tegu_operand{nullptr, buffer.get(), offset_bytes, row_stride};
        return *this;
    }
    Request& shape(std::uint8_t element, std::uint64_t row_count, std::uint64_t col_count) {
        type = element;
        rows = row_count;
        cols = col_count;
        return *this;
    }
    Request& by_rows() {
        axis = TEGU_AXIS_ROWS;
        return *this;
    }
    // reduce and dot: the input is a piece of a longer array, at `offset` there. `last`: it ends that array.
    // The result is TEGU_ROLE_NODES: docs/partials.md.
    Request& piece(std::uint64_t offset, bool last) {
        const auto place = [&](auto& own) {
            own.partial = 1;
            own.last = last ? 1 : 0;
            own.offset = static_cast<std::uint32_t>(offset);
        };
        if (operation == TEGU_REDUCE) place(params.reduce);
        if (operation == TEGU_DOT) place(params.dot);
        return *this;
    }
    // add and rowscale may write exactly over an input.
    Request& into(const Buffer& buffer, std::uint64_t offset_bytes = 0) {
        output = buffer.get();
        output_offset_bytes = offset_bytes;
        return *this;
    }
    Request& deadline(std::uint64_t nanoseconds) {
        deadline_ns = nanoseconds;
        return *this;
    }

    static Request reduce(std::uint32_t statistics) { return Request(Part::reduce(statistics)); }
    static Request topk(std::uint64_t k, bool largest = true, bool distinct = false) {
        return Request(Part::topk(k, largest, distinct));
    }
    static Request entropy_map(std::uint32_t window_rows, std::uint32_t window_cols, std::uint32_t levels) {
        Request request(TEGU_ENTROPY_MAP);
        request.params.entropy_map.window_rows = window_rows;
        request.params.entropy_map.window_cols = window_cols;
        request.params.entropy_map.levels = levels;
        return request;
    }
    static Request rowscale() { return Request(TEGU_ROWSCALE).by_rows(); }
    static Request fused(const Part* parts, std::uint32_t count) {
        Request request(TEGU_FUSED);
        request.params.fused.parts = parts;
        request.params.fused.count = count;
        if (parts == nullptr || count > kMaxParts) return request;  // refused unread
        const auto owned = std::make_shared<Lists>();
        owned->parts.assign(parts, parts + count);
        std::size_t numbers = 0;
        for (const Part& part : owned->parts) numbers += count_of_q(part);
        for (Part& part : owned->parts)
            if (part.operation == TEGU_QUANTILE) owned->take(part.params.quantile, numbers);
        request.params.fused.parts = owned->parts.data();
        request.lists_ = owned;
        return request;
    }
    static Request fused(const std::vector<Part>& parts) {
        return fused(parts.data(), static_cast<std::uint32_t>(parts.size()));
    }

    // One segment of n elements.
    template <class T>
    static Request reduce(const T* data, std::uint64_t n, std::uint32_t statistics) {
        return Request(reduce(statistics)).input(data, element_type<T>(), 1, n);
    }
    template <class T>
    static Request topk(const T* data, std::uint64_t n, std::uint64_t k, bool largest = true,
                        bool distinct = false) {
        return Request(topk(k, largest, distinct)).input(data, element_type<T>(), 1, n);
    }
    template <class T>
    static Request add(const T* x, const T* y, std::uint64_t n) {
        return Request(TEGU_ADD).input(x, element_type<T>(), 1, n).second_input(y);
    }
    template <class T>
    static Request dot(const T* x, const T* y, std::uint64_t n) {
        return Request(TEGU_DOT).input(x, element_type<T>(), 1, n).second_input(y);
    }
    template <class T>
    static Request quantile(const T* data, std::uint64_t n, const std::vector<double>& q) {
        return Request(Part::quantile(q.data(), static_cast<std::uint32_t>(q.size())))
            .input(data, element_type<T>(), 1, n);
    }
    template <class T>
    static Request histogram(const T* data, std::uint64_t n, std::uint32_t bins, double lo, double hi) {
        return Request(Part::histogram(bins, lo, hi)).input(data, element_type<T>(), 1, n);
    }
    template <class T>
    static Request entropy(const T* data, std::uint64_t n, std::uint32_t levels) {
        return Request(Part::entropy(levels)).input(data, element_type<T>(), 1, n);
    }

  private:
    static constexpr std::uint32_t kMaxQuantiles = 1024, kMaxParts = 5;  // longer lists are refused unread

    // The memory behind the pointers in `params`.
    struct Lists {
        std::vector<double> q;
        std::vector<Part> parts;

        // Copies a list of q, and points to the copy. `all`: the total size of all copied lists.
        void take(tegu_quantile_params& params, std::size_t all) {
            if (params.q == nullptr || params.count > kMaxQuantiles) return;
            q.reserve(all);
            const double* const begin = q.data() + q.size();
            q.insert(q.end(), params.q, params.q + params.count);
            params.q = begin;
        }
    };
    static std::size_t count_of_q(const Part& part) {
        const bool counts = part.operation == TEGU_QUANTILE && part.params.quantile.count <= kMaxQuantiles;
        return counts ? part.params.quantile.count : 0;
    }

    std::shared_ptr<const Lists> lists_;  // shared with copies, which point to the same
};

// The nodes of a piece of n elements, as the rows of the result of Request::piece() are.
inline std::vector<tegu_node> piece_nodes(std::uint64_t offset, std::uint64_t n, bool last) {
    std::vector<tegu_node> nodes(tegu_piece_nodes(offset, n, last ? 1 : 0, nullptr, 0));
    tegu_piece_nodes(offset, n, last ? 1 : 0, nodes.data(), nodes.size());
    return nodes;
}

static_assert(sizeof(Part) == sizeof(tegu_part), "an array of Part is an array of tegu_part");

}  // namespace client
}  // namespace tegu
