// SPDX-License-Identifier: Apache-2.0
// JobTable: the jobs that the caller has not fetched yet. Slots are reused with their memory, so a steady
// stream of jobs allocates nothing. Lists are links inside the slots, so a state change takes constant time.
#pragma once

#include <array>
#include <deque>
#include <memory>

#include "client/backoff.h"
#include "client/result.h"

namespace tegu::clientlib {

enum class JobState : std::uint8_t {
    Free,
    Queued,   // to be sent, in the order of submission
    Sent,     // on the wire, in the order of sending
    Waiting,  // Busy reply: send again at retry_at
    Done,     // has its result or its error
};
inline constexpr std::size_t kJobStates = 5;

struct PendingJob {
    std::uint64_t id = 0;
    std::uint32_t slot = 0;
    JobState state = JobState::Free;
    PendingJob* previous = nullptr;
    PendingJob* next = nullptr;

    wire::ByteBuffer frame;  // kept until the reply, for the replay
    wire::Priority priority = wire::Priority::Normal;
    std::array<RegionPtr, wire::kMaxInputs> inputs;
    OutputPlace output;
    bool small = false;             // a reply is likely to come soon
    bool cancelled = false;         // do not send again
    bool in_place = false;          // its output may be its input: do not send again once it may have begun
    unsigned connections_lost = 0;  // while on the wire
    std::uint64_t epoch = 0;        // number of the connection of the frame's handles
    TimePoint submitted;
    TimePoint deadline = TimePoint::max();
    TimePoint retry_at;
    TimePoint busy_until = TimePoint::max();       // no retry after it; max: no Busy reply yet
    TimePoint elsewhere_until = TimePoint::max();  // the same for replies of stopping daemons

    std::unique_ptr<tegu_result> result;  // if done without an error
    Error error;                          // if done with an error
};

class JobTable {
  public:
    // Adds a job with a new id at the end of Queued. Null if all ids are in use.
    PendingJob* add();
    // The job of an id that the caller has not fetched; null if there is none.
    PendingJob* find(std::uint64_t id);
    // Frees the slot for another job.
    void remove(PendingJob& job);
    // An id for a message other than a job; no job has it.
    std::uint64_t other_id() { return ++serial_ << kSlotBits | kMaxSlots; }

    // Moves the job to the end of another list.
    void move(PendingJob& job, JobState state);
    // Moves the job into another list, before the first job with a greater id: in the order of submission.
    void move_by_id(PendingJob& job, JobState state);

    PendingJob* front(JobState state) { return list(state).head; }
    const PendingJob* front(JobState state) const { return lists_[static_cast<std::size_t>(state)].head; }
    std::size_t count(JobState state) const { return lists_[static_cast<std::size_t>(state)].count; }
    // The number of jobs without a reply, and of jobs that the caller has not fetched.
    std::size_t unanswered() const { return slots_.size() - count(JobState::Free) - count(JobState::Done); }
    std::size_t size() const { return slots_.size() - count(JobState::Free); }

  private:
    static constexpr unsigned kSlotBits = 20;
    static constexpr std::uint32_t kMaxSlots = (1u << kSlotBits) - 1;

    struct List {
        PendingJob* head = nullptr;
        PendingJob* tail = nullptr;
        std::size_t count = 0;
    };
    List& list(JobState state) { return lists_[static_cast<std::size_t>(state)]; }
    void unlink(PendingJob& job);
    void link_before(PendingJob& job, PendingJob* successor, JobState state);

    std::deque<PendingJob> slots_;
    std::array<List, kJobStates> lists_;
    std::uint64_t serial_ = 0;
};

}  // namespace tegu::clientlib
