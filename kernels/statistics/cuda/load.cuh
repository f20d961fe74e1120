// SPDX-License-Identifier: Apache-2.0
// Elements of a segment by their index, with or without gaps between rows: whole packs where the address
// allows it, else one by one. Whatever the bytes say, only elements [0, n) are touched.
#pragma once

#include "kernels/execution/cuda/element.cuh"
#include "kernels/statistics/cuda/reduce.h"

namespace tegu {
namespace cuda {

constexpr unsigned kTileRuns = 8;  // runs of neighbours that a lane owns in a tile

// Bytes that one lane's neighbours fill, and one access of them.
template <class T, unsigned Run>
struct RunBytes {
    static constexpr unsigned kAll = sizeof(T) * Run;
    static constexpr unsigned kAccess = kAll < 16 ? kAll : 16;
};

// Where the packs of a job lie: nowhere a run that starts at a multiple of `run` is torn or badly aligned.
inline bool runs_are_packs(const Segments& input, std::size_t element_bytes, unsigned run,
                           std::uint64_t segments) {
    const std::size_t all = element_bytes * run, access = all < 16 ? all : 16;
    const bool gaps = input.cols < input.n;
    return reinterpret_cast<std::uintptr_t>(input.data) % access == 0 &&
           (segments <= 1 || input.step * element_bytes % access == 0) &&
           (!gaps || (input.cols % run == 0 && input.stride * element_bytes % access == 0));
}

// Bytes that one lane's neighbours fill, in whole words: packs of bytes would be loaded in pieces.
template <class T, unsigned Run>
TEGU_DEVICE void load_packs(const T* from, T* x) {
    using Words = Pack<std::uint32_t, RunBytes<T, Run>::kAccess / 4>;
    TEGU_UNROLL
    for (unsigned p = 0; p < RunBytes<T, Run>::kAll / sizeof(Words); ++p) {
        const Words words = reinterpret_cast<const Words*>(from)[p];
        memcpy(x + p * (sizeof(Words) / sizeof(T)), &words, sizeof words);
    }
}

// A segment without gaps, all of whose runs can be loaded as packs.
template <class T, unsigned Run>
struct DenseElements {
    const T* data;
    std::uint64_t n;

    TEGU_DEVICE DenseElements(const Segments& input, std::uint64_t segment, bool)
        : data(static_cast<const T*>(input.data) + segment * input.step), n(input.n) {}
    // How many of the Run elements from `begin` on are there.
    TEGU_DEVICE unsigned count(std::uint64_t begin) const {
        return begin >= n ? 0u : n - begin < Run ? static_cast<unsigned>(n - begin) : Run;
    }
    // REQUIRES: all Run elements from `begin`, a multiple of Run, are there.
    TEGU_DEVICE void load_run(std::uint64_t begin, T* x) const { load_packs<T, Run>(data + begin, x); }
    // Elements that are not there become zero. Returns how many are.
    TEGU_DEVICE unsigned load(std::uint64_t begin, T* x) const {
        const unsigned there = count(begin);
        if (there == Run) {
            load_run(begin, x);
            return there;
        }
        TEGU_UNROLL
        for (unsigned i = 0; i < Run; ++i) x[i] = i < there ? data[begin + i] : T();
        return there;
    }
};

// A segment without gaps. If its runs cannot be loaded as packs, one by one.
template <class T, unsigned Run>
struct RowElements {
    const T* data;
    std::uint64_t n;
    bool packs;

    TEGU_DEVICE RowElements(const Segments& input, std::uint64_t segment, bool runs_are_packs)
        : data(static_cast<const T*>(input.data) + segment * input.step), n(input.n), packs(runs_are_packs) {}
    // As DenseElements has it.
    TEGU_DEVICE unsigned count(std::uint64_t begin) const {
        return begin >= n ? 0u : n - begin < Run ? static_cast<unsigned>(n - begin) : Run;
    }
    TEGU_DEVICE unsigned load(std::uint64_t begin, T* x) const {
        const unsigned there = count(begin);
        if (packs && there == Run) {
            load_packs<T, Run>(data + begin, x);
            return there;
        }
        TEGU_UNROLL
        for (unsigned i = 0; i < Run; ++i) x[i] = i < there ? data[begin + i] : T();
        return there;
    }
};

// Any segment. Run: neighbours that are loaded together, at indices that are multiples of it.
template <class T, unsigned Run>
struct Elements {
    const T* data;
    std::uint64_t n;
    std::uint64_t cols;
    std::uint64_t row_stride;
    bool packs;

    TEGU_DEVICE Elements(const Segments& input, std::uint64_t segment, bool runs_are_packs)
        : data(static_cast<const T*>(input.data) + segment * input.step),
          n(input.n),
          cols(input.cols),
          row_stride(input.stride),
          packs(runs_are_packs) {}

    TEGU_DEVICE bool gaps() const { return cols < n; }
    TEGU_DEVICE std::uint64_t offset(std::uint64_t index) const {
        if (!gaps()) return index;
        if (((index | cols) >> 32) == 0) {  // much faster than 64-bit division
            const auto i = static_cast<std::uint32_t>(index);
            const auto width = static_cast<std::uint32_t>(cols);
            return i / width * row_stride + i % width;
        }
        return index / cols * row_stride + index % cols;
    }
    TEGU_DEVICE T at(std::uint64_t index) const { return data[offset(index)]; }
    // As DenseElements has it.
    TEGU_DEVICE void load_run(std::uint64_t begin, T* x) const { load(begin, x); }
    // How many of the Run elements from `begin` on are there.
    TEGU_DEVICE unsigned count(std::uint64_t begin) const {
        return begin >= n ? 0u : n - begin < Run ? static_cast<unsigned>(n - begin) : Run;
    }
    // Elements that are not there become zero. Returns how many are.
    TEGU_DEVICE unsigned load(std::uint64_t begin, T* x) const {
        const unsigned there = count(begin);
        if (packs && there == Run) {
            load_packs<T, Run>(data + offset(begin), x);
            return there;
        }
        TEGU_UNROLL
        for (unsigned i = 0; i < Run; ++i) x[i] = i < there ? at(begin + i) : T();
        return there;
    }
};

}  // namespace cuda
}  // namespace tegu
