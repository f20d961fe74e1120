// SPDX-License-Identifier: Apache-2.0
// JOB_LIST and JOB_CANCEL: jobs of all connections, by ids of the daemon. A list that does not fit one reply
// goes on in the next.
#include "wire/bytes.h"
#include "wire/messages.h"
#include "wire/name.h"

namespace tegu::wire {
namespace {

constexpr std::size_t kListBytes = 16;
constexpr std::size_t kJobBytes = 80;  // before the name
static_assert(kListBytes + kMaxJobsListed * (kJobBytes + kMaxNameBytes) <= kMaxBodyBytes,
              "the longest list fits a body");

void write_job(Writer& writer, const JobInfo& job) {
    assert(job.name.size() <= kMaxNameBytes);
    writer.u64(job.id);
    writer.u64(job.session);
    writer.u64(job.rows);
    writer.u64(job.cols);
    writer.u64(job.age_ns);
    writer.u64(job.predicted_ns);
    writer.u64(job.left_ns);
    writer.u32(job.uid);
    writer.u32(job.pid);
    writer.u16(job.operation);
    writer.u8(job.type);
    writer.u8(static_cast<std::uint8_t>(job.priority));
    writer.u8(static_cast<std::uint8_t>(job.state));
    writer.u8(static_cast<std::uint8_t>(job.place));
    writer.u8(job.gpu);
    writer.u8(job.gpus);
    writer.u8(static_cast<std::uint8_t>(job.name.size()));
    writer.reserved(7);
    writer.text(job.name);
}

JobInfo read_job(Reader& reader) {
    JobInfo job;
    job.id = reader.u64();
    job.session = reader.u64();
    job.rows = reader.u64();
    job.cols = reader.u64();
    job.age_ns = reader.u64();
    job.predicted_ns = reader.u64();
    job.left_ns = reader.u64();
    job.uid = reader.u32();
    job.pid = reader.u32();
    job.operation = reader.u16();
    job.type = reader.u8();
    job.priority = reader.enumeration("priority", Priority::Low, "0..2");
    job.state = reader.enumeration("state", JobState::Running, "0..1");
    job.place = reader.enumeration("place", JobPlace::Gpu, "0..2");
    job.gpu = reader.u8();
    job.gpus = reader.u8();
    const std::size_t name_bytes = reader.u8();
    reader.reserved(7);
    job.name = read_name(reader, name_bytes, "name");
    return job;
}

}  // namespace

void encode(const JobListRequest& message, ByteBuffer& out) {
    Writer(out, 8).u64(message.after);
}

Result<JobListRequest> decode_job_list_request(Bytes body) {
    Reader reader(body);
    const JobListRequest message{reader.u64()};
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

void encode(const JobListReply& message, ByteBuffer& out) {
    assert(message.jobs.size() <= kMaxJobsListed);
    std::size_t bytes = kListBytes;
    for (const JobInfo& job : message.jobs) bytes += kJobBytes + job.name.size();
    Writer writer(out, bytes);
    writer.u64(message.next);
    writer.u16(static_cast<std::uint16_t>(message.jobs.size()));
    writer.u8(message.all_users ? 1 : 0);
    writer.reserved(5);
    for (const JobInfo& job : message.jobs) write_job(writer, job);
}

Result<JobListReply> decode_job_list_reply(Bytes body) {
    Reader reader(body);
    JobListReply message;
    message.next = reader.u64();
    const std::size_t count = reader.list_count(kMaxJobsListed, "at most 512", "there are too many jobs");
    message.all_users = reader.boolean("all_users");
    reader.reserved(5);
    reader.list(count, read_job, message.jobs);
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

void encode(const JobCancelRequest& message, ByteBuffer& out) {
    Writer(out, 8).u64(message.id);
}

Result<JobCancelRequest> decode_job_cancel_request(Bytes body) {
    Reader reader(body);
    const JobCancelRequest message{reader.u64()};
    if (message.id == 0) reader.fail(Status::BadRange, "id", "not 0", "no job has the id 0");
    if (auto error = reader.finish()) return *std::move(error);
    return message;
}

}  // namespace tegu::wire
