// SPDX-License-Identifier: Apache-2.0
// Loads elements of a segment by index, with or without gaps between rows. Uses whole packs where the address
// allows, else single loads. Touches only elements [0, n).
#pragma once

#include "kernels/execution/cuda/element.cuh"
#include "kernels/statistics/cuda/reduce.h"

namespace tegu {
namespace cuda {

constexpr unsigned kTileRuns = 8;  // runs of adjacent elements that a lane owns in a tile

// Bytes of one lane's adjacent elements, and bytes of one access to them.
template <class T, unsigned Run>
struct RunBytes {
    static constexpr unsigned kAll = sizeof(T) * Run;
    static constexpr unsigned kAccess = kAll < 16 ? kAll : 16;
};

// Returns whether every run is a pack: no run that starts at a multiple of `run` is split by a gap or
// misaligned.
inline bool runs_are_packs(const Segments& input, std::size_t element_bytes, unsigned run,
                           std::uint64_t segments) {
    const std::size_t all = element_bytes * run, access = all < 16 ? all : 16;
    const bool gaps = input.cols < input.n;
    return reinterpret_cast<std::uintptr_t>(input.data) % access == 0 &&
           (segments <= 1 || input.step * element_bytes % access == 0) &&
           (!gaps || (input.cols % run == 0 && input.stride * element_bytes % access == 0));
}

// Loads one lane's adjacent elements in whole words: packs of bytes would be loaded in parts.
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
    // The number of the Run elements from `begin` on that exist.
    TEGU_DEVICE unsigned count(std::uint64_t begin) const {
        return begin >= n ? 0u : n - begin < Run ? static_cast<unsigned>(n - begin) : Run;
    }
    // REQUIRES: all Run elements from `begin`, a multiple of Run, exist.
    TEGU_DEVICE void load_run(std::uint64_t begin, T* x) const { load_packs<T, Run>(data + begin, x); }
    // Missing elements become zero. Returns the number of existing ones.
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

// A segment without gaps. Loads single elements if its runs cannot be loaded as packs.
template <class T, unsigned Run>
struct RowElements {
    const T* data;
    std::uint64_t n;
    bool packs;

    TEGU_DEVICE RowElements(const Segments& input, std::uint64_t segment, bool runs_are_packs)
        : data(static_cast<const T*>(input.data) + segment * input.step), n(input.n), packs(runs_are_packs) {}
    // As in DenseElements.
    TEGU_DEVICE void load_run(std::uint64_t begin, T* x) const { load(begin, x); }
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

// Any segment. Run: adjacent elements that are loaded together, from indices that are multiples of Run.
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
    // As in DenseElements.
    TEGU_DEVICE void load_run(std::uint64_t begin, T* x) const { load(begin, x); }
    // The number of the Run elements from `begin` on that exist.
    TEGU_DEVICE unsigned count(std::uint64_t begin) const {
        return begin >= n ? 0u : n - begin < Run ? static_cast<unsigned>(n - begin) : Run;
    }
    // Missing elements become zero. Returns the number of existing ones.
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
