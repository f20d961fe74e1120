// SPDX-License-Identifier: Apache-2.0
// The sample of a selection: sorted keys, one from each stretch of the segment, with and without gaps
// between its rows.
#include "kernels/selection/cpu/sample.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "kernels/numerics/sort_key.h"

namespace tegu::kernels::selection {
namespace {

// Elements 0, 1, 2, ... of a segment whose rows are `gap` elements apart. The gaps hold a value that no
// element has.
struct Counting {
    Counting(std::uint64_t rows, std::uint64_t cols, std::uint64_t gap)
        : memory(rows * (cols + gap), 0xffffffffu) {
        for (std::uint64_t i = 0; i < rows * cols; ++i)
            memory[i / cols * (cols + gap) + i % cols] = static_cast<std::uint32_t>(i);
        Job job;
        job.type = ElementType::U32;
        job.rows = rows;
        job.cols = cols;
        InputView view;
        view.data = reinterpret_cast<const std::byte*>(memory.data());
        view.row_stride = cols + gap;
        segment = whole_segment(job, view);
    }
    std::vector<std::uint32_t> memory;
    Segment segment;
};

void expect_one_of_each_stretch(const Counting& data, std::uint64_t count, bool largest) {
    ThreadPool pool(2);
    const StopToken stop;
    const std::uint64_t flip = key::flip_of(largest, false, 4);
    std::vector<std::uint64_t> keys(2 * count);
    const std::uint64_t* sample = take_sample(data.segment, scan_kernels(ElementType::U32), flip, count,
                                              keys.data(), WorkerGroup(&pool, stop));
    ASSERT_NE(sample, nullptr);
    const std::uint64_t width = data.segment.n / count;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t stretch = largest ? count - 1 - i : i;
        const std::uint64_t value = sample[i] ^ flip;
        EXPECT_GE(value, stretch * width) << "key " << i << " of " << count;
        EXPECT_LT(value, (stretch + 1) * width) << "key " << i << " of " << count;
    }
}

TEST(SelectionSample, HasOneElementOfEachStretchInOrder) {
    const Counting dense(1, 100000, 0), gaps(100, 1000, 7);
    for (const std::uint64_t count : {1, 255, 256, 257, 20000, 100000})
        for (const bool largest : {false, true}) {
            expect_one_of_each_stretch(dense, count, largest);
            expect_one_of_each_stretch(gaps, count, largest);
        }
}

TEST(SelectionSample, AStopGivesNoSample) {
    const std::atomic<bool> cancelled{true};
    const StopToken stop(&cancelled, StopToken::Clock::time_point::max());
    const Counting data(1, 100000, 0);
    std::vector<std::uint64_t> keys(2 * 50000);
    EXPECT_EQ(take_sample(data.segment, scan_kernels(ElementType::U32), 0, 50000, keys.data(),
                          WorkerGroup(nullptr, stop)),
              nullptr);
}

}  // namespace
}  // namespace tegu::kernels::selection
