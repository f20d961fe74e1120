// SPDX-License-Identifier: Apache-2.0
// Converts a request to a frame. Every step that can wait or fail precedes the job's entry into the table:
// filling, registering and waiting for buffers. A job in the table can therefore always be sent.
#include "client/client.h"

namespace tegu::clientlib {
namespace {

constexpr std::size_t kGatherBytes = 32 * 1024;
constexpr std::uint64_t kNoHandle = UINT64_MAX;  // refresh() writes the handle

std::string input_field(int index, const char* member) {
    return "inputs[" + std::to_string(index) + "]." + member;
}

std::uint64_t handle_of(const RegionPtr& region) {
    if (region == nullptr) return 0;
    return region->handle != 0 ? region->handle : kNoHandle;
}

TimePoint deadline_of(const tegu_request& request, TimePoint now) {
    const auto longest = static_cast<std::uint64_t>(nanoseconds(TimePoint::max() - now).count());
    return request.deadline_ns == 0 || request.deadline_ns >= longest
               ? TimePoint::max()
               : now + nanoseconds(static_cast<std::int64_t>(request.deadline_ns));
}

// True if the result overwrites an input: the only overlap that a daemon allows.
bool is_in_place(const tegu_request& request, int inputs) {
    if (request.output == nullptr) return false;
    for (int i = 0; i < inputs; ++i) {
        const tegu_operand& operand = request.inputs[i];
        if (operand.buffer != nullptr && operand.buffer->region == request.output->region &&
            operand.offset_bytes == request.output_offset_bytes)
            return true;
    }
    return false;
}

// Bytes of the plain inputs in a message, each at a multiple of 8; UINT64_MAX if no message can hold them.
std::uint64_t message_bytes(const tegu_request& request, const Job& job, int inputs) {
    const std::uint64_t each = input_bytes(job);
    std::uint64_t total = 0;
    for (int i = 0; i < inputs; ++i) {
        if (request.inputs[i].buffer != nullptr) continue;
        if (each > wire::kMaxInlineBytes) return UINT64_MAX;
        total = ((total + 7) & ~std::uint64_t{7}) + each;
    }
    return total;
}

// REQUIRES: both are plain memory.
bool same_memory(const tegu_operand& left, const tegu_operand& right) {
    return left.buffer == nullptr && left.data == right.data && left.row_stride == right.row_stride;
}

// The data of a message up to this operand. Dense memory is used directly, so that it is copied once, into
// the frame; other memory uses `packed`.
Bytes data_of(const tegu_operand& operand, const Packing& packing, const Job& job, int inputs,
              wire::ByteBuffer& packed) {
    const bool dense = operand.row_stride == 0 || operand.row_stride == job.cols || job.rows <= 1;
    if (inputs == 1 && dense) return Bytes(static_cast<const std::byte*>(operand.data), packing.bytes);
    const std::size_t begin = (packed.size() + 7) & ~std::size_t{7};
    packed.resize(begin + packing.bytes);
    pack(job, operand, packing, packed.data() + begin);
    return Bytes(packed);
}

}  // namespace

Result<std::uint64_t> Client::submit(const tegu_request& raw) {
    if (auto checked = check_process(); !checked) return std::move(checked).error();
    Result<tegu_request> request = read_request(raw);
    if (!request) return std::move(request).error();
    Result<Job> job = job_of(*request);
    if (!job) return std::move(job).error();
    if (link_ == LinkState::Ready && (features_ & wire::kFeaturePartials) == 0 && is_partial(*job))
        return field_error(Status::Unsupported, "partial", "0 with this daemon",
                           "the daemon is older than this library and computes no partials");
    const int inputs = find_operation(request->operation)->inputs;
    const TimePoint now = Clock::now(), deadline = deadline_of(*request, now);
    Result<Operands> operands = prepare(*request, *job, inputs, deadline);
    if (!operands) return std::move(operands).error();

    PendingJob* pending = jobs_.add();
    if (pending == nullptr)
        return make_error(Status::OverQuota, "too many jobs are submitted and not fetched");
    pending->priority = static_cast<wire::Priority>(request->priority);
    pending->submitted = now;
    pending->in_place = is_in_place(*request, inputs);
    pending->small = job->rows * job->cols <= wire::kMaxInlineBytes / element_bytes(job->type);
    pending->deadline = deadline;
    earliest_deadline_ = std::min(earliest_deadline_, deadline);
    const std::uint64_t id = pending->id;
    enqueue(*request, std::move(*job), inputs, std::move(*operands), *pending);
    if (queued_bytes_ >= kGatherBytes && link_ == LinkState::Ready) {
        if (window_left() == 0) receive(now);  // replies free capacity
        send_pending();
    }
    return id;
}

void Client::enqueue(const tegu_request& request, Job job, int inputs, Operands operands,
                     PendingJob& pending) {
    wire::JobRequest message;
    message.job = std::move(job);
    message.backend = static_cast<wire::BackendChoice>(request.backend);
    wire::ByteBuffer packed;
    for (int i = 0; i < inputs; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const tegu_operand& operand = request.inputs[i];
        const RegionPtr& region = operands.inputs[at];
        wire::Operand& to = message.inputs[at];
        to.offset_bytes = operand.offset_bytes;  // 0 unless it is a buffer of the caller
        to.row_stride = operand.buffer != nullptr ? operand.row_stride : operands.packings[at].row_stride;
        if (region != nullptr)
            to.generation = (features_ & wire::kFeatureGenerations) != 0 ? region->generation : 0;
        else
            message.data = data_of(operand, operands.packings[at], message.job, inputs, packed);
    }
    pending.inputs = std::move(operands.inputs);
    pending.output = std::move(operands.output);
    for (const RegionPtr& region : pending.inputs)
        if (region != nullptr) ++region->jobs;
    if (pending.output.region != nullptr) {
        Region& output = *pending.output.region;
        ++output.jobs;
        if (output.generation != 0) ++output.generation;  // its content will have changed
        message.output.offset_bytes = pending.output.offset_bytes;
        message.output.capacity_bytes = pending.output.region->memory.bytes() - pending.output.offset_bytes;
    }
    encode_job(pending, message);
    queued_bytes_ += pending.frame.size();
}

Result<Client::Operands> Client::prepare(const tegu_request& request, const Job& job, int inputs,
                                         TimePoint deadline) {
    Operands operands;
    const bool in_message = message_bytes(request, job, inputs) <= max_inline_bytes_;
    for (int i = 0; i < inputs; ++i)
        if (auto placed = place_input(request, job, i, in_message, deadline, operands); !placed)
            return std::move(placed).error();
    if (request.output != nullptr) {
        Result<RegionPtr> region = region_of(request.output, "output");
        if (!region) return std::move(region).error();
        if (request.output_offset_bytes > (*region)->memory.bytes())
            return bad_range("output_offset_bytes", "0.." + std::to_string((*region)->memory.bytes()),
                             "the output begins beyond its buffer");
        operands.output = OutputPlace{std::move(*region), request.output_offset_bytes};
    } else if (const std::uint64_t bytes = result_bytes_bound(job); bytes > max_inline_bytes_) {
        Result<RegionPtr> region = acquire(output_pool_, wire::Access::ReadWrite, bytes, deadline);
        if (!region) return std::move(region).error();
        operands.output = OutputPlace{std::move(*region), 0};
    }
    return operands;
}

Result<void> Client::place_input(const tegu_request& request, const Job& job, int index, bool in_message,
                                 TimePoint deadline, Operands& operands) {
    const tegu_operand& operand = request.inputs[index];
    const auto at = static_cast<std::size_t>(index);
    if (operand.buffer != nullptr) {
        Result<RegionPtr> region = region_of(operand.buffer, input_field(index, "buffer"));
        if (!region) return std::move(region).error();
        if (operand.data != nullptr)
            return field_error(Status::BadRequest, input_field(index, "data"), "NULL",
                               "an input is either memory or a buffer");
        operands.inputs[at] = std::move(*region);
        return {};
    }
    Result<Packing> packing = plan_packing(job, operand, index, !in_message);
    if (!packing) return std::move(packing).error();
    operands.packings[at] = *packing;
    if (operand.offset_bytes != 0)
        return bad_range(input_field(index, "offset_bytes"), "0", "only a buffer has an offset");
    if (packing->bytes == 0) return {};
    if (operand.data == nullptr)
        return field_error(Status::BadRequest, input_field(index, "data"), "memory or a buffer",
                           "there is no input");
    if (in_message) return {};
    if (index > 0 && same_memory(request.inputs[0], operand) && operands.inputs[0] != nullptr) {
        operands.inputs[at] = operands.inputs[0];  // copied already
        return {};
    }
    Result<RegionPtr> region = acquire(input_pool_, wire::Access::Read, packing->bytes, deadline);
    if (!region) return std::move(region).error();
    pack(job, operand, *packing, (*region)->memory.data());
    ++(*region)->generation;
    operands.inputs[at] = std::move(*region);
    return {};
}

Result<RegionPtr> Client::region_of(tegu_buffer* buffer, const std::string& field) {
    const RegionPtr& region = buffer->region;
    if (region->client != this)
        return field_error(Status::BadRequest, field, "a buffer of this client",
                           "the buffer belongs to another client, or to one that is closed");
    if (region->refused) return *region->refused;
    return region;
}

void Client::encode_job(PendingJob& job, wire::JobRequest& request) {
    for (std::size_t i = 0; i < job.inputs.size(); ++i) request.inputs[i].handle = handle_of(job.inputs[i]);
    request.output.handle = handle_of(job.output.region);
    // some handles are not known yet: refresh() will write them
    job.epoch = link_ == LinkState::Restoring ? 0 : epoch_;
    const std::size_t start = wire::begin_frame(job.frame);
    wire::encode(request, job.frame);
    wire::end_frame(wire::FrameHeader{}, start, job.frame);  // send writes the actual header
}

Result<void> Client::refresh(PendingJob& job) {
    bool any = job.output.region != nullptr;
    for (const RegionPtr& region : job.inputs) any = any || region != nullptr;
    if (!any || job.epoch == epoch_) return {};
    for (const RegionPtr& region : job.inputs)
        if (region != nullptr && region->refused) return *region->refused;
    if (job.output.region != nullptr && job.output.region->refused) return *job.output.region->refused;
    wire::ByteBuffer old;
    old.swap(job.frame);
    Result<wire::JobRequest> request = wire::decode_job_request(Bytes(old).subspan(wire::kHeaderBytes));
    if (!request) return std::move(request).error();
    encode_job(job, *request);
    return {};
}

}  // namespace tegu::clientlib
