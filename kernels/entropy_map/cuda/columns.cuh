// SPDX-License-Identifier: Apache-2.0
// The work of a block of entropy_map's columns. Four levels are a quad: a byte for each in a word of changes,
// 16 bits for each in two words of counts. Changes have a bias, so that no byte carries into the next.
#pragma once

#include "kernels/entropy_map/cuda/columns.h"
#include "kernels/entropy_map/cuda/entropy_map.cuh"
#include "kernels/execution/cuda/streaming.cuh"
#include "kernels/execution/cuda/words.cuh"

namespace tegu {
namespace cuda {

// Counts are multiplied by this, so they are byte offsets in the table of F.
constexpr unsigned kUnit = 4;
constexpr std::uint32_t kBias = 64;  // of a change, which is -63..63
constexpr unsigned kMaxStretch = 64;
constexpr unsigned kHeld = 4;        // words of the next rows that a thread loads ahead
constexpr std::uint32_t kAhead = 8;  // rows that are prefetched
constexpr unsigned kBlockRows = 8;   // rows whose pixels share a mask of quads

// Offsets in the shared memory of a block, which begins with the table of F.
struct ColumnsLayout {
    unsigned starts;   // u32 [groups, quads, 2]: the counts of a group's first window
    unsigned changes;  // u32 [groups * stretch, quads + 1]
    unsigned rows;     // u32 [2 turns, 2, words]: the rows that enter and leave
    unsigned words;    // of a row
    unsigned masks;    // u32 [groups, ring, 2]: quads of the pixels around the group's windows
    unsigned ring;     // blocks of rows that a window touches at most
    unsigned lists;    // u8 [groups, quads]: quads with pixels first
    unsigned partial;  // u32 [groups * stretch]: sums of the passes before the last
    unsigned bytes;
};
struct ColumnsArrays : PlaneArrays {
    unsigned stretch;
    ColumnsLayout at;
};

// 16, 32, 48 or 64.
constexpr unsigned quads_of(unsigned levels) {
    return (levels + 63) / 64 * 16;
}

// Sums 16 values of each lane over the 16 lanes of a group. A lane gets the sum of value i, where i is its
// lowest four index bits reversed.
template <unsigned N>
struct GroupSums {
    static_assert(N >= 2, "halves of the values");
    TEGU_DEVICE static std::uint32_t of(const std::uint32_t (&value)[N]) {
        constexpr unsigned kMask = kColumnsLanes / N;
        const bool upper = (lane_index() & kMask) != 0;
        std::uint32_t half[N / 2];
        TEGU_UNROLL
        for (unsigned i = 0; i < N / 2; ++i)
            half[i] = (upper ? value[i + N / 2] : value[i]) +
                      shuffle_xor(upper ? value[i] : value[i + N / 2], kMask);
        return GroupSums<N / 2>::of(half);
    }
};
template <>
struct GroupSums<1> {
    TEGU_DEVICE static std::uint32_t of(const std::uint32_t (&value)[1]) { return value[0]; }
};
TEGU_DEVICE unsigned value_of_lane(unsigned lane) {
    return (lane & 1u) * 8 + (lane & 2u) * 2 + (lane >> 1 & 2u) + (lane >> 3 & 1u);
}

// The rows that enter and leave a block's windows, as words of the plane.
struct ColumnsRows {
    const std::uint8_t *enters, *leaves;  // null: none
};

// The work of a block of threads, and of a group of its lanes. Q: quads.
template <unsigned Q>
class ColumnsStrip {
  public:
    TEGU_DEVICE ColumnsStrip(const ColumnsArrays& arrays, unsigned char* shared)
        : arrays_(arrays),
          shared_(shared),
          lane_(lane_index() % kColumnsLanes),
          group_(thread_index() / kColumnsLanes),
          groups_(block_threads() / kColumnsLanes),
          first_(block_x() * groups_ * arrays.stretch) {
        for (unsigned n = thread_index(); n <= arrays.window.rows * arrays.window.cols; n += block_threads())
            word_at(0)[n] = arrays.tables.entries[n];
        for (unsigned at = arrays.at.starts / 4 + thread_index(); at < arrays.at.bytes / 4;
             at += block_threads())
            word_at(0)[at] = at >= arrays.at.changes / 4 && at < arrays.at.rows / 4 ? kBias * 0x01010101u : 0;
        const std::uint32_t column = arrays.first_col + first_;
        skipped_ = column % 4;
        words_begin_ = column / 4;
        // a row of the plane ends before the last block's last columns
        words_ = earlier(arrays.plane.pitch / 4 - words_begin_, arrays.at.words);
        exist_begin_ = column < arrays.plane.col_begin ? arrays.plane.col_begin - column : 0;
        exist_end_ = arrays.plane.col_end > column ? arrays.plane.col_end - column : 0;
    }

