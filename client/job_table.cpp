// SPDX-License-Identifier: Apache-2.0
#include "client/job_table.h"

namespace tegu::clientlib {
namespace {

// Beyond this number of jobs in flight, slots free the memory of large frames.
constexpr std::uint32_t kSlotsThatKeepMemory = 64;
constexpr std::size_t kSmallFrameBytes = 4096;

}  // namespace

PendingJob* JobTable::add() {
    PendingJob* job = front(JobState::Free);
    if (job != nullptr) {
        move(*job, JobState::Queued);
    } else if (slots_.size() < kMaxSlots) {
        job = &slots_.emplace_back();
        job->slot = static_cast<std::uint32_t>(slots_.size() - 1);
        link_before(*job, nullptr, JobState::Queued);
    } else {
        return nullptr;
    }
    job->id = ++serial_ << kSlotBits | job->slot;
    return job;
}

PendingJob* JobTable::find(std::uint64_t id) {
    const std::uint64_t slot = id & kMaxSlots;
    if (slot >= slots_.size()) return nullptr;
    PendingJob& job = slots_[slot];
    return job.id == id && job.state != JobState::Free ? &job : nullptr;
}

void JobTable::remove(PendingJob& job) {
    job.frame.clear();
    if (job.slot >= kSlotsThatKeepMemory && job.frame.capacity() > kSmallFrameBytes)
        wire::ByteBuffer().swap(job.frame);
    for (RegionPtr& input : job.inputs) input.reset();
    job.output = OutputPlace();
    job.cancelled = false;
    job.connections_lost = 0;
    job.deadline = job.busy_until = job.elsewhere_until = TimePoint::max();
    job.result.reset();
    job.error = Error();
    unlink(job);
    link_before(job, front(JobState::Free), JobState::Free);  // first: its memory is warm
}

void JobTable::move(PendingJob& job, JobState state) {
    unlink(job);
    link_before(job, nullptr, state);
}

void JobTable::move_by_id(PendingJob& job, JobState state) {
    unlink(job);
    PendingJob* successor = front(state);
    while (successor != nullptr && successor->id < job.id) successor = successor->next;
    link_before(job, successor, state);
}

void JobTable::unlink(PendingJob& job) {
    List& from = list(job.state);
    (job.previous != nullptr ? job.previous->next : from.head) = job.next;
    (job.next != nullptr ? job.next->previous : from.tail) = job.previous;
    job.previous = job.next = nullptr;
    --from.count;
}

void JobTable::link_before(PendingJob& job, PendingJob* successor, JobState state) {
    List& to = list(state);
    job.state = state;
    job.next = successor;
    job.previous = successor != nullptr ? successor->previous : to.tail;
    (job.previous != nullptr ? job.previous->next : to.head) = &job;
    (job.next != nullptr ? job.next->previous : to.tail) = &job;
    ++to.count;
}

}  // namespace tegu::clientlib
