// SPDX-License-Identifier: Apache-2.0
// The constants of the protocol between tegud and its clients; docs/protocol.md is the specification. All
// integers are little-endian; all fields of the header are naturally aligned. Never renumber.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tegu::wire {

inline constexpr std::uint32_t kMagic = 0x55474554;  // the bytes 'T' 'E' 'G' 'U'
inline constexpr std::uint16_t kVersionMin = 1;
inline constexpr std::uint16_t kVersionMax = 1;

inline constexpr std::size_t kHeaderBytes = 40;
inline constexpr std::size_t kMaxInlineBytes = 64 * 1024;  // data carried in a message
inline constexpr std::size_t kMaxBodyBytes =
    80 * 1024;  // the body of any message: data, parameters and names
inline constexpr std::size_t kMaxHelloBodyBytes = 1024;  // the body of the first message of a connection
inline constexpr std::size_t kTokenBytes = 16;           // of a buffer, 128 random bits
inline constexpr std::size_t kMaxDescriptors = 1;        // a message carries at most one
inline constexpr std::size_t kMaxNameBytes = 64;
inline constexpr std::size_t kMaxPolicyBytes = 256;
inline constexpr std::size_t kMaxErrorTextBytes = 512;   // each of field, allowed, message
inline constexpr std::size_t kMaxFields = 512;           // in an INFO or STATS reply
inline constexpr std::size_t kMaxFieldTextBytes = 1024;  // a text in such a reply
inline constexpr std::size_t kMaxBuffersListed = 1024;
inline constexpr std::size_t kMaxKernelsListed = 128;    // in one reply
inline constexpr std::size_t kMaxKernelTextBytes = 255;  // each of name and moves
inline constexpr std::size_t kMaxJobsListed = 512;       // in one reply
inline constexpr std::size_t kMaxHealthTextBytes = 72 * 1024;
inline constexpr std::size_t kMaxInputs = 2;
inline constexpr std::size_t kMaxArrays = 32;       // in a result
inline constexpr std::size_t kArrayAlignment = 64;  // of each array in an output buffer; 8 in a message

// X(number, Name, WORD, sentence). A reply has the number of its request with kReplyBit set.
#define TEGU_MESSAGE_TYPES(X)                                                                               \
    X(0, Event, EVENT, "from the daemon, request id 0: a framing error, then close; or it is stopping")     \
    X(1, Hello, HELLO, "first message: version range and feature bits")                                     \
    X(2, Ping, PING, "echoes its body")                                                                     \
    X(3, Info, INFO, "what the daemon is: version, backend, limits")                                        \
    X(4, Stats, STATS, "what it has done: counters and times")                                              \
    X(5, BufferRegister, BUFFER_REGISTER, "with one memfd: makes it a buffer, returns a handle")            \
    X(6, BufferCreate, BUFFER_CREATE, "the daemon makes a sealed memfd; handle and descriptor come back")   \
    X(7, BufferFreeze, BUFFER_FREEZE, "seals a buffer against writing")                                     \
    X(8, BufferRelease, BUFFER_RELEASE, "forgets a handle; jobs in flight keep the memory")                 \
    X(9, BufferList, BUFFER_LIST, "the buffers of this user")                                               \
    X(10, Job, JOB, "one operation; the reply carries the result")                                          \
    X(11, Cancel, CANCEL, "cancels a job in flight")                                                        \
    X(12, Kernels, KERNELS, "the kernels of the GPU backend, and what each takes of the device")            \
    X(13, Health, HEALTH, "how the board and the daemon are, and why")                                      \
    X(14, BufferAttach, BUFFER_ATTACH, "takes over a buffer that outlived the daemon; a handle comes back") \
    X(15, JobList, JOB_LIST, "the jobs of this user that wait or run; an administrator sees all")           \
    X(16, JobCancel, JOB_CANCEL, "cancels one of them, of any connection")

enum class MessageType : std::uint16_t {
#define TEGU_X(number, Name, WORD, sentence) Name = number,
    TEGU_MESSAGE_TYPES(TEGU_X)
#undef TEGU_X
};
inline constexpr std::uint16_t kReplyBit = 0x8000;

// Feature bits of HELLO: the client offers a set, the daemon returns the accepted subset.
enum Feature : std::uint64_t {
    kFeatureBuffers = 1u << 0,      // BUFFER_* messages and operands by handle
    kFeatureGenerations = 1u << 1,  // Operand::generation
    kFeatureAttach = 1u << 2,  // tokens in replies to BUFFER_REGISTER and BUFFER_CREATE, and BUFFER_ATTACH
    kFeatureJobControl = 1u << 3,  // JOB_LIST and JOB_CANCEL
    kFeaturePartials = 1u << 4,    // the parameter `partial` of operations
};
inline constexpr std::uint64_t kAllFeatures =
    kFeatureBuffers | kFeatureGenerations | kFeatureAttach | kFeatureJobControl | kFeaturePartials;

enum class Priority : std::uint8_t { High = 0, Normal = 1, Low = 2 };
inline constexpr std::uint8_t kPriorityCount = 3;

enum class Backend : std::uint8_t { None = 0, Cpu = 1, Gpu = 2 };        // in a reply: what ran
enum class BackendChoice : std::uint8_t { Auto = 0, Cpu = 1, Gpu = 2 };  // in a job: the requested backend

// The health of the daemon and its board, and the forms of the reply to HEALTH.
enum class HealthState : std::uint8_t { Ok = 0, Degraded = 1, Failing = 2 };
// one object; for people; for Prometheus
enum class HealthForm : std::uint8_t { Json = 0, Text = 1, Metrics = 2 };

// A job in a list: its state, and where it waits or runs.
enum class JobState : std::uint8_t { Waiting = 0, Running = 1 };
enum class JobPlace : std::uint8_t { Cpu = 0, Express = 1, Gpu = 2 };

// The access of the daemon to a registered buffer.
enum class Access : std::uint8_t { Read = 0, ReadWrite = 1 };

}  // namespace tegu::wire