    // The words of both rows that this thread copies.
    TEGU_DEVICE void load(const ColumnsRows& rows) {
        TEGU_UNROLL
        for (unsigned i = 0; i < kHeld; ++i) {
            const unsigned at = thread_index() + i * block_threads(), word = at >> 1;
            const std::uint8_t* const row = (at & 1u) != 0 ? rows.leaves : rows.enters;
            if (word < words_ && row != nullptr)
                held_[i] = reinterpret_cast<const std::uint32_t*>(row)[words_begin_ + word];
        }
    }
    TEGU_DEVICE void ahead(const std::uint8_t* row) const {
        constexpr unsigned kSectorWords = 8;
        const unsigned word = thread_index() * kSectorWords;
        if (row != nullptr && word < words_)
            prefetch(reinterpret_cast<const std::uint32_t*>(row) + words_begin_ + word);
    }
    TEGU_DEVICE void keep(unsigned turn) {
        TEGU_UNROLL
        for (unsigned i = 0; i < kHeld; ++i) {
            const unsigned at = thread_index() + i * block_threads(), word = at >> 1;
            if (word < words_) rows_at(turn, at & 1u)[word] = held_[i];
        }
    }

    // Changes the windows by the rows that were kept. `row`: of the plane, that enters. Barriers before and
    // after.
    TEGU_DEVICE void change_rows(unsigned turn, std::uint32_t row, const ColumnsRows& rows) {
        const auto* const come = reinterpret_cast<const std::uint8_t*>(rows_at(turn, 0)) + skipped_;
        const auto* const gone = reinterpret_cast<const std::uint8_t*>(rows_at(turn, 1)) + skipped_;
        const bool enters = rows.enters != nullptr, leaves = rows.leaves != nullptr;
        const unsigned columns = groups_ * arrays_.stretch, width = arrays_.window.cols;
        std::uint32_t* const changes = word_at(arrays_.at.changes);
        for (unsigned y = thread_index(); y < columns; y += block_threads()) {
            const unsigned in = come[y], out = gone[y], next_in = come[y + width], next_out = gone[y + width];
            std::uint32_t* const of = changes + y * (Q + 1);
            if (y >= exist_begin_ && y < exist_end_) {
                if (enters) atomic_add(of + in / 4, 0 - change_unit(in));
                if (leaves) atomic_add(of + out / 4, change_unit(out));
            }
            if (y + width >= exist_begin_ && y + width < exist_end_) {
                if (enters) atomic_add(of + next_in / 4, change_unit(next_in));
                if (leaves) atomic_add(of + next_out / 4, 0 - change_unit(next_out));
            }
        }
        std::uint32_t* const start = word_at(arrays_.at.starts) + group_ * 2 * Q;
        const unsigned begin = group_ * arrays_.stretch + lane_;
        const unsigned end = earlier(group_ * arrays_.stretch + width, exist_end_);
        unsigned at = begin;
        if (at < exist_begin_) at += (exist_begin_ - at + kColumnsLanes - 1) / kColumnsLanes * kColumnsLanes;
        std::uint32_t low = 0, high = 0;  // quads of the row
        for (; at < end; at += kColumnsLanes) {
            const unsigned in = come[at], out = gone[at];
            add_quad(in, &low, &high);
            if (leaves) atomic_add(start + out / 2, 0 - (kUnit << (16 * (out & 1u))));
            if (enters) atomic_add(start + in / 2, kUnit << (16 * (in & 1u)));
        }
        if (Q > kColumnsLanes) {
            for (const unsigned last = earlier(end + arrays_.stretch, exist_end_); at < last;
                 at += kColumnsLanes)
                add_quad(come[at], &low, &high);
            add_quads(row, enters ? low : 0, enters ? high : 0);
        }
    }

