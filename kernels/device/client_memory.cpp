// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/client_memory.h"

#include <chrono>
#include <new>

namespace tegu::device {
namespace {

using Side = Registrations::Side;

// Adds its lifetime to the copy time.
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
    copies_.drop_all();
    while (!known_.empty()) drop(known_.begin()->first);
}

void ClientMemory::drop(std::uint64_t id) {
    copies_.drop(id);
    registrations_.drop(id);
    known_.erase(id);
}

void ClientMemory::allow_registering(std::uint64_t id, bool allowed) {
    if (class_ != MemoryClass::B) return;
    registrations_.drop(id);
    try {
        known_[id].may_register = allowed;
    } catch (const std::bad_alloc&) {
        // A job that was admitted earlier may register the buffer again. Its pages are then pinned, and the
        // seal is refused.
    }
}

Result<std::byte*> ClientMemory::read(const ClientBuffer& buffer, const ClientRange& range,
                                      Staging& temporary, const kernels::StopToken& stop, MoveCost& cost) {
    if (class_ == MemoryClass::C) return buffer.readable + range.begin;
    if (class_ == MemoryClass::B)
        if (std::byte* const address = registered(buffer, range, cost)) return address;
    return read_copy(buffer, range, temporary, stop, cost);
}

// A reader's pointer to the writable mapping may be stale. So a reader uses that mapping only where a job
// that wrote has registered it.
std::byte* ClientMemory::registered(const ClientBuffer& buffer, const ClientRange& range, MoveCost& cost) {
    if (!known_[buffer.id].may_register || !buffer.may_register) return nullptr;
    const Registrations::Range bytes{range.begin, range.end};
    for (const Side side : {Side::Readable, Side::Writable})
        if (std::byte* const address = registrations_.find(buffer.id, side, bytes)) return address;
    return registrations_.find_or_add(buffer.id, Side::Readable, buffer.readable, buffer.bytes, bytes,
                                      &cost.note);
}

std::byte* ClientMemory::write(const ClientBuffer& buffer, std::uint64_t begin, std::uint64_t end,
                               MoveCost& cost) {
    if (class_ == MemoryClass::C) return buffer.writable + begin;
    if (class_ != MemoryClass::B) return nullptr;
    if (!known_[buffer.id].may_register || !buffer.may_register) return nullptr;
    return registrations_.find_or_add(buffer.id, Side::Writable, buffer.writable, buffer.bytes, {begin, end},
                                      &cost.note);
}

// Only a promise makes it worthwhile to keep more than this job needs.
Result<std::byte*> ClientMemory::read_copy(const ClientBuffer& buffer, const ClientRange& range,
                                           Staging& temporary, const kernels::StopToken& stop,
                                           MoveCost& cost) {
    const CopyTime time(cost);
    if (KeptCopies::promised(buffer, range)) {
        known_[buffer.id];
        Result<std::byte*> kept = copies_.read(buffer, range, stop, cost);
        if (kept || kept.error().status != Status::OutOfMemory) return kept;
    }
    Result<Staging> made = stage(range.end - range.begin);
    if (!made) return std::move(made).error();
    temporary = std::move(made).value();
    Result<void> written =
        temporary.write(0, buffer.readable + range.begin, range.end - range.begin, jobs_.stream(), stop);
    if (!written) return std::move(written).error();
    cost.bytes_copied += range.end - range.begin;
    return temporary.give(jobs_.stream());
}

}  // namespace tegu::device
