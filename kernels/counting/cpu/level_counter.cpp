// SPDX-License-Identifier: Apache-2.0
#include "kernels/counting/cpu/level_counter.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "kernels/numerics/exact.h"
#include "kernels/numerics/fixed_log2.h"

namespace tegu::kernels {
namespace {

constexpr std::size_t kBlock = 4096;  // levels that stay in L1 between the two loops
constexpr std::uint32_t kByteLevels = 256;

// count_u8 accepts any byte as a key, so it always has 256 counters.
std::uint32_t keys_of(std::uint32_t levels) {
    return std::max(levels, kByteLevels);
}

}  // namespace

std::size_t LevelCounter::worker_bytes(std::uint32_t levels) {
    return KeyCounts::bytes(keys_of(levels)) + round_up(keys_of(levels) * sizeof(std::uint64_t), 64);
}

LevelCounter::LevelCounter(ElementType type, std::uint32_t levels, std::byte* memory, unsigned workers)
    : type_(type), levels_(levels) {
    assert(workers <= kMaxWorkers);
    for (unsigned worker = 0; worker < workers; ++worker) {
        std::byte* const own = memory + worker * worker_bytes(levels);
        lanes_[worker].counts = KeyCounts(own, keys_of(levels));
        lanes_[worker].totals = reinterpret_cast<std::uint64_t*>(own + KeyCounts::bytes(keys_of(levels)));
    }
}

void LevelCounter::begin(const WorkerGroup& group, const LevelScale& scale) {
    assert(scale.levels == levels_);
    for (unsigned worker = group.first(); worker < group.first() + group.size(); ++worker) {
        lanes_[worker].scale = scale;
        lanes_[worker].nans = 0;
        lanes_[worker].counts.clear();
    }
    std::fill_n(lanes_[group.first()].totals, levels_, std::uint64_t{0});
}

std::size_t LevelCounter::quantise_and_count(const std::byte* data, std::size_t n, Lane* lane) const {
    if (levels_ <= kByteLevels) {
        alignas(64) std::uint8_t levels[kBlock];
        const std::size_t nans = quantise_u8(type_)(data, n, lane->scale, levels);
        lane->counts.count_u8(reinterpret_cast<const std::byte*>(levels), n);
        return nans;
    }
    alignas(64) std::uint16_t levels[kBlock];
    const std::size_t nans = quantise_u16(type_)(data, n, lane->scale, levels);
    lane->counts.count_u16(reinterpret_cast<const std::byte*>(levels), n);
    return nans;
}

void LevelCounter::take(const std::byte* data, std::size_t n, unsigned worker, const WorkerGroup& group) {
    Lane& lane = lanes_[worker];
    if (!lane.counts.has_capacity(n)) {
        const std::lock_guard<std::mutex> lock(overflow_);
        lane.counts.add_to(lanes_[group.first()].totals, levels_);
        lane.counts.clear();
    }
    const std::size_t width = element_bytes(type_);
    for (std::size_t begin = 0; begin < n; begin += kBlock)
        lane.nans += quantise_and_count(data + begin * width, std::min(kBlock, n - begin), &lane);
}

LevelCounter::Counts LevelCounter::finish(const WorkerGroup& group) {
    std::uint64_t nans = 0;
    for (unsigned worker = group.first(); worker < group.first() + group.size(); ++worker) {
        lanes_[worker].counts.add_to(lanes_[group.first()].totals, levels_);
        nans += lanes_[worker].nans;
    }
    return Counts{Span<std::uint64_t>(lanes_[group.first()].totals, levels_), nans};
}

double entropy_of(Span<const std::uint64_t> counts, LogBase base) {
    std::uint64_t n = 0;
    Uint128 sum = 0;
    for (const std::uint64_t count : counts) {
        n += count;
        if (count > 1) sum += fixed_log2(count) * count;
    }
    if (n == 0) return std::numeric_limits<double>::quiet_NaN();
    const Uint128 whole = fixed_log2(n) * n;
    const Uint128 difference =
        whole > sum ? whole - sum : 0;  // counts that change under a job may not add up
    const int bits = static_cast<int>(kLog2FractionBits);
    if (base == LogBase::Two) return std::ldexp(divide_rounded(Uint256::from(difference), n), -bits);
    return std::ldexp(divide_rounded(multiply(Uint256::from(difference), kLn2Fixed), n), -bits - 64);
}

}  // namespace tegu::kernels
