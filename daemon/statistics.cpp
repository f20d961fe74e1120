// SPDX-License-Identifier: Apache-2.0
#include "daemon/statistics.h"

namespace tegu::daemon {

void OperationCounters::count(Status status, const kernels::JobPlan& plan, std::uint64_t queue, std::uint64_t compute) {
    ++replies[static_cast<std::size_t>(status) % kStatusSlots];
    queue_ns += queue;
    compute_ns += compute;
    if (status != Status::Ok) return;
    predicted_ns += plan.predicted_ns;
    compute_ok_ns += compute;
    bytes_read += plan.bytes_read;
    bytes_written += plan.bytes_written;
}

const char* close_reason_word(CloseReason reason) {
    switch (reason) {
        case CloseReason::PeerClosed: return "peer_closed";
        case CloseReason::BadFraming: return "bad_framing";
        case CloseReason::HelloTimeout: return "hello_timeout";
        case CloseReason::FrameTimeout: return "frame_timeout";
        case CloseReason::WriteStall: return "write_stall";
        case CloseReason::ReplyQueueFull: return "reply_queue_full";
        case CloseReason::Idle: return "idle";
        case CloseReason::Refused: return "refused";
        case CloseReason::Stopping: return "stopping";
        case CloseReason::SocketError: return "socket_error";
    }
    return "?";
}

}  // namespace tegu::daemon
