// SPDX-License-Identifier: Apache-2.0
#include "client/pool.h"

#include <algorithm>

#include "client/client.h"

namespace tegu::clientlib {
namespace {

constexpr std::uint64_t kSmallestRegion = 256 * 1024;

bool idle(const RegionPtr& region) {
    return region.use_count() == 1;
}

// Only results hold outputs. An input without a job belongs to a job that is being submitted.
bool held_by_result(const RegionPtr& region) {
    return region->jobs == 0 && region->access == wire::Access::ReadWrite;
}

}  // namespace

RegionPtr Pool::find_idle(std::uint64_t bytes) const {
    const RegionPtr* best = nullptr;
    for (const RegionPtr& region : regions_) {
        const std::uint64_t capacity = region->memory.bytes();
        if (!idle(region) || region->refused || capacity < bytes ||
            capacity / 4 > std::max(bytes, kSmallestRegion))
            continue;
        if (best == nullptr || capacity < (*best)->memory.bytes()) best = &region;
    }
    return best == nullptr ? nullptr : *best;
}

bool Pool::make_room(std::size_t limit) {
    while (regions_.size() >= limit) {
        auto victim = std::find_if(regions_.begin(), regions_.end(), idle);
        if (victim == regions_.end()) victim = std::find_if(regions_.begin(), regions_.end(), held_by_result);
        if (victim == regions_.end()) return false;
        if ((*victim)->client != nullptr) (*victim)->client->release(**victim);
        regions_.erase(victim);
    }
    return true;
}

bool Pool::drop_idle() {
    const auto first = std::remove_if(regions_.begin(), regions_.end(), idle);
    const bool dropped = first != regions_.end();
    regions_.erase(first, regions_.end());
    return dropped;
}

bool Pool::in_use() const {
    return std::any_of(regions_.begin(), regions_.end(),
                       [](const RegionPtr& region) { return region->jobs != 0; });
}

std::uint64_t Pool::capacity_for(std::uint64_t bytes) {
    std::uint64_t quarter = kSmallestRegion / 4;
    while (quarter < bytes / 8) quarter *= 2;
    const std::uint64_t steps = (bytes + quarter - 1) / quarter;
    return std::max(steps * quarter, kSmallestRegion);
}

}  // namespace tegu::clientlib
