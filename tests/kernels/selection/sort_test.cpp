// SPDX-License-Identifier: Apache-2.0
// The sort of selection against std::stable_sort: every way through it, by the number of entries, the bits
// in which keys differ, and the number of threads.
#include "kernels/selection/cpu/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <vector>

namespace tegu::kernels::selection {
namespace {

// The keys of `count` entries.
struct Kind {
    const char* name;
    std::uint32_t (*make)(std::uint64_t at, std::mt19937& random);
};

const Kind kKinds[] = {
    {"any bits", [](std::uint64_t, std::mt19937& random) { return static_cast<std::uint32_t>(random()); }},
    {"few low bits",
     [](std::uint64_t, std::mt19937& random) {
         return 0xab000000u | static_cast<std::uint32_t>(random() % 5);
     }},
    {"one bucket with most",
     [](std::uint64_t at, std::mt19937& random) {
         return at % 16 == 0 ? static_cast<std::uint32_t>(random())
                             : static_cast<std::uint32_t>(random() & 0xffffu);
     }},
    {"all equal", [](std::uint64_t, std::mt19937&) { return 77u; }},
    {"descending", [](std::uint64_t at, std::mt19937&) { return ~static_cast<std::uint32_t>(at); }},
};

// 48 and 16384 entries are the last of their ways; 1536 changes the digits.
constexpr std::uint64_t kCounts[] = {1, 2, 48, 49, 1535, 1536, 16384, 16385, 100003};

template <class Entry>
void expect_sorted(unsigned shift, unsigned threads) {
    ThreadPool pool(threads);
    const StopToken stop;
    const WorkerGroup workers(&pool, stop);
    std::mt19937 random(20265);
    for (const Kind& kind : kKinds)
        for (const std::uint64_t count : kCounts) {
            std::vector<Entry> data(count), spare(count);
            for (std::uint64_t i = 0; i < count; ++i)
                data[i] = (static_cast<Entry>(kind.make(i, random)) << shift) | (shift == 0 ? 0 : i);
            std::vector<Entry> wanted = data;
            std::stable_sort(wanted.begin(), wanted.end(),
                             [shift](Entry a, Entry b) { return a >> shift < b >> shift; });
            const Entry* sorted = sort_by_key(data.data(), spare.data(), count, shift, workers);
            ASSERT_TRUE(sorted == data.data() || sorted == spare.data());
            EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), sorted))
                << kind.name << ", " << count << " entries, " << threads << " threads";
        }
}

TEST(SelectionSort, BareKeys) {
    for (const unsigned threads : {1u, 3u}) expect_sorted<std::uint32_t>(0, threads);
}

TEST(SelectionSort, EntriesKeepTheirOrderBehindEqualKeys) {
    for (const unsigned threads : {1u, 3u}) expect_sorted<Entry64>(32, threads);
}

TEST(SelectionSort, WideEntries) {
    for (const unsigned threads : {1u, 3u}) expect_sorted<Entry128>(64, threads);
}

TEST(SelectionSort, AStopGivesNoResult) {
    const std::atomic<bool> cancelled{true};
    const StopToken stop(&cancelled, StopToken::Clock::time_point::max());
    ThreadPool pool(2);
    std::vector<Entry64> data(200000), spare(data.size());
    for (std::uint64_t i = 0; i < data.size(); ++i) data[i] = (~i << 32) | i;
    EXPECT_EQ(sort_by_key(data.data(), spare.data(), data.size(), 32, WorkerGroup(&pool, stop)), nullptr);
}

}  // namespace
}  // namespace tegu::kernels::selection
