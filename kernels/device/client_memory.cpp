// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/client_memory.h"

#include <algorithm>
#include <chrono>

namespace tegu::device {
namespace {

using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

constexpr std::size_t kMostRanges = 64;  // of one copy that are remembered

// The parts of [begin, end) that lie in none of `present`.
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
    if (apart.size() >= kMostRanges) apart.clear();  // the others are copied again when they are needed
    apart.emplace_back(begin, end);
    std::sort(apart.begin(), apart.end());
    present = std::move(apart);
}

// Adds the time of its life to what copying took.
class CopyTime {
  public:
    explicit CopyTime(MoveCost& cost) : cost_(cost) {}
    ~CopyTime() {
        cost_.copy_ns += static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count());
    }
    CopyTime(const CopyTime&) = delete;
    CopyTime& operator=(const CopyTime&) = delete;

  private:
    using Clock = std::chrono::steady_clock;
    MoveCost& cost_;
    Clock::time_point start_ = Clock::now();
};

}  // namespace

void ClientMemory::drop_all() {
    while (!known_.empty()) drop(known_.begin()->first);
}

ClientMemory::Known& ClientMemory::know(std::uint64_t id) {
    const auto found = known_.find(id);
    if (found != known_.end()) {
        ages_.splice(ages_.end(), ages_, found->second.age);
        return found->second;
    }
    const auto age = ages_.insert(ages_.end(), id);
    Known& known = known_[id];
    known.age = age;
    return known;
}

void ClientMemory::drop(std::uint64_t id) {
    const auto found = known_.find(id);
    if (found == known_.end()) return;
    unregister(found->second.readable);
    unregister(found->second.writable);
    ages_.erase(found->second.age);
    known_.erase(found);
}

void ClientMemory::allow_registering(std::uint64_t id, bool allowed) {
    if (class_ != MemoryClass::B) return;
    Known& known = know(id);
    known.may_register = allowed;
    unregister(known.readable);
    unregister(known.writable);
}

void ClientMemory::end_job() {
    for (auto& known : known_) known.second.in_use = false;
}

std::byte* ClientMemory::registered(Mapping& mapping, std::byte* data, const ClientBuffer& buffer, bool read_only,
                                    MoveCost& cost) {
    if (data == nullptr) return nullptr;
    if (mapping.data != data) unregister(mapping);
    if (mapping.address == nullptr && mapping.refused.empty()) {
        Result<void*> address = gpu_.register_mapping(data, static_cast<std::size_t>(buffer.bytes), read_only);
        mapping.data = data;
        if (address) {
            mapping.address = static_cast<std::byte*>(*address);
        } else {
            mapping.refused = address.error().message;
        }
    }
    if (mapping.address == nullptr) cost.note = mapping.refused;
    return mapping.address;
}

void ClientMemory::unregister(Mapping& mapping) {
    if (mapping.address != nullptr) gpu_.unregister_mapping(mapping.data);
    mapping = Mapping();
}

Result<std::byte*> ClientMemory::read(const ClientBuffer& buffer, const ClientRange& range, Staging& temporary,
                                      const kernels::StopToken& stop, MoveCost& cost) {
    if (class_ == MemoryClass::C) return buffer.readable + range.begin;
    if (class_ != MemoryClass::B) return read_copy(buffer, range, temporary, stop, cost);
    Known& known = know(buffer.id);
    if (!known.may_register || !buffer.may_register) return read_copy(buffer, range, temporary, stop, cost);
    std::byte* address = registered(known.readable, buffer.readable, buffer, true, cost);
    if (address == nullptr) address = registered(known.writable, buffer.writable, buffer, false, cost);
    if (address == nullptr) return read_copy(buffer, range, temporary, stop, cost);
    cost.note.clear();  // one of the two was enough
    return address + range.begin;
}

Result<std::byte*> ClientMemory::write(const ClientBuffer& buffer, std::uint64_t begin, MoveCost& cost) {
    if (class_ == MemoryClass::C) return buffer.writable + begin;
    if (class_ != MemoryClass::B) return static_cast<std::byte*>(nullptr);
    Known& known = know(buffer.id);
    if (!known.may_register || !buffer.may_register) return static_cast<std::byte*>(nullptr);
    std::byte* address = registered(known.writable, buffer.writable, buffer, false, cost);
    return address == nullptr ? address : address + begin;
}

// Only a promise makes it worth keeping more than what this job needs.
Result<std::byte*> ClientMemory::read_copy(const ClientBuffer& buffer, const ClientRange& range, Staging& temporary,
                                           const kernels::StopToken& stop, MoveCost& cost) {
    const CopyTime time(cost);
    if (buffer.sealed || range.generation != 0) {
        Known& known = know(buffer.id);
        known.in_use = true;
        Result<std::byte*> kept = read_kept(buffer, range, known, stop, cost);
        if (kept || kept.error().status != Status::OutOfMemory) return kept;
    }
    Result<Staging> made = stage(range.end - range.begin);
    if (!made) return std::move(made).error();
    temporary = std::move(made).value();
    Result<void> written = temporary.write(0, buffer.readable + range.begin, range.end - range.begin, stream_, stop);
    if (!written) return std::move(written).error();
    cost.bytes_copied += range.end - range.begin;
    return temporary.give(stream_);
}

Result<std::byte*> ClientMemory::read_kept(const ClientBuffer& buffer, const ClientRange& range, Known& known,
                                           const kernels::StopToken& stop, MoveCost& cost) {
    if (!known.copy) {
        Result<Staging> made = stage(buffer.bytes);
        if (!made) return std::move(made).error();
        known.copy.emplace();
        known.copy->memory = std::move(made).value();
    }
    Copy& copy = *known.copy;
    const bool as_sealed = buffer.sealed && copy.sealed;
    const bool as_promised =
        range.generation != 0 && range.generation <= copy.generation && buffer.writes == copy.writes;
    if (!as_sealed && !as_promised) {
        copy.present.clear();
        copy.sealed = buffer.sealed;
        copy.generation = range.generation;
        copy.writes = buffer.writes;
    }
    for (const auto& gap : missing(copy.present, range.begin, range.end)) {
        Result<void> written =
            copy.memory.write(gap.first, buffer.readable + gap.first, gap.second - gap.first, stream_, stop);
        if (!written) return std::move(written).error();
        add(copy.present, gap.first, gap.second);
        cost.bytes_copied += gap.second - gap.first;
    }
    Result<std::byte*> address = copy.memory.give(stream_);
    if (!address) return address;
    return *address + range.begin;
}

Result<Staging> ClientMemory::stage(std::uint64_t bytes) {
    for (;;) {
        Result<Staging> made = Staging::create(arena_, static_cast<std::size_t>(bytes));
        if (made || made.error().status != Status::OutOfMemory || !give_up_oldest()) return made;
    }
}

bool ClientMemory::give_up_oldest() {
    for (const std::uint64_t id : ages_) {
        Known& known = known_.find(id)->second;
        if (!known.copy || known.in_use) continue;
        known.copy.reset();
        return true;
    }
    return false;
}

}  // namespace tegu::device