    // Computes the group's results of a row; its windows are `down` rows high.
    TEGU_DEVICE void find_row(std::uint32_t row, unsigned down) {
        if (Q > kColumnsLanes && warp_any(!is_listed_)) list_quads();
        for (unsigned pass = 0; pass < passes_; ++pass) {
            unsigned quad = lane_;
            if (Q > kColumnsLanes)
                quad = (shared_ + arrays_.at.lists + group_ * Q)[pass * kColumnsLanes + lane_];
            find_pass(row, down, quad, pass > 0, pass + 1 == passes_);
        }
    }

  private:
    TEGU_DEVICE std::uint32_t* word_at(unsigned offset) const {
        return reinterpret_cast<std::uint32_t*>(shared_ + offset);
    }
    TEGU_DEVICE std::uint32_t* rows_at(unsigned turn, unsigned kind) const {
        return word_at(arrays_.at.rows) + (2 * turn + kind) * arrays_.at.words;
    }
    TEGU_DEVICE static unsigned earlier(unsigned a, unsigned b) { return a < b ? a : b; }
    TEGU_DEVICE static void add_quad(unsigned level, std::uint32_t* low, std::uint32_t* high) {
        const std::uint32_t bit = 1u << (level / 4 % 32);
        *low |= level < 128 ? bit : 0;
        *high |= level < 128 ? 0 : bit;
    }
    // A pixel in the word of changes of its quad.
    TEGU_DEVICE static std::uint32_t change_unit(unsigned level) { return 1u << (8 * (level & 3u)); }
    TEGU_DEVICE std::uint32_t* masks() const {
        return word_at(arrays_.at.masks) + group_ * arrays_.at.ring * 2;
    }
    // Adds the quads of a row to its block of rows.
    TEGU_DEVICE void add_quads(std::uint32_t row, std::uint32_t low, std::uint32_t high) {
        std::uint32_t* const mask = masks() + row / kBlockRows % arrays_.at.ring * 2;
        if (row % kBlockRows == 0) {  // the block that had this place has left all windows
            if (lane_ < 2) mask[lane_] = 0;
            warp_barrier();
        }
        if ((low & ~mask[0]) != 0) atomic_or(mask, low);
        if ((high & ~mask[1]) != 0) atomic_or(mask + 1, high);
        is_listed_ = is_listed_ && row % kBlockRows != 0 && (low & ~low_) == 0 && (high & ~high_) == 0;
    }
    // Lists the quads of the group, those with pixels first. Counts the passes over 16 quads that have all
    // pixels of the warp's groups. Quads that have left all windows stay in the list for some rows.
    TEGU_DEVICE void list_quads() {
        low_ = lane_ < arrays_.at.ring ? masks()[2 * lane_] : 0;
        high_ = lane_ < arrays_.at.ring ? masks()[2 * lane_ + 1] : 0;
        TEGU_UNROLL
        for (unsigned mask = 1; mask < kColumnsLanes; mask *= 2) {
            low_ |= shuffle_xor(low_, mask);
            high_ |= shuffle_xor(high_, mask);
        }
        const unsigned listed = count_bits(low_) + count_bits(high_);
        unsigned char* const list = shared_ + arrays_.at.lists + group_ * Q;
        TEGU_UNROLL
        for (unsigned i = 0; i < Q / kColumnsLanes; ++i) {
            const unsigned quad = i * kColumnsLanes + lane_;
            const std::uint32_t below = (1u << quad % 32) - 1;
            const unsigned before =
                quad < 32 ? count_bits(low_ & below) : count_bits(low_) + count_bits(high_ & below);
            const bool has = ((quad < 32 ? low_ : high_) >> quad % 32 & 1u) != 0;
            list[has ? before : listed + quad - before] = static_cast<unsigned char>(quad);
        }
        warp_barrier();
        is_listed_ = true;
        const unsigned other = shuffle_xor(listed, kColumnsLanes);
        const unsigned most = listed > other ? listed : other;
        passes_ = most > kColumnsLanes ? (most + kColumnsLanes - 1) / kColumnsLanes : 1;
    }

