// SPDX-License-Identifier: Apache-2.0
// Statistics: what the daemon has done since it started, as plain counters of the io thread. report.h gives
// them names.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/job.h"
#include "base/latency_histogram.h"
#include "base/status.h"
#include "kernels/operation.h"

namespace tegu::daemon {

inline constexpr std::size_t kStatusSlots = 0
#define TEGU_X(number, Name, WORD, retry, exit_code, sentence) +1
    TEGU_STATUSES(TEGU_X)
#undef TEGU_X
    ;

// Why the daemon closed a connection: X(Name, word)
#define TEGU_CLOSE_REASONS(X)           \
    X(PeerClosed, peer_closed)          \
    X(BadFraming, bad_framing)          \
    X(HelloTimeout, hello_timeout)      \
    X(FrameTimeout, frame_timeout)      \
    X(WriteStall, write_stall)          \
    X(ReplyQueueFull, reply_queue_full) \
    X(Idle, idle)                       \
    X(Refused, refused)                 \
    X(Stopping, stopping)               \
    X(SocketError, socket_error)        \
    X(OutOfMemory, out_of_memory)

enum class CloseReason : std::uint8_t {
#define TEGU_X(Name, word) Name,
    TEGU_CLOSE_REASONS(TEGU_X)
#undef TEGU_X
};
inline constexpr std::size_t kCloseReasons = 0
#define TEGU_X(Name, word) +1
    TEGU_CLOSE_REASONS(TEGU_X)
#undef TEGU_X
    ;
const char* close_reason_word(CloseReason reason);

// Jobs of one operation that were admitted.
struct OperationCounters {
    std::array<std::uint64_t, kStatusSlots> replies{};  // by status
    std::uint64_t inline_jobs = 0;                      // ran on the io thread
    std::uint64_t queue_ns = 0;
    std::uint64_t compute_ns = 0;
    std::uint64_t bytes_read = 0;  // of those that succeeded
    std::uint64_t bytes_written = 0;
};

// A job that was admitted and is answered, however it ended.
struct EndedJob {
    Operation operation = Operation::Reduce;
    Status status = Status::Ok;
    const kernels::JobPlan& plan;
    std::uint64_t queue_ns = 0;
    std::uint64_t copy_ns = 0;
    std::uint64_t compute_ns = 0;
    std::uint64_t whole_ns = 0;  // from the message that brought it to its reply
    bool started = false;        // it was computed, if only in part
    bool on_gpu = false;
};

// Of the jobs that ended: all waited, those that started were computed, and those on a GPU copied what they
// had to.
struct JobTimes {
    LatencyHistogram queue, copy, compute, whole;
};

struct Statistics {
    std::uint64_t connections_total = 0;
    std::uint64_t requests_total = 0;
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t buffers_total = 0;           // registered or created
    std::uint64_t buffers_attached_total = 0;  // of the daemon before, taken over by their clients
    std::uint64_t results_dropped_total = 0;   // the client was gone
    std::uint64_t reloads_total = 0;
    std::uint64_t gpu_jobs_total = 0;       // that GPUs answered
    std::vector<std::uint64_t> gpu_jobs;    // that each of them did; as long as there are GPUs
    std::uint64_t gpu_divided_total = 0;    // of all these, that several GPUs did together
    std::uint64_t gpu_fallbacks_total = 0;  // that the CPU answered, as the GPU had no memory for them
    // requests answered with an error before they ran, by status
    std::array<std::uint64_t, kStatusSlots> refused{};
    std::array<std::uint64_t, kCloseReasons> closed{};  // connections, by reason
    std::array<OperationCounters, kOperationSlots> operations{};
    JobTimes times;
    std::uint64_t inline_ns = 0;  // that the io thread computed, also what it then gave up

    void count_job(const EndedJob& job);

    void count_refused(Status status) { ++refused[static_cast<std::size_t>(status) % kStatusSlots]; }
    // REQUIRES: gpu < gpu_jobs.size().
    void count_gpu_job(std::size_t gpu) {
        ++gpu_jobs_total;
        ++gpu_jobs[gpu];
    }
    OperationCounters& of(Operation operation) { return operations[static_cast<std::size_t>(operation)]; }
};

}  // namespace tegu::daemon
