// SPDX-License-Identifier: Apache-2.0
#include "kernels/counting/cpu/value_counter.h"

#include <cassert>

namespace tegu::kernels {
namespace {

std::uint32_t values_of(ElementType type) {
    return element_bytes(type) == 1 ? 256 : 65536;
}

// Finite or not; of a float type only f16.
double value_of(ElementType type, std::uint32_t bits) {
    switch (type) {
        case ElementType::U8:
        case ElementType::U16: return bits;
        case ElementType::I8: return static_cast<std::int8_t>(bits);
        case ElementType::I16: return static_cast<std::int16_t>(bits);
        default: return static_cast<double>(half_to_float(Half{static_cast<std::uint16_t>(bits)}));
    }
}

}  // namespace

bool ValueCounter::suits(ElementType type, std::uint64_t n) {
    return element_bytes(type) == 1 ? n >= 1024 : element_bytes(type) == 2 && n >= 1u << 18;
}

std::size_t ValueCounter::worker_bytes(ElementType type) {
    return KeyCounts::bytes(values_of(type)) + values_of(type) * sizeof(std::uint64_t);
}

ValueCounter::ValueCounter(ElementType type, std::byte* memory, unsigned workers)
    : type_(type), values_(values_of(type)) {
    assert(workers <= kMaxCrew);
    for (unsigned worker = 0; worker < workers; ++worker) {
        std::byte* const own = memory + worker * worker_bytes(type);
        counts_[worker] = KeyCounts(own, values_);
        totals_[worker] = reinterpret_cast<std::uint64_t*>(own + KeyCounts::bytes(values_));
    }
}

void ValueCounter::begin(const Crew& crew) {
    for (unsigned worker = crew.first; worker < crew.first + crew.workers; ++worker) counts_[worker].clear();
    std::fill_n(totals_[crew.first], values_, std::uint64_t{0});
}

void ValueCounter::take(const std::byte* data, std::size_t n, unsigned worker, const Crew& crew) {
    KeyCounts& counts = counts_[worker];
    if (!counts.has_room(n)) {
        const std::lock_guard<std::mutex> lock(overflow_);
        counts.add_to(totals_[crew.first], values_);
        counts.clear();
    }
    if (values_ == 256)
        counts.count_u8(data, n);
    else
        counts.count_u16(data, n);
}

Span<const std::uint64_t> ValueCounter::finish(const Crew& crew) {
    for (unsigned worker = crew.first; worker < crew.first + crew.workers; ++worker)
        counts_[worker].add_to(totals_[crew.first], values_);
    return Span<const std::uint64_t>(totals_[crew.first], values_);
}

Extrema extrema_of_values(ElementType type, Span<const std::uint64_t> counts) {
    Extrema found;
    for (std::uint32_t bits = 0; bits < counts.size(); ++bits) {
        if (counts[bits] == 0) continue;
        const double value = value_of(type, bits);
        if (value != value) {
            found.nan = true;
            continue;
        }
        found.lo = found.any ? std::min(found.lo, value) : value;
        found.hi = found.any ? std::max(found.hi, value) : value;
        found.any = true;
    }
    return found;
}

}  // namespace tegu::kernels
