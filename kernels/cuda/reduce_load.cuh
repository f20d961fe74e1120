// SPDX-License-Identifier: Apache-2.0
// Elements of a sequence by their index, with or without gaps between rows: whole packs where the address allows it, else one by one. Whatever
// the bytes say, only elements [0, n) are touched.
#pragma once

#include "kernels/cuda/element.cuh"
#include "kernels/cuda/reduce.h"

namespace tegu {
namespace cuda {

constexpr unsigned kTileRuns = 8;  // runs of neighbours that a lane owns in a tile

// Bytes that one lane's neighbours fill, and one access of them.
template <class T, unsigned Run>
struct RunBytes {
    static constexpr unsigned kAll = sizeof(T) * Run;
    static constexpr unsigned kAccess = kAll < 16 ? kAll : 16;
};

// Where the packs of a job lie: nowhere a run that starts at a multiple of Run is torn or badly aligned.
template <class T, unsigned Run>
inline bool runs_are_packs(const ReduceInput& input, std::uint64_t sequences) {
    constexpr unsigned kAccess = RunBytes<T, Run>::kAccess;
    const bool gaps = input.cols < input.n;
    return reinterpret_cast<std::uintptr_t>(input.data) % kAccess == 0 &&
           (sequences <= 1 || input.sequence_stride * sizeof(T) % kAccess == 0) &&
           (!gaps || (input.cols % Run == 0 && input.row_stride * sizeof(T) % kAccess == 0));
}

// One sequence. Run: neighbours that are loaded together, at indices that are multiples of it.
template <class T, unsigned Run>
struct Elements {
    const T* data;
    std::uint64_t n;
    std::uint64_t cols;
    std::uint64_t row_stride;
    bool packs;

    TEGU_DEVICE Elements(const ReduceInput& input, std::uint64_t sequence, bool runs_are_packs)
        : data(static_cast<const T*>(input.data) + sequence * input.sequence_stride),
          n(input.n),
          cols(input.cols),
          row_stride(input.row_stride),
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
    // How many of the Run elements from `begin` on are there.
    TEGU_DEVICE unsigned count(std::uint64_t begin) const {
        return begin >= n ? 0u : n - begin < Run ? static_cast<unsigned>(n - begin) : Run;
    }
    // REQUIRES: packs, and all Run elements from `begin`, a multiple of Run, are there.
    TEGU_DEVICE void load_pack(std::uint64_t begin, T* x) const { copy_packs(data + offset(begin), x); }
    // The same for [0, n) without gaps, which needs no division.
    TEGU_DEVICE void load_dense_pack(std::uint64_t begin, T* x) const { copy_packs(data + begin, x); }
    // Elements that are not there become zero.
    TEGU_DEVICE void load(std::uint64_t begin, T* x) const {
        if (packs && count(begin) == Run) return load_pack(begin, x);
        TEGU_UNROLL
        for (unsigned i = 0; i < Run; ++i) x[i] = begin + i < n ? at(begin + i) : T();
    }

  private:
    TEGU_DEVICE static void copy_packs(const T* from, T* x) {
        using Words = Pack<std::uint32_t, RunBytes<T, Run>::kAccess / 4>;  // packs of bytes would be loaded in pieces
        TEGU_UNROLL
        for (unsigned p = 0; p < RunBytes<T, Run>::kAll / sizeof(Words); ++p) {
            const Words words = reinterpret_cast<const Words*>(from)[p];
            memcpy(x + p * (sizeof(Words) / sizeof(T)), &words, sizeof words);
        }
    }
};

}  // namespace cuda
}  // namespace tegu
