// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/bytes_util.h"

namespace tegu::wire {
namespace {

const std::string kLongName(kMaxNameBytes, 'n');

// Every field has another number, from `first` on.
JobInfo info(std::uint64_t first) {
    JobInfo job;
    for (std::uint64_t* const number :
         {&job.id, &job.session, &job.rows, &job.cols, &job.age_ns, &job.predicted_ns, &job.left_ns})
        *number = ++first;
    job.uid = static_cast<std::uint32_t>(++first);
    job.pid = static_cast<std::uint32_t>(++first);
    job.operation = static_cast<std::uint16_t>(++first);
    job.type = 11;
    job.priority = Priority::Low;
    job.state = JobState::Running;
    job.place = JobPlace::Gpu;
    job.gpu = 7;
    job.gpus = 2;
    job.name = kLongName;
    return job;
}

JobListReply one() {
    JobListReply reply;
    reply.next = 9;
    reply.all_users = true;
    reply.jobs = {info(100)};
    return reply;
}

constexpr std::size_t kJob = 16;  // where the first one begins

TEST(JobList, RequestComesBack) {
    EXPECT_EQ(decode_job_list_request(body_of(JobListRequest{UINT64_MAX}))->after, UINT64_MAX);
    expect_error(decode_job_list_request({}), Status::BadRequest, "body");
    expect_error(decode_job_list_request(ByteBuffer(9)), Status::BadRequest, "body");
}

TEST(JobList, LongestReplyFitsABodyAndComesBack) {
    JobListReply reply = one();
    for (std::uint64_t i = 1; i < kMaxJobsListed; ++i) reply.jobs.push_back(info(1000 * i));
    const ByteBuffer body = body_of(reply);
    EXPECT_LE(body.size(), kMaxBodyBytes);
    const Result<JobListReply> again = decode_job_list_reply(body);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->next, 9u);
    EXPECT_TRUE(again->all_users);
    ASSERT_EQ(again->jobs.size(), kMaxJobsListed);
    const JobInfo& last = again->jobs.back();
    EXPECT_EQ(last.id, 511001u);
    EXPECT_EQ(last.session, 511002u);
    EXPECT_EQ(last.rows, 511003u);
    EXPECT_EQ(last.cols, 511004u);
    EXPECT_EQ(last.age_ns, 511005u);
    EXPECT_EQ(last.predicted_ns, 511006u);
    EXPECT_EQ(last.left_ns, 511007u);
    EXPECT_EQ(last.uid, 511008u);
    EXPECT_EQ(last.pid, 511009u);
    EXPECT_EQ(last.operation, 511010u % 65536);
    EXPECT_EQ(last.type, 11);
    EXPECT_EQ(last.priority, Priority::Low);
    EXPECT_EQ(last.state, JobState::Running);
    EXPECT_EQ(last.place, JobPlace::Gpu);
    EXPECT_EQ(last.gpu, 7);
    EXPECT_EQ(last.gpus, 2);
    EXPECT_EQ(last.name, kLongName);
}

TEST(JobList, ReplyChecksItsFields) {
    const ByteBuffer good = body_of(one());
    ASSERT_TRUE(decode_job_list_reply(good).ok());
    expect_error(decode_job_list_reply(with<std::uint16_t>(good, 8, kMaxJobsListed + 1)), Status::TooLarge,
                 "count");
    expect_error(decode_job_list_reply(with<std::uint16_t>(good, 8, 2)), Status::BadRequest, "body");
    expect_error(decode_job_list_reply(with<std::uint16_t>(good, 8, 0)), Status::BadRequest, "body");
    expect_error(decode_job_list_reply(with<std::uint8_t>(good, 10, 2)), Status::BadRange, "all_users");
    expect_error(decode_job_list_reply(with<std::uint8_t>(good, 11, 1)), Status::BadRequest, "reserved");
    expect_error(decode_job_list_reply(with<std::uint8_t>(good, kJob + 67, 3)), Status::BadRange, "priority");
    expect_error(decode_job_list_reply(with<std::uint8_t>(good, kJob + 68, 2)), Status::BadRange, "state");
    expect_error(decode_job_list_reply(with<std::uint8_t>(good, kJob + 69, 3)), Status::BadRange, "place");
    expect_error(decode_job_list_reply(with<std::uint8_t>(good, kJob + 72, 65)), Status::TooLarge, "name");
    expect_error(decode_job_list_reply(with<std::uint8_t>(good, kJob + 73, 1)), Status::BadRequest,
                 "reserved");
    expect_error(decode_job_list_reply(with<std::uint8_t>(good, kJob + 80, 7)), Status::BadRequest, "name");
    expect_error(decode_job_list_reply(with_tail(good, 1)), Status::BadRequest, "body");
}

TEST(JobList, OperationsAndTypesOfANewerDaemonComeThrough) {
    const ByteBuffer newer =
        with<std::uint8_t>(with<std::uint16_t>(body_of(one()), kJob + 64, 4000), kJob + 66, 200);
    const Result<JobListReply> reply = decode_job_list_reply(newer);
    ASSERT_TRUE(reply.ok());
    EXPECT_EQ(reply->jobs[0].operation, 4000);
    EXPECT_EQ(reply->jobs[0].type, 200);
}

TEST(JobCancel, ComesBackAndHasAnId) {
    EXPECT_EQ(decode_job_cancel_request(body_of(JobCancelRequest{UINT64_MAX}))->id, UINT64_MAX);
    expect_error(decode_job_cancel_request(body_of(JobCancelRequest{0})), Status::BadRange, "id");
    expect_error(decode_job_cancel_request(ByteBuffer(7)), Status::BadRequest, "body");
}

}  // namespace
}  // namespace tegu::wire
