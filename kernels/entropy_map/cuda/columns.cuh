// SPDX-License-Identifier: Apache-2.0
// The work of a warp of entropy_map's columns. Four levels are a quad: a byte for each in a word of changes,
// 16 bits for each in two words of counts. Changes have a bias, so that no byte carries into the next.
#pragma once

#include "kernels/entropy_map/cuda/columns.h"
#include "kernels/entropy_map/cuda/entropy_map.cuh"
#include "kernels/execution/cuda/words.cuh"

namespace tegu {
namespace cuda {

// Counts are multiplied by this, so they are byte offsets in the table of F.
constexpr unsigned kUnit = 4;
constexpr std::uint32_t kBias = 64;    // of a change, which is -63..63
constexpr unsigned kSide = 32;         // results of a group of lanes: left or right of a middle
constexpr unsigned kStep = 16;         // results that a group computes together
constexpr unsigned kRowsOfMask = 8;    // rows whose pixels share a mask of quads
constexpr unsigned kPixelColumns = 5;  // of a row that a lane loads for each pair of groups

// The groups of a warp, and its words of shared memory. Q: quads.
template <unsigned Q>
struct ColumnsWarp {
    static constexpr unsigned kLanes = Q < 16 ? Q : 16;  // of a group: they share a window
    static constexpr unsigned kGroups = kWarpLanes / kLanes;
    static constexpr unsigned kPairs = kGroups / 2;               // groups on both sides of a middle
    static constexpr unsigned kThreads = kPairs < 4 ? 384 : 256;  // of a block at most, limited by registers
    static constexpr unsigned kAcross = kGroups * kSide;
    static constexpr unsigned kResults = kStep / kLanes;  // of a lane in a step
    static constexpr bool kLists = Q > kLanes;

    static constexpr unsigned kPitch = Q + 1;  // from the changes of a window to those of the next
    // The words behind a group's changes never change. They move the next group to other banks.
    static constexpr unsigned kGroupWords = kSide * kPitch + kLanes;
    // The counts in the middle of each pair are a sum of copies, as lanes that change one word wait for each
    // other.
    static constexpr unsigned kCopies = Q < 8 ? 8 : Q < 32 ? 4 : 1;
    static constexpr unsigned kCopyWords = 2 * Q + 2;  // two more: other banks
    static constexpr unsigned kStarts = kGroups * kGroupWords;
    static constexpr unsigned kList = kStarts + kPairs * kCopies * kCopyWords;
    static constexpr unsigned kWords = kList + (kLists ? Q / 4 : 0);
};

struct ColumnsArrays : PlaneArrays {
    unsigned table_bytes;
    std::uint32_t across;  // warps side by side
    std::uint32_t warps;   // of all strips
};

// Sums N values of each lane over groups of lanes. A lane gets N / Lanes adjacent sums, from
// first_value() on.
template <unsigned N, unsigned Lanes, unsigned Mask = 1>
struct GroupSums {
    TEGU_DEVICE static void of(const std::uint32_t (&value)[N], std::uint32_t (&sums)[N * Mask / Lanes]) {
        const bool upper = (lane_index() & Mask) != 0;
        std::uint32_t half[N / 2];
        TEGU_UNROLL
        for (unsigned i = 0; i < N / 2; ++i)
            half[i] = (upper ? value[i + N / 2] : value[i]) +
                      shuffle_xor(upper ? value[i] : value[i + N / 2], Mask);
        GroupSums<N / 2, Lanes, Mask * 2>::of(half, sums);
    }
};
template <unsigned N, unsigned Lanes>
struct GroupSums<N, Lanes, Lanes> {
    TEGU_DEVICE static void of(const std::uint32_t (&value)[N], std::uint32_t (&sums)[N]) {
        TEGU_UNROLL
        for (unsigned i = 0; i < N; ++i) sums[i] = value[i];
    }
};
// `lane`: of a group.
TEGU_DEVICE unsigned first_value(unsigned lane) {
    return (lane & 1u) * 8 + (lane & 2u) * 2 + (lane >> 1 & 2u) + (lane >> 3 & 1u);
}

// The rows that enter and leave the windows.
struct ColumnsRows {
    const std::uint8_t *in, *out;  // in memory, also where they do not count
    bool enters, leaves;
};

// The windows of a warp. Only its lanes touch its shared memory.
template <unsigned Q>
class ColumnsStrip {
  public:
    using Warp = ColumnsWarp<Q>;
    struct Results {  // of a lane in a step
        std::uint32_t at[Warp::kResults];
    };

