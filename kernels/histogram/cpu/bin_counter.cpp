// SPDX-License-Identifier: Apache-2.0
#include "kernels/histogram/cpu/bin_counter.h"

#include <cassert>

#include "kernels/counting/cpu/value_counter.h"

namespace tegu::kernels {
namespace {

constexpr std::size_t kBlock = 2048;  // keys that stay in L1 between the two loops

}  // namespace

std::size_t BinCounter::worker_bytes(ElementType type, std::uint32_t bins) {
    return KeyCounts::bytes(bins + 1) + round_up(lower_edge_bytes(type, bins), 64);
}

BinCounter::BinCounter(ElementType type, std::uint32_t bins, std::byte* memory, unsigned workers)
    : type_(type), bins_(bins), keys_(bin_keys(type)) {
    assert(workers <= kMaxWorkers);
    for (unsigned worker = 0; worker < workers; ++worker) {
        std::byte* const own = memory + worker * worker_bytes(type, bins);
        lanes_[worker].counts = KeyCounts(own, bins + 1);
        lanes_[worker].lower = reinterpret_cast<std::uint64_t*>(own + KeyCounts::bytes(bins + 1));
    }
}

void BinCounter::begin(const WorkerGroup& group, const BinRange& range, const HistogramRow& row) {
    std::fill_n(row.counts, bins_, std::uint64_t{0});
    const BinScale scale = make_bin_scale(type_, range, bins_, row.edges, lanes_[group.first()].lower);
    for (unsigned worker = group.first(); worker < group.first() + group.size(); ++worker) {
        lanes_[worker].scale = scale;
        lanes_[worker].totals = row.counts;
        lanes_[worker].counts.clear();
    }
}

void BinCounter::take(const std::byte* data, std::size_t n, unsigned worker) {
    Lane& lane = lanes_[worker];
    if (!lane.counts.has_capacity(n)) {
        const std::lock_guard<std::mutex> lock(overflow_);
        lane.counts.add_to(lane.totals, bins_);
        lane.counts.clear();
    }
    alignas(64) std::uint32_t keys[kBlock];
    const std::size_t width = element_bytes(type_);
    for (std::size_t begin = 0; begin < n; begin += kBlock) {
        const std::size_t count = std::min(kBlock, n - begin);
        keys_(data + begin * width, count, lane.scale, keys);
        lane.counts.count_u32(keys, count);
    }
}

void BinCounter::finish(const WorkerGroup& group) {
    for (unsigned worker = group.first(); worker < group.first() + group.size(); ++worker)
        lanes_[worker].counts.add_to(lanes_[worker].totals, bins_);
}

void bin_values(ElementType type, std::uint32_t bins, const BinRange& range,
                Span<const std::uint64_t> value_counts, const HistogramRow& row) {
    const BinScale scale = make_bin_scale(type, range, bins, row.edges, nullptr);
    std::fill_n(row.counts, bins, std::uint64_t{0});
    for_all_values(type, [&](const std::byte* values, std::uint32_t begin, std::uint32_t n) {
        std::uint32_t keys[kValueBlock];
        bin_keys(type)(values, n, scale, keys);
        for (std::uint32_t i = 0; i < n; ++i)
            if (keys[i] < bins) row.counts[keys[i]] += value_counts[begin + i];
    });
}

}  // namespace tegu::kernels
