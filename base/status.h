// SPDX-License-Identifier: Apache-2.0
// The closed list of outcomes of the whole project. Kernel errors, wire replies, C constants, Python
// exceptions and CLI exit codes are the same entries. Numbers are on the wire: append only.
#pragma once

#include <cstdint>
#include <string_view>

// X(number, Name, WORD, may be retried, exit code of sysexits.h, sentence)
#define TEGU_STATUSES(X)                                                                                  \
    X(0, Ok, OK, false, 0, "done")                                                                        \
    X(1, BadRequest, BAD_REQUEST, false, 65, "the message or a parameter is malformed")                   \
    X(2, Unsupported, UNSUPPORTED, false, 65, "the operation, element type or message is not known here") \
    X(3, BadVersion, BAD_VERSION, false, 76, "no protocol version in common")                             \
    X(4, NotFound, NOT_FOUND, false, 65, "no such buffer or request")                                     \
    X(5, BadRange, BAD_RANGE, false, 65, "a parameter lies outside the allowed range")                    \
    X(6, BadDescriptor, BAD_DESCRIPTOR, false, 65,                                                        \
      "a file descriptor is missing, surplus, or cannot be used")                                         \
    X(7, TooLarge, TOO_LARGE, false, 65, "a message, payload or result is larger than allowed")           \
    X(8, OverQuota, OVER_QUOTA, false, 75, "the quota of this user or connection is used up")             \
    X(9, Busy, BUSY, true, 75, "too much work is queued; retry after the given time")                     \
    X(10, DeadlineExceeded, DEADLINE_EXCEEDED, false, 75, "the deadline passed before the job was done")  \
    X(11, Cancelled, CANCELLED, false, 75, "the job was cancelled")                                       \
    X(12, Denied, DENIED, false, 77, "not permitted for this user")                                       \
    X(13, ShuttingDown, SHUTTING_DOWN, true, 75, "the daemon is stopping; retry on its successor")        \
    X(14, DeviceLost, DEVICE_LOST, true, 75, "the device failed; retry after reconnecting")               \
    X(15, OutOfMemory, OUT_OF_MEMORY, true, 71, "memory could not be allocated")                          \
    X(16, Internal, INTERNAL, false, 70, "an error inside tegu")                                          \
    X(17, DuplicateId, DUPLICATE_ID, false, 76, "the request id is already in use by a job in flight")    \
    X(18, Overflow, OVERFLOW, false, 65, "an exact integer result does not fit its type")                 \
    X(19, EmptyInput, EMPTY_INPUT, false, 65, "the result is not defined for an empty input")             \
    X(20, Unavailable, UNAVAILABLE, true, 69, "no daemon answers on the socket")                          \
    X(21, Io, IO, false, 74, "a system call failed")

namespace tegu {

enum class Status : std::uint16_t {
#define TEGU_X(number, Name, WORD, retry, exit_code, sentence) Name = number,
    TEGU_STATUSES(TEGU_X)
#undef TEGU_X
};

struct StatusInfo {
    Status status;
    std::string_view word;  // "BAD_RANGE"
    bool retryable;         // the same request may succeed later
    int exit_code;          // sysexits(3)
    std::string_view sentence;
};

// The entry of a status; that of Internal for an unknown number.
const StatusInfo& status_info(Status status);

bool is_status(std::uint16_t number);

}  // namespace tegu
