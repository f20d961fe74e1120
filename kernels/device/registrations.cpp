// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/registrations.h"

#include <algorithm>
#include <cassert>

namespace tegu::device {
namespace {

// Ranges begin at multiples of this, which is a multiple of every page size. They end at one, or at the end
// of the buffer.
constexpr std::uint64_t kPageGrain = 2 << 20;

Registrations::Range whole_grains(const Registrations::Range& range, std::uint64_t bytes) {
    return {range.begin / kPageGrain * kPageGrain,
            std::min(bytes, (range.end + kPageGrain - 1) / kPageGrain * kPageGrain)};
}

}  // namespace

Registrations::~Registrations() {
    while (!known_.empty()) drop(known_.begin()->first);
}

Registrations::Region* Registrations::covering(Mapping& mapping, const Range& range) const {
    for (Region& region : mapping.regions)
        if (region.begin <= range.begin && range.end <= region.end) return &region;
    return nullptr;
}

std::byte* Registrations::find(std::uint64_t id, Side side, const Range& range) {
    const auto found = known_.find(id);
    if (found == known_.end()) return nullptr;
    Region* const region = covering(found->second.sides[static_cast<int>(side)], range);
    if (region == nullptr) return nullptr;
    jobs_.use(region->last_job);
    return region->address + (range.begin - region->begin);
}

std::byte* Registrations::find_or_add(std::uint64_t id, Side side, std::byte* data, std::uint64_t bytes,
                                      const Range& range, std::string* why) {
    if (data == nullptr) return nullptr;
    if (std::byte* const there = find(id, side, range)) return there;
    if (range.end - range.begin < limits_.least_bytes || range.begin == range.end) return nullptr;
    Mapping& mapping = known_[id].sides[static_cast<int>(side)];
    if (!mapping.refused.empty()) {
        *why = mapping.refused;
        return nullptr;
    }
    // Replaces overlapping ranges with one range, unless they are in use or much larger than the request.
    Range wanted = whole_grains(range, bytes);
    const std::uint64_t own = wanted.end - wanted.begin;
    std::uint64_t overlapped = 0;
    const auto overlaps = [](const Region& region, const Range& other) {
        return region.begin < other.end && other.begin < region.end;
    };
    Range joined = wanted;
    for (const Region& region : mapping.regions) {
        if (!overlaps(region, wanted)) continue;
        if (jobs_.has(region.last_job)) return nullptr;
        overlapped += region.end - region.begin;
        joined = {std::min(joined.begin, region.begin), std::max(joined.end, region.end)};
    }
    if (overlapped > own) return nullptr;
    if (in_use_bytes() + (joined.end - joined.begin) > limits_.bytes) {
        *why = "more than the " + std::to_string(limits_.bytes) + " bytes that may be registered";
        return nullptr;
    }
    for (std::size_t i = mapping.regions.size(); i-- > 0;)
        if (overlaps(mapping.regions[i], wanted)) end(mapping, i);
    while (held_ + (joined.end - joined.begin) > limits_.bytes) end_oldest();
    mapping.regions.reserve(mapping.regions.size() + 1);  // nothing may fail after the registration
    std::byte* const begin = data + joined.begin;
    Result<void*> address = gpu_.register_mapping(begin, static_cast<std::size_t>(joined.end - joined.begin),
                                                  side == Side::Readable);
    if (!address) {
        *why = mapping.refused = address.error().message;
        return nullptr;
    }
    held_ += joined.end - joined.begin;
    mapping.regions.push_back(
        {joined.begin, joined.end, begin, static_cast<std::byte*>(*address), jobs_.number()});
    return mapping.regions.back().address + (range.begin - joined.begin);
}

std::uint64_t Registrations::in_use_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& known : known_)
        for (const Mapping& mapping : known.second.sides)
            for (const Region& region : mapping.regions)
                if (jobs_.has(region.last_job)) bytes += region.end - region.begin;
    return bytes;
}

void Registrations::end_oldest() {
    Mapping* holder = nullptr;
    std::size_t oldest = 0;
    for (auto& known : known_) {
        for (Mapping& mapping : known.second.sides) {
            for (std::size_t i = 0; i < mapping.regions.size(); ++i) {
                const std::uint64_t last_job = mapping.regions[i].last_job;
                if (jobs_.has(last_job) ||
                    (holder != nullptr && last_job >= holder->regions[oldest].last_job))
                    continue;
                holder = &mapping;
                oldest = i;
            }
        }
    }
    assert(holder != nullptr);
    end(*holder, oldest);
}

void Registrations::end(Mapping& mapping, std::size_t index) {
    const Region region = mapping.regions[index];
    gpu_.unregister_mapping(region.data);
    held_ -= region.end - region.begin;
    mapping.regions.erase(mapping.regions.begin() + static_cast<std::ptrdiff_t>(index));
}

void Registrations::drop(std::uint64_t id) {
    const auto found = known_.find(id);
    if (found == known_.end()) return;
    for (Mapping& mapping : found->second.sides)
        while (!mapping.regions.empty()) end(mapping, mapping.regions.size() - 1);
    known_.erase(found);
}

}  // namespace tegu::device
