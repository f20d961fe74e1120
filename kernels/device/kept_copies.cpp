// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/kept_copies.h"

#include <algorithm>

namespace tegu::device {
namespace {

// copies begin and end at multiples of this, so that adjacent jobs share one
constexpr std::uint64_t kCopyGrain = 64 << 10;
constexpr std::uint64_t kLittle =
    256 << 10;                          // copying this much takes less time than freeing other copies for it
constexpr std::size_t kMaxRanges = 64;  // ranges remembered for one copy
constexpr std::size_t kMaxCopies = 64;  // copies of one buffer

using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// The parts of [begin, end) that no range in `present` covers.
Ranges missing(const Ranges& present, std::uint64_t begin, std::uint64_t end) {
    Ranges gaps;
    for (const auto& range : present) {
        if (range.second <= begin) continue;
        if (range.first >= end) break;
        if (range.first > begin) gaps.emplace_back(begin, range.first);
        begin = std::max(begin, range.second);
    }
    if (begin < end) gaps.emplace_back(begin, end);
    return gaps;
}

void add(Ranges& present, std::uint64_t begin, std::uint64_t end) {
    Ranges apart;
    for (const auto& range : present) {
        if (range.second < begin || range.first > end) {
            apart.push_back(range);
        } else {
            begin = std::min(begin, range.first);
            end = std::max(end, range.second);
        }
    }
    if (apart.size() >= kMaxRanges) apart.clear();  // the others are copied again when needed
    apart.emplace_back(begin, end);
    std::sort(apart.begin(), apart.end());
    present = std::move(apart);
}

}  // namespace

Result<std::byte*> KeptCopies::read(const ClientBuffer& buffer, const ClientRange& range,
                                    const kernels::StopToken& stop, MoveCost& cost) {
    Result<Copy*> found = copy_for(buffer, range);
    if (!found) return std::move(found).error();
    Copy& copy = **found;
    const bool as_sealed = buffer.sealed && copy.sealed;
    const bool as_promised =
        range.generation != 0 && range.generation <= copy.generation && buffer.writes == copy.writes;
    const bool is_new = !as_sealed && !as_promised;
    const Stream stream = jobs_.stream();
    const Stream with = copy.memory.stream();
    const bool elsewhere = with != nullptr && with != stream;
    if (is_new || elsewhere) {
        if (copy.last_job != jobs_.number() || (elsewhere && jobs_.has(with)))
            return make_error(Status::OutOfMemory, "another job has the copy, or its stream");
        Result<void> back = copy.memory.take_back();
        if (!back) return std::move(back).error();
    }
    if (is_new) {
        copy.present.clear();
        copy.sealed = buffer.sealed;
        copy.generation = range.generation;
        copy.writes = buffer.writes;
    }
    const Ranges gaps = missing(copy.present, range.begin, range.end);
    for (const auto& gap : gaps) {
        Result<void> written = copy.memory.write(gap.first - copy.begin, buffer.readable + gap.first,
                                                 gap.second - gap.first, stream, stop);
        if (!written) return std::move(written).error();
        cost.bytes_copied += gap.second - gap.first;
    }
    // A job on another stream may read the copy next.
    if (!gaps.empty() && arena_.kind() == Arena::Kind::Device) {
        Result<void> written = arena_.gpu().synchronize(stream);
        if (!written) return std::move(written).error();
    }
    for (const auto& gap : gaps) add(copy.present, gap.first, gap.second);
    Result<std::byte*> address = copy.memory.give(stream);
    if (!address) return address;
    return *address + (range.begin - copy.begin);
}

// Returns a copy that covers the range. Otherwise makes one, which replaces the copies that it covers.
Result<KeptCopies::Copy*> KeptCopies::copy_for(const ClientBuffer& buffer, const ClientRange& range) {
    const auto found = known_.find(buffer.id);
    if (found != known_.end()) {
        for (Copy& copy : found->second) {
            if (copy.begin > range.begin || copy.end < range.end) continue;
            jobs_.use(copy.last_job);
            return &copy;
        }
    }
    Copy made;
    made.begin = range.begin / kCopyGrain * kCopyGrain;
    made.end = std::min(buffer.bytes, (range.end + kCopyGrain - 1) / kCopyGrain * kCopyGrain);
    jobs_.use(made.last_job);
    if (found != known_.end()) {
        Copies& copies = found->second;
        const auto covered = [&](const Copy& copy) {
            return !in_use(copy) && copy.begin >= made.begin && copy.end <= made.end;
        };
        copies.remove_if(covered);
        if (copies.size() >= kMaxCopies)
            if (const auto oldest = oldest_of(copies); !in_use(*oldest)) copies.erase(oldest);
        if (copies.empty()) known_.erase(found);
    }
    const bool may_give_up = range.end - range.begin > kLittle;
    const auto bytes = static_cast<std::size_t>(made.end - made.begin);
    const std::size_t block = Arena::block_bytes(bytes);
    if (may_give_up && held_bytes() - unused_bytes() + block <= limit_)
        while (held_bytes() + block > limit_) (void)give_up_oldest();
    if (held_bytes() + block > limit_)
        return make_error(Status::OutOfMemory, "there is no room for a copy that is kept");
    Result<Staging> memory = stage(bytes, may_give_up);
    if (!memory) return std::move(memory).error();
    made.memory = std::move(memory).value();
    Copies& copies = known_[buffer.id];
    copies.push_back(std::move(made));  // if this fails for lack of memory, the list may stay empty
    return &copies.back();
}

Result<Staging> KeptCopies::stage(std::size_t bytes, bool may_give_up) {
    const std::size_t rounded = Arena::block_bytes(bytes);
    const std::size_t block = rounded > arena_.limit_bytes() ? bytes : rounded;
    for (;;) {
        Result<Staging> made = Staging::create(arena_, bytes);
        if (made || made.error().status != Status::OutOfMemory || !may_give_up) return made;
        // Frees nothing if the request does not fit even after freeing all unused copies.
        if (arena_.used_bytes() - unused_bytes() + block > arena_.limit_bytes() || !give_up_oldest())
            return made;
    }
}

std::size_t KeptCopies::held_bytes() const {
    std::size_t bytes = 0;
    for (const auto& buffer : known_)
        for (const Copy& copy : buffer.second) bytes += copy.memory.bytes();
    return bytes;
}

std::size_t KeptCopies::unused_bytes() const {
    std::size_t bytes = 0;
    for (const auto& buffer : known_)
        for (const Copy& copy : buffer.second)
            if (!in_use(copy)) bytes += copy.memory.bytes();
    return bytes;
}

KeptCopies::Copies::iterator KeptCopies::oldest_of(Copies& copies) const {
    return std::min_element(copies.begin(), copies.end(), [this](const Copy& a, const Copy& b) {
        return in_use(a) == in_use(b) ? a.last_job < b.last_job : in_use(b);
    });
}

bool KeptCopies::give_up_oldest() {
    auto holder = known_.end();
    Copies::iterator oldest;
    for (auto each = known_.begin(); each != known_.end(); ++each) {
        if (each->second.empty()) continue;
        const auto candidate = oldest_of(each->second);
        if (in_use(*candidate)) continue;
        if (holder != known_.end() && candidate->last_job >= oldest->last_job) continue;
        holder = each;
        oldest = candidate;
    }
    if (holder == known_.end()) return false;
    holder->second.erase(oldest);
    if (holder->second.empty()) known_.erase(holder);
    return true;
}

void KeptCopies::give_up_unused() {
    while (give_up_oldest()) continue;
}

}  // namespace tegu::device