    // `first`: the first result.
    TEGU_DEVICE ColumnsStrip(const ColumnsArrays& arrays, unsigned char* shared, std::uint32_t first)
        : arrays_(arrays),
          shared_(shared),
          words_(reinterpret_cast<std::uint32_t*>(shared + arrays.table_bytes) + warp_index() * Warp::kWords),
          lane_(lane_index() % Warp::kLanes),
          group_(lane_index() / Warp::kLanes),
          is_right_(group_ % 2 != 0),
          first_(first),
          column_(arrays.first_col + first + lane_index()),
          packs_(reinterpret_cast<std::uintptr_t>(arrays.map) % (sizeof(float) * Warp::kResults) == 0 &&
                 arrays.map_cols % Warp::kResults == 0) {
        for (unsigned at = lane_index(); at < Warp::kWords; at += kWarpLanes)
            words_[at] = at < Warp::kStarts ? kBias * 0x01010101u : 0;
        for (unsigned pair = 0; pair < Warp::kPairs; ++pair)
            for (unsigned j = 0; j < kPixelColumns; ++j) {
                const std::uint32_t column = column_of(pair, j);
                const bool exists = column >= arrays.plane.col_begin && column < arrays.plane.col_end;
                exist_ |= (exists ? 1u : 0u) << (kPixelColumns * pair + j);
            }
    }

    // The pixels of a pair's columns.
    TEGU_DEVICE void load(unsigned pair, const ColumnsRows& rows) {
        TEGU_UNROLL
        for (unsigned j = 0; j < kPixelColumns; ++j) {
            const std::uint32_t column = column_of(pair, j), last = arrays_.plane.pitch - 1,
                                at = column < last ? column : last;
            in_[j] = rows.in[at];
            out_[j] = rows.out[at];
        }
    }
    // Changes a pair's windows by the pixels that were loaded.
    TEGU_DEVICE void change(unsigned pair, const ColumnsRows& rows) {
        if (rows.enters) apply(pair, in_, 1);
        if (rows.leaves) apply(pair, out_, 0xffffffffu);
        if (Warp::kLists && rows.enters) add_quads();
    }
    // A mask of quads ends before each `row` that is a multiple of kRowsOfMask.
    TEGU_DEVICE void begin_row(std::uint32_t row) {
        if (!Warp::kLists || row % kRowsOfMask != 0) return;
        const std::uint32_t low = any_lane(new_low_), high = any_lane(new_high_);
        const unsigned ring = (arrays_.window.rows + 2 * kRowsOfMask - 2) / kRowsOfMask;
        if (lane_index() == row / kRowsOfMask % ring) {
            old_low_ = low;
            old_high_ = high;
        }
        new_low_ = new_high_ = 0;
        is_listed_ = false;
    }

    // Computes the results of a row; their windows are `down` rows high.
    TEGU_DEVICE void find_row(std::uint32_t row, unsigned down) {
        if (!Warp::kLists) {
            find_pass(lane_, [&](unsigned step, const Results& results) {
                store(row, down, step * kStep, results);
            });
            return;
        }
        if (!is_listed_) list_quads();
        Results sums[kSide / kStep] = {};
        for (unsigned pass = 0; pass < passes_; ++pass)
            find_pass(quad_of(pass), [&](unsigned step, const Results& results) {
                TEGU_UNROLL
                for (unsigned j = 0; j < Warp::kResults; ++j) sums[step].at[j] += results.at[j];
            });
        TEGU_UNROLL
        for (unsigned step = 0; step < kSide / kStep; ++step) store(row, down, step * kStep, sums[step]);
    }