    TEGU_DEVICE std::uint32_t entry(std::int32_t offset, unsigned bias) const {
        return *reinterpret_cast<const std::uint32_t*>(shared_ + static_cast<std::uint32_t>(offset) - bias);
    }
    // A quad for each lane: adds the sums of F over its levels.
    TEGU_DEVICE void find_pass(std::uint32_t row, unsigned down, unsigned quad, bool adds, bool ends) {
        const auto start =
            reinterpret_cast<const Pack<std::uint32_t, 2>*>(word_at(arrays_.at.starts))[group_ * Q + quad];
        std::int32_t counts[4];
        TEGU_UNROLL
        for (unsigned k = 0; k < 4; ++k)
            counts[k] = static_cast<std::int32_t>(start.at[k / 2] >> (16 * (k % 2)) & 0xffffu);
        unsigned column = group_ * arrays_.stretch;
        const std::uint32_t* changes = word_at(arrays_.at.changes) + column * (Q + 1) + quad;
        float* const results = arrays_.map + row * arrays_.map_cols;
        for (unsigned step = 0; step < arrays_.stretch; step += kColumnsStep) {
            std::uint32_t next[kColumnsStep], sums[kColumnsStep];
            TEGU_UNROLL
            for (unsigned i = 0; i < kColumnsStep; ++i) next[i] = changes[i * (Q + 1)];
            TEGU_UNROLL
            for (unsigned i = 0; i < kColumnsStep; ++i) {
                const unsigned bias = i * kUnit * kBias;  // of all counts, after i changes
                sums[i] = entry(counts[0], bias) + entry(counts[1], bias) + entry(counts[2], bias) +
                          entry(counts[3], bias);
                TEGU_UNROLL
                for (unsigned k = 0; k < 4; ++k)
                    counts[k] = add_signed_byte_products(next[i], kUnit << (8 * k), counts[k]);
            }
            TEGU_UNROLL
            for (unsigned k = 0; k < 4; ++k)
                counts[k] -= static_cast<std::int32_t>(kColumnsStep * kUnit * kBias);
            changes += kColumnsStep * (Q + 1);
            std::uint32_t sum = GroupSums<kColumnsStep>::of(sums);
            const unsigned window = column + value_of_lane(lane_);
            column += kColumnsStep;
            std::uint32_t* const partial = word_at(arrays_.at.partial) + window;
            if (adds) sum += *partial;
            if (!ends) {
                *partial = sum;
                continue;
            }
            const std::uint32_t col = first_ + window;
            if (col >= arrays_.cols) continue;
            const unsigned pixels = down * across(col);
            if (pixels != pixels_) {
                pixels_ = pixels;
                finish_.set(arrays_.tables, pixels);
            }
            results[col] = finish_.of(sum);
        }
    }
    TEGU_DEVICE unsigned across(std::uint32_t col) const {
        const std::uint32_t begin = arrays_.first_col + col, end = begin + arrays_.window.cols;
        return (end < arrays_.plane.col_end ? end : arrays_.plane.col_end) -
               (begin > arrays_.plane.col_begin ? begin : arrays_.plane.col_begin);
    }

    const ColumnsArrays& arrays_;
    unsigned char* shared_;
    unsigned lane_, group_, groups_;
    std::uint32_t first_;  // the block's first result
    unsigned skipped_;     // bytes of the first word before it
    std::uint32_t words_begin_, words_;
    std::uint32_t exist_begin_, exist_end_;  // columns of the block that exist
    std::uint32_t held_[kHeld] = {};
    std::uint32_t low_ = 0, high_ = 0;  // the quads of the list
    bool is_listed_ = false;
    unsigned passes_ = 1;
    EntropyFinish finish_{};
    unsigned pixels_ = 0;
};

}  // namespace cuda
}  // namespace tegu
