// SPDX-License-Identifier: Apache-2.0
// Messages as structs, and the codec between structs and bytes (docs/protocol.md). Pure functions: decoders
// accept any bytes, name the wrong field, and allocate nothing from an unchecked length. Views (Bytes,
// string_view) in decoded messages point into the decoded bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/job.h"
#include "base/result.h"
#include "base/span.h"
#include "wire/protocol.h"

namespace tegu::wire {

using ByteBuffer = std::vector<std::byte>;

// The fixed header of every message. Fields that a message does not use must be zero.
struct FrameHeader {
    MessageType type = MessageType::Event;  // an unknown number is kept: the reply is Unsupported
    bool reply = false;
    std::uint64_t request_id = 0;  // chosen by the client, not 0, unique among its requests in flight
    std::uint32_t body_bytes = 0;
    std::uint8_t version = kVersionMin;    // 1 in HELLO and its reply, later the negotiated version
    std::uint8_t descriptors = 0;          // file descriptors sent with the header
    Status status = Status::Ok;            // replies and events only
    Priority priority = Priority::Normal;  // jobs only; 0 in every other message
    std::uint64_t deadline_ns = 0;  // jobs: relative to receipt, 0 = none. Replies with Busy: retry after.
};

// Decodes a header. An error means broken framing: close the connection. REQUIRES: bytes.size() >=
// kHeaderBytes. Errors, each with the field: BadRequest (magic, reserved, id 0 in a request), BadVersion,
// TooLarge (body_bytes over `max_body_bytes`), BadDescriptor (count). An unknown status becomes Internal in a
// reply or event.
Result<FrameHeader> decode_header(Bytes bytes, std::size_t max_body_bytes);
// Checks the header of a request for errors that a reply can report. Unsupported: the type. BadRequest: an
// unexpected status, priority or deadline. BadRange: the priority's number. BadDescriptor: too few or too
// many descriptors for the type.
Result<void> check_request(const FrameHeader& header);
// Appends kHeaderBytes to `out`. Fields that the message does not use are written as zero.
void encode_header(const FrameHeader& header, ByteBuffer& out);
// The same in place. REQUIRES: place.size() == kHeaderBytes.
void write_header(const FrameHeader& header, MutableBytes place);

struct HelloRequest {
    std::uint16_t version_min = kVersionMin;
    std::uint16_t version_max = kVersionMax;
    std::uint64_t features = kAllFeatures;
    std::string_view name;  // of the program, for lists and logs; printable, at most kMaxNameBytes
};
struct HelloReply {
    std::uint16_t version = kVersionMax;
    std::uint64_t features = 0;
    std::uint64_t session = 0;  // number of the connection, as in lists and logs
    std::uint32_t max_body_bytes = kMaxBodyBytes;
    std::uint32_t max_inline_bytes = kMaxInlineBytes;
    std::uint32_t max_jobs_in_flight = 0;
    std::uint32_t max_buffers = 0;
    std::uint64_t max_buffer_bytes = 0;
    std::string_view server;  // "tegud 0.1.0"
};

// INFO and STATS replies: named values, so that a newer daemon may send more to an older client.
using FieldValue = std::variant<std::uint64_t, double, std::string>;
struct Field {
    std::string name;  // snake_case with its unit: "uptime_seconds", "jobs_total"
    FieldValue value;  // a text is cut at kMaxFieldTextBytes
};

struct BufferRegisterRequest {
    std::uint64_t bytes = 0;  // size of the buffer, from offset 0 of the descriptor; not 0
    Access access = Access::Read;
};
struct BufferCreateRequest {
    std::uint64_t bytes = 0;
};
// The secret of a buffer, shared by its owner and the daemon. All zero: none.
using BufferToken = std::array<std::byte, kTokenBytes>;
struct BufferReply {           // to register, create and attach; to the last without a token
    std::uint64_t handle = 0;  // of this connection, not 0
    std::uint64_t bytes = 0;
    BufferToken token{};  // in the body only if there is one
};
struct BufferAttachRequest {
    BufferToken token{};  // there is one
};
struct BufferRef {  // freeze and release
    std::uint64_t handle = 0;
};
struct BufferInfo {  // an element of the reply to BufferList
    std::uint64_t handle = 0;
    std::uint64_t session = 0;
    std::uint64_t bytes = 0;
    std::uint64_t jobs_total = 0;
    std::uint64_t generation = 0;  // the newest generation that a job named
    std::uint32_t pid = 0;
    Access access = Access::Read;
    bool frozen = false;
    bool created_by_daemon = false;
};

// One input of a job. handle 0: its dense data is in the message, after the data of earlier inputs. Each
// starts at a multiple of 8 bytes from the start of the data.
struct Operand {
    std::uint64_t handle = 0;
    std::uint64_t offset_bytes = 0;
    std::uint64_t generation = 0;  // 0: the content may have changed since any earlier job
    std::uint64_t row_stride = 0;  // elements; 0 means cols
};
// The destination of the result. handle 0: the reply, if the result has at most kMaxInlineBytes.
struct OutputOperand {
    std::uint64_t handle = 0;
    std::uint64_t offset_bytes = 0;  // a multiple of kArrayAlignment
    std::uint64_t capacity_bytes = 0;
};
struct JobRequest {
    Job job;
    BackendChoice backend = BackendChoice::Auto;
    std::array<Operand, kMaxInputs> inputs;  // the first operation_info.inputs are used
    OutputOperand output;
    Bytes data;  // inline inputs; empty if all are by handle
};

struct Timing {
    std::uint64_t queue_ns = 0;  // receipt to start
    std::uint64_t copy_ns = 0;   // to and from device memory
    std::uint64_t compute_ns = 0;
};
struct ResultArray {
    ArraySpec spec;  // the actual size: cols may be less than planned (distinct values of the whole array)
    std::uint64_t offset_bytes = 0;  // from the start of JobReply::data, or of the output operand
};
struct JobReply {
    Backend backend = Backend::None;
    std::string_view policy;
    Timing timing;
    bool in_output = false;           // the arrays are in the output operand, data is empty
    std::vector<ResultArray> arrays;  // at most kMaxArrays
    Bytes data;
};

struct KernelsRequest {
    std::uint32_t first = 0;  // index of the first kernel wanted: a list may need several replies
};
// One kernel of the GPU backend with its default launch, and its resources on the first device that runs
// jobs.
struct KernelInfo {
    std::string_view name;          // "add_packs<f32, 2>", not empty; each text at most kMaxKernelTextBytes
    std::string_view moves;         // "reads 2 elements, writes 1, for each of n"
    std::uint32_t registers = 0;    // of a thread
    std::uint32_t threads = 0;      // of a block, by the policy
    std::uint32_t max_threads = 0;  // of a block, at most
    std::uint32_t blocks_per_multiprocessor = 0;  // at once; may be zero
    std::uint32_t static_shared_bytes = 0;        // of a block
    std::uint32_t dynamic_shared_bytes = 0;       // of a block, by the policy
    std::uint32_t local_bytes = 0;  // of a thread: spilled registers and arrays that are indexed; 0 is wanted
    std::uint32_t constant_bytes = 0;
    std::uint32_t architecture = 0;  // 87: its machine code was made for sm_87
};
struct KernelsReply {
    std::uint32_t total = 0;                       // kernels that there are
    std::uint32_t threads_per_multiprocessor = 0;  // that the device holds at once; 0: there is none
    std::string_view reason;                       // why there are none; empty if there are
    std::vector<KernelInfo> kernels;               // those from `first` on, at most kMaxKernelsListed
};

struct JobListRequest {
    std::uint64_t after = 0;  // lists jobs with higher ids
};
// A job that waits or runs. Numbers of operations and types are as sent: a newer daemon may have more.
struct JobInfo {
    std::uint64_t id = 0;  // of the daemon, not 0; increasing, for JOB_CANCEL
    std::uint64_t session = 0;
    std::uint64_t rows = 0, cols = 0;
    std::uint64_t age_ns = 0;        // since its receipt
    std::uint64_t predicted_ns = 0;  // of its computation, copies included
    std::uint64_t left_ns = 0;       // the part of it that is left
    std::uint32_t uid = 0;
    std::uint32_t pid = 0;
    std::uint16_t operation = 0;
    std::uint8_t type = 0;
    Priority priority = Priority::Normal;
    JobState state = JobState::Waiting;
    JobPlace place = JobPlace::Cpu;
    std::uint8_t gpu = 0;   // number of the GPU, as CUDA counts; of several, the first
    std::uint8_t gpus = 0;  // number of GPUs that share it; 0: none
    std::string_view name;  // of the client, printable, at most kMaxNameBytes
};
struct JobListReply {
    std::uint64_t next = 0;     // `after` of the next request; 0: the list is complete
    bool all_users = false;     // the client is an administrator
    std::vector<JobInfo> jobs;  // at most kMaxJobsListed, by id
};
struct JobCancelRequest {
    std::uint64_t id = 0;  // as JobInfo has it. The reply is a CancelReply.
};

struct HealthRequest {
    HealthForm form = HealthForm::Json;
};
struct HealthReply {
    HealthState state = HealthState::Ok;
    HealthForm form = HealthForm::Json;  // of `text`, which has at most kMaxHealthTextBytes
    std::string_view text;
};

struct CancelRequest {
    std::uint64_t target_id = 0;
};
struct CancelReply {
    bool was_running = false;  // it is being stopped; else it had not started. Its own reply is Cancelled.
};

// Offsets of consecutive arrays of a result, each at a multiple of `alignment`; returns the total bytes, or
// TooLarge if they do not fit 63 bits.
Result<std::uint64_t> layout_arrays(Span<const ArraySpec> specs, std::uint64_t alignment,
                                    std::vector<std::uint64_t>& offsets);

// Encoders append a body to `out`. REQUIRES: strings and lists within the limits of protocol.h.
void encode(const HelloRequest& message, ByteBuffer& out);
void encode(const HelloReply& message, ByteBuffer& out);
void encode(Span<const Field> fields, ByteBuffer& out);
void encode(const BufferRegisterRequest& message, ByteBuffer& out);
void encode(const BufferCreateRequest& message, ByteBuffer& out);
void encode(const BufferReply& message, ByteBuffer& out);
void encode(const BufferAttachRequest& message, ByteBuffer& out);
void encode(const BufferRef& message, ByteBuffer& out);
void encode(Span<const BufferInfo> buffers, ByteBuffer& out);
void encode(const JobRequest& message, ByteBuffer& out);
void encode(const JobReply& message, ByteBuffer& out);
void encode(const CancelRequest& message, ByteBuffer& out);
void encode(const CancelReply& message, ByteBuffer& out);
void encode(const JobListRequest& message, ByteBuffer& out);
void encode(const JobListReply& message, ByteBuffer& out);
void encode(const JobCancelRequest& message, ByteBuffer& out);
void encode(const KernelsRequest& message, ByteBuffer& out);
void encode(const KernelsReply& message, ByteBuffer& out);
void encode(const HealthRequest& message, ByteBuffer& out);
void encode(const HealthReply& message, ByteBuffer& out);
// The body of a reply with a status other than Ok. Texts are cut at kMaxErrorTextBytes.
void encode(const Error& error, ByteBuffer& out);

// Appends everything of a result up to its data, and `data_bytes` zero bytes; returns the offset in `out`
// where the data begins. The caller writes the data there, which saves a copy on the hot path.
std::size_t encode_job_reply_prefix(const JobReply& message, std::size_t data_bytes, ByteBuffer& out);

// Decoders take a whole body; surplus bytes are an error. Errors: BadRequest, BadRange, Unsupported,
// TooLarge, with the field.
Result<HelloRequest> decode_hello_request(Bytes body);
Result<HelloReply> decode_hello_reply(Bytes body);
Result<std::vector<Field>> decode_fields(Bytes body);
Result<BufferRegisterRequest> decode_buffer_register(Bytes body);
Result<BufferCreateRequest> decode_buffer_create(Bytes body);
Result<BufferReply> decode_buffer_reply(Bytes body);
Result<BufferAttachRequest> decode_buffer_attach(Bytes body);
Result<BufferRef> decode_buffer_ref(Bytes body);
Result<std::vector<BufferInfo>> decode_buffer_list(Bytes body);
// Requests of type Info, Stats and BufferList, and the replies to freeze and release, have no body.
Result<void> decode_empty(Bytes body);
// Checks the shape against the inline data, which must have exactly the length of the inline inputs. The
// daemon and the kernels check handles, k against n, and similar conditions.
Result<JobRequest> decode_job_request(Bytes body);
Result<JobReply> decode_job_reply(Bytes body);
Result<CancelRequest> decode_cancel_request(Bytes body);
Result<CancelReply> decode_cancel_reply(Bytes body);
Result<JobListRequest> decode_job_list_request(Bytes body);
Result<JobListReply> decode_job_list_reply(Bytes body);
Result<JobCancelRequest> decode_job_cancel_request(Bytes body);
Result<KernelsRequest> decode_kernels_request(Bytes body);
Result<KernelsReply> decode_kernels_reply(Bytes body);
Result<HealthRequest> decode_health_request(Bytes body);
Result<HealthReply> decode_health_reply(Bytes body);
// status and retry_after_ns come from the header. A malformed body gives an Error with the status kept and a
// message that names the problem.
Error decode_error(const FrameHeader& header, Bytes body);

}  // namespace tegu::wire
