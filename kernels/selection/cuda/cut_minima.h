// SPDX-License-Identifier: Apache-2.0
// A cut from a sample in groups: the smallest pair of each group is an entry, and the cut lies among the
// entries. So a large sample leaves few entries, and each block that needs the cut finds it.
#pragma once

#include "kernels/selection/cuda/cut.h"

namespace tegu {
namespace cuda {

// Words of a board, before its entries: survivors of the cut, the complement of the best of their keys, and
// the tickets of the blocks that read these.
constexpr std::uint32_t kBoardSurvivors = 0, kBoardBest = 1, kBoardTickets = 2, kBoardEntries = 4;

// A sample of groups * each pairs. Pair s belongs to group s % groups: neighbours belong to different groups,
// so for any order of the elements each group has a share of the best.
struct GroupedSample {
    std::uint32_t groups;  // a multiple of 32; 0: none
    std::uint32_t each;    // pairs of a group: a power of two, up to kMaxOfGroup
    std::uint32_t rank;    // of the cut among the sorted entries, from 1; above `groups`: no cut
    std::uint32_t enough;  // the last good rank; at least `rank`

    std::uint64_t size() const { return std::uint64_t{groups} * each; }
    std::uint32_t board_words() const { return kBoardEntries + groups; }
};
constexpr std::uint32_t kMaxOfGroup = 256;

// The entries of some segments, in device memory. They are complete, or the blocks of one launch write and
// read them on boards. An entry of a board is the key in the upper half, and the number + 1; 0: none yet. So
// one word is complete by itself, and no block waits for a fence.
struct GroupMinima {
    GroupedSample sample;
    std::uint32_t part;      // elements of a part of the segment, one for each pair of the sample
    std::uint32_t longer;    // parts with one element more
    void* keys;              // [count, groups] of the width
    std::uint32_t* numbers;  // [count, groups] of the pairs in the sample
    std::uint64_t* boards;   // [count, board_words], zero at first; null: keys and numbers
    std::uint32_t board_words;
    std::uint32_t shares;  // blocks that write entries: each as many groups as its threads sample
};
// Without memory. REQUIRES: sample.size() <= n, n / sample.size() < 2^32 - 1.
inline GroupMinima minima_of(const GroupedSample& sample, std::uint64_t n) {
    const std::uint64_t part = n / sample.size();
    return GroupMinima{sample,
                       static_cast<std::uint32_t>(part),
                       static_cast<std::uint32_t>(n - part * sample.size()),
                       nullptr,
                       nullptr,
                       nullptr,
                       sample.board_words(),
                       0};
}
// Writes keys and numbers of dense segments, and all of each state, with a cut behind all pairs. A launch
// after it in the stream may begin early. One launch. REQUIRES: count <= 65535; in.cols >= in.n.
LaunchStatus launch_group_minima(const KeySegments& in, const GroupMinima& minima, SelectState* states,
                                 const SelectionConfig& config);

}  // namespace cuda
}  // namespace tegu
