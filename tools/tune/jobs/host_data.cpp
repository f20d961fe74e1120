// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/jobs/host_data.h"

#include <algorithm>

namespace tegu::tune {

HostArray HostData::get(ElementType type, Content content, unsigned which, std::uint64_t n) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.type == type && entry.content == content && entry.which == which;
    });
    if (found != entries_.end() && found->n >= n) {
        entries_.splice(entries_.begin(), entries_, found);
        return entries_.front().array;
    }
    if (found != entries_.end()) entries_.erase(found);  // too short
    Entry entry{type, content, which, n, nullptr};
    drop_old(entry.bytes());
    std::shared_ptr<std::byte[]> memory(new std::byte[entry.bytes()]);
    fill(type, content, which, memory.get(), n, pool_);
    entry.array = std::move(memory);
    entries_.push_front(std::move(entry));
    return entries_.front().array;
}

void HostData::drop_old(std::uint64_t more_bytes) {
    std::uint64_t held = more_bytes;
    for (const Entry& entry : entries_) held += entry.bytes();
    for (; held > kept_bytes_ && !entries_.empty(); entries_.pop_back()) held -= entries_.back().bytes();
}

}  // namespace tegu::tune
