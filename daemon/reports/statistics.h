// SPDX-License-Identifier: Apache-2.0
// Statistics: counters since the start, on the io thread. report.h names them.
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

// Counters of the admitted jobs of one operation.
struct OperationCounters {
    std::array<std::uint64_t, kStatusSlots> replies{};  // by status
    std::uint64_t inline_jobs = 0;                      // ran on the io thread
    std::uint64_t queue_ns = 0;
    std::uint64_t compute_ns = 0;
    std::uint64_t bytes_read = 0;  // of those that succeeded
    std::uint64_t bytes_written = 0;
};

// An admitted job with a reply of any status.
struct EndedJob {
    Operation operation = Operation::Reduce;
    Status status = Status::Ok;
    const kernels::JobPlan& plan;
    std::uint64_t queue_ns = 0;
    std::uint64_t copy_ns = 0;
    std::uint64_t compute_ns = 0;
    std::uint64_t whole_ns = 0;  // from its message to its reply
    bool started = false;        // it was computed, at least in part
    bool on_gpu = false;
};

// Times of finished jobs: queue and whole of all, compute of started jobs, copy of jobs on a GPU.
struct JobTimes {
    LatencyHistogram queue, copy, compute, whole;
};

struct Statistics {
    std::uint64_t connections_total = 0;
    std::uint64_t requests_total = 0;
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t buffers_total = 0;           // registered or created
    std::uint64_t buffers_attached_total = 0;  // of the previous daemon, attached by their clients
    std::uint64_t results_dropped_total = 0;   // the client was gone
    std::uint64_t reloads_total = 0;
    std::uint64_t gpu_jobs_total = 0;       // computed by GPUs
    std::vector<std::uint64_t> gpu_jobs;    // of each GPU; one element for each GPU
    std::uint64_t gpu_divided_total = 0;    // of these, divided over several GPUs
    std::uint64_t gpu_fallbacks_total = 0;  // computed by the CPU for lack of GPU memory
    // requests answered with an error before they ran, by status
    std::array<std::uint64_t, kStatusSlots> refused{};
    std::array<std::uint64_t, kCloseReasons> closed{};  // connections, by reason
    std::array<OperationCounters, kOperationSlots> operations{};
    JobTimes times;
    std::uint64_t inline_ns = 0;  // computing time of the io thread, aborted jobs included

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