  private:
    // Columns of the plane: the first on each side of the middle, and those that follow behind the windows.
    TEGU_DEVICE std::uint32_t column_of(unsigned pair, unsigned j) const {
        return column_ + 2 * kSide * pair + (j < 3 ? j * kSide : arrays_.window.cols + (j - 3) * kSide);
    }
    // Adds `pixels` to the changes and counts, or removes them: `sign` is 1 or -1.
    TEGU_DEVICE void apply(unsigned pair, const unsigned (&pixels)[kPixelColumns], std::uint32_t sign) const {
        const std::uint32_t exist = exist_ >> (kPixelColumns * pair);
        const auto one_of = [&](unsigned j) { return (exist >> j & 1u) * sign; };
        std::uint32_t* const left =
            words_ + 2 * pair * Warp::kGroupWords + (kSide - 1 - lane_index()) * Warp::kPitch;
        std::uint32_t* const right =
            words_ + (2 * pair + 1) * Warp::kGroupWords + lane_index() * Warp::kPitch;
        // Changes towards the left have the opposite sign.
        const std::uint32_t first = one_of(1);
        change_at(left, pixels[0], one_of(0));
        change_at(left, pixels[3], 0 - one_of(3));
        change_at(right, pixels[1], 0 - first);
        change_at(right, pixels[4], one_of(4));
        std::uint32_t* const start =
            words_ + start_of(pair) + lane_index() % Warp::kCopies * Warp::kCopyWords;
        if (lane_index() < arrays_.window.cols) start_at(start, pixels[1], first);
        if (lane_index() + kSide < arrays_.window.cols) start_at(start, pixels[2], one_of(2));
    }
    TEGU_DEVICE static unsigned start_of(unsigned pair) {
        return Warp::kStarts + pair * Warp::kCopies * Warp::kCopyWords;
    }
    TEGU_DEVICE static void change_at(std::uint32_t* changes, unsigned level, std::uint32_t one) {
        atomic_add(changes + level / 4, one << (8 * level % 32));
    }
    TEGU_DEVICE static void start_at(std::uint32_t* start, unsigned level, std::uint32_t one) {
        atomic_add(start + level / 2, (kUnit * one) << (16 * level % 32));
    }

    // Notes the quads of a row. The columns that were loaded are all around the windows.
    TEGU_DEVICE void add_quads() {
        std::uint32_t low = 0, high = 0;
        TEGU_UNROLL
        for (unsigned j = 0; j < kPixelColumns; ++j) {
            if (j == 2) continue;  // one of the others, in another lane
            const std::uint32_t bit = 1u << (in_[j] / 4 % 32);
            low |= in_[j] < 128 ? bit : 0;
            if (Q > 32) high |= in_[j] < 128 ? 0 : bit;
        }
        new_low_ |= low;
        new_high_ |= high;
        if (warp_any(((low & ~low_) | (high & ~high_)) != 0)) is_listed_ = false;
    }
    TEGU_DEVICE static std::uint32_t any_lane(std::uint32_t bits) {
        TEGU_UNROLL
        for (unsigned mask = 1; mask < kWarpLanes; mask *= 2) bits |= shuffle_xor(bits, mask);
        return bits;
    }
    // Lists the quads, those with pixels first. Quads that have left all windows stay for some rows.
    TEGU_DEVICE void list_quads() {
        low_ = any_lane(old_low_ | new_low_);
        high_ = Q > 32 ? any_lane(old_high_ | new_high_) : 0;
        const unsigned listed = count_bits(low_) + count_bits(high_);
        auto* const list = reinterpret_cast<unsigned char*>(words_ + Warp::kList);
        TEGU_UNROLL
        for (unsigned begin = 0; begin < Q; begin += kWarpLanes) {
            const unsigned quad = begin + lane_index();
            const std::uint32_t below = lanes_before();
            const unsigned before =
                begin == 0 ? count_bits(low_ & below) : count_bits(low_) + count_bits(high_ & below);
            const bool has = ((begin == 0 ? low_ : high_) >> lane_index() & 1u) != 0;
            if (quad < Q) list[has ? before : listed + quad - before] = static_cast<unsigned char>(quad);
        }
        warp_barrier();
        is_listed_ = true;
        passes_ = (listed + Warp::kLanes - 1) / Warp::kLanes;
    }
    TEGU_DEVICE unsigned quad_of(unsigned pass) const {
        return reinterpret_cast<const unsigned char*>(words_ + Warp::kList)[pass * Warp::kLanes + lane_];
    }

