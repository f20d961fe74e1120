// SPDX-License-Identifier: Apache-2.0
#include "kernels/counting/cpu/value_counter.h"

#include <cassert>

namespace tegu::kernels {
namespace {

std::uint32_t values_of(ElementType type) {
    return element_bytes(type) == 1 ? 256 : 65536;
}

}  // namespace

bool ValueCounter::suits(ElementType type, std::uint64_t n) {
    return element_bytes(type) == 1 ? n >= 1024 : element_bytes(type) == 2 && n >= 1u << 18;
}

std::size_t ValueCounter::worker_bytes(ElementType type) {
    return KeyCounts::bytes(values_of(type)) + values_of(type) * sizeof(std::uint64_t);
}

ValueCounter::ValueCounter(ElementType type, std::byte* memory, unsigned workers) : values_(values_of(type)) {
    assert(workers <= kMaxWorkers);
    for (unsigned worker = 0; worker < workers; ++worker) {
        std::byte* const own = memory + worker * worker_bytes(type);
        counts_[worker] = KeyCounts(own, values_);
        totals_[worker] = reinterpret_cast<std::uint64_t*>(own + KeyCounts::bytes(values_));
    }
}

void ValueCounter::begin(const WorkerGroup& group) {
    for (unsigned worker = group.first(); worker < group.first() + group.size(); ++worker)
        counts_[worker].clear();
    std::fill_n(totals_[group.first()], values_, std::uint64_t{0});
}

void ValueCounter::take(const std::byte* data, std::size_t n, unsigned worker, const WorkerGroup& group) {
    KeyCounts& counts = counts_[worker];
    if (!counts.has_capacity(n)) {
        const std::lock_guard<std::mutex> lock(overflow_);
        counts.add_to(totals_[group.first()], values_);
        counts.clear();
    }
    if (values_ == 256)
        counts.count_u8(data, n);
    else
        counts.count_u16(data, n);
}

Span<const std::uint64_t> ValueCounter::finish(const WorkerGroup& group) {
    for (unsigned worker = group.first(); worker < group.first() + group.size(); ++worker)
        counts_[worker].add_to(totals_[group.first()], values_);
    return Span<const std::uint64_t>(totals_[group.first()], values_);
}

}  // namespace tegu::kernels