    TEGU_DEVICE std::uint32_t entry(std::int32_t offset, unsigned bias) const {
        return *reinterpret_cast<const std::uint32_t*>(shared_ + static_cast<std::uint32_t>(offset) - bias);
    }
    // A quad for each lane: `take(step, results)` gets the sums of F over their levels.
    template <class Take>
    TEGU_DEVICE void find_pass(unsigned quad, Take take) const {
        const std::uint32_t* const changes = words_ + group_ * Warp::kGroupWords;
        Pack<std::uint32_t, 2> start{{0, 0}};
        TEGU_UNROLL
        for (unsigned copy = 0; copy < Warp::kCopies; ++copy) {
            const auto part = reinterpret_cast<const Pack<std::uint32_t, 2>*>(words_ + start_of(group_ / 2) +
                                                                              copy * Warp::kCopyWords)[quad];
            start.at[0] += part.at[0];
            start.at[1] += part.at[1];
        }
        // The first window on the left is the one before the middle.
        const std::uint32_t before = changes[is_right_ ? kSide * Warp::kPitch : quad];
        const std::uint32_t* const following = changes + quad + (is_right_ ? 0 : Warp::kPitch);
        std::int32_t counts[4];
        TEGU_UNROLL
        for (unsigned k = 0; k < 4; ++k)
            counts[k] = add_signed_byte_products(
                before, kUnit << (8 * k),
                static_cast<std::int32_t>(start.at[k / 2] >> (16 * (k % 2)) & 0xffffu));
        TEGU_UNROLL
        for (unsigned step = 0; step < kSide / kStep; ++step) {
            std::uint32_t next[kStep], values[kStep];
            TEGU_UNROLL
            for (unsigned i = 0; i < kStep; ++i) next[i] = following[(step * kStep + i) * Warp::kPitch];
            TEGU_UNROLL
            for (unsigned i = 0; i < kStep; ++i) {
                const unsigned bias = (step * kStep + i + 1) * kUnit * kBias;  // of all counts
                values[i] = entry(counts[0], bias) + entry(counts[1], bias) + entry(counts[2], bias) +
                            entry(counts[3], bias);
                TEGU_UNROLL
                for (unsigned k = 0; k < 4; ++k)
                    counts[k] = add_signed_byte_products(next[i], kUnit << (8 * k), counts[k]);
            }
            Results results;
            GroupSums<kStep, Warp::kLanes>::of(values, results.at);
            take(step, results);
        }
    }

    // Stores results, from number `from` of the group's side on.
    TEGU_DEVICE void store(std::uint32_t row, unsigned down, unsigned from, const Results& sums) {
        constexpr unsigned kResults = Warp::kResults;
        const std::uint32_t middle = first_ + group_ / 2 * 2 * kSide + kSide, at = from + first_value(lane_);
        const std::uint32_t col = is_right_ ? middle + at : middle - at - kResults;
        float* const to = arrays_.map + row * arrays_.map_cols + col;
        Pack<float, kResults> values;
        TEGU_UNROLL
        for (unsigned j = 0; j < kResults; ++j) {
            const unsigned pixels = down * across(col + j);
            if (pixels != pixels_ && col + j < arrays_.cols) {
                pixels_ = pixels;
                finish_.set(arrays_.tables, pixels);
            }
            values.at[j] = finish_.of(is_right_ ? sums.at[j] : sums.at[kResults - 1 - j]);
        }
        if (packs_ && col + kResults <= arrays_.cols) {
            *reinterpret_cast<Pack<float, kResults>*>(to) = values;
            return;
        }
        TEGU_UNROLL
        for (unsigned j = 0; j < kResults; ++j)
            if (col + j < arrays_.cols) to[j] = values.at[j];
    }
    TEGU_DEVICE unsigned across(std::uint32_t col) const {
        const std::uint32_t begin = arrays_.first_col + col, end = begin + arrays_.window.cols;
        return (end < arrays_.plane.col_end ? end : arrays_.plane.col_end) -
               (begin > arrays_.plane.col_begin ? begin : arrays_.plane.col_begin);
    }

    const ColumnsArrays& arrays_;
    const unsigned char* shared_;
    std::uint32_t* words_;
    unsigned lane_, group_;
    bool is_right_;
    std::uint32_t first_;   // the warp's first result
    std::uint32_t column_;  // of the plane: the first that this lane loads
    bool packs_;
    std::uint32_t exist_ = 0;                          // bits of each pair: its columns that exist
    unsigned in_[kPixelColumns], out_[kPixelColumns];  // pixels of the next pair
    std::uint32_t new_low_ = 0, new_high_ = 0;         // quads of the latest rows in this lane's columns
    std::uint32_t old_low_ = 0, old_high_ = 0;         // each lane: of some rows in all columns
    std::uint32_t low_ = 0, high_ = 0;                 // of the list
    bool is_listed_ = false;
    unsigned passes_ = 1;
    EntropyFinish finish_{};
    unsigned pixels_ = 0;
};

}  // namespace cuda
}  // namespace tegu
