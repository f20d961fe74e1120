// SPDX-License-Identifier: Apache-2.0
// The list of jobs and the cancel: in parts, from a daemon that goes in a circle or does not know them, and
// over a connection that is lost.
#include <gtest/gtest.h>

#include <atomic>

#include "tests/client/client_util.h"

namespace tegu::test {
namespace {

// Lists jobs 1 to `total`, `part` in a reply; `next` of a reply is `forward` above the last id.
class JobServer {
  public:
    JobServer(std::uint64_t total, std::uint64_t part, std::int64_t forward = 0)
        : total_(total), part_(part), forward_(forward) {}

    bool answer(Connection& connection, const Request& request) const {
        if (request.header.type == wire::MessageType::JobCancel) {
            const Result<wire::JobCancelRequest> asked = wire::decode_job_cancel_request(request.body);
            if (!asked || asked->id > total_) return connection.fail(request, Status::NotFound);
            return connection.reply(request, wire::CancelReply{asked->id % 2 == 1});
        }
        if (request.header.type != wire::MessageType::JobList) return connection.answer(request);
        const Result<wire::JobListRequest> asked = wire::decode_job_list_request(request.body);
        if (!asked) return connection.fail(request, asked.error().status);
        wire::JobListReply reply;
        reply.all_users = true;
        std::uint64_t id = asked->after;
        while (id < total_ && reply.jobs.size() < part_) {
            wire::JobInfo job;
            job.id = ++id;
            job.rows = 10 * id;
            job.operation = 2;
            job.type = 10;
            job.state = wire::JobState::Running;
            job.place = wire::JobPlace::Gpu;
            job.gpu = 1;
            job.gpus = 2;
            job.name = "program";
            reply.jobs.push_back(job);
        }
        if (id < total_) reply.next = id + static_cast<std::uint64_t>(forward_);
        return connection.reply(request, reply);
    }
    void operator()(Connection& connection) const {
        if (!connection.greet()) return;
        while (std::optional<Request> request = connection.read())
            if (!answer(connection, *request)) return;
    }

  private:
    std::uint64_t total_, part_;
    std::int64_t forward_;
};

TEST(ClientJobs, ListIsPutTogetherFromItsParts) {
    for (const std::uint64_t part : {7u, 100u, 512u}) {
        FakeServer server({JobServer(300, part)});
        tc::Client client = connected(server);
        const tc::Expected<std::vector<tegu_job>> jobs = client.jobs();
        ASSERT_TRUE(jobs.ok()) << jobs.error().message;
        ASSERT_EQ(jobs->size(), 300u);
        for (std::uint64_t i = 0; i < 300; ++i) EXPECT_EQ((*jobs)[i].id, i + 1);
        const tegu_job& last = jobs->back();
        EXPECT_EQ(last.rows, 3000u);
        EXPECT_EQ(last.operation, TEGU_TOPK);
        EXPECT_EQ(last.type, TEGU_F32);
        EXPECT_EQ(last.state, TEGU_JOB_RUNNING);
        EXPECT_EQ(last.place, TEGU_PLACE_GPU);
        EXPECT_EQ(last.gpu, 1);
        EXPECT_EQ(last.gpus, 2);
        EXPECT_STREQ(last.name, "program");
        expect_works(client);
    }
}

TEST(ClientJobs, CountIsTotalWhateverFits) {
    FakeServer server({JobServer(300, 100)});
    tc::Client client = connected(server);
    tegu_job list[2];
    std::size_t count = 0;
    int all_users = -1;
    ASSERT_EQ(tegu_jobs(client.get(), list, 2, &count, &all_users, nullptr), TEGU_OK);
    EXPECT_EQ(count, 300u);
    EXPECT_EQ(list[1].id, 2u);
    EXPECT_EQ(all_users, 1);
    EXPECT_EQ(tegu_jobs(client.get(), nullptr, 0, &count, nullptr, nullptr), TEGU_OK);
}

TEST(ClientJobs, ListThatGoesInACircleEnds) {
    FakeServer server({JobServer(300, 100, -100)});
    tc::Client client = connected(server);
    const tc::Expected<std::vector<tegu_job>> jobs = client.jobs();
    ASSERT_TRUE(jobs.ok()) << jobs.error().message;
    EXPECT_EQ(jobs->size(), 100u);
    expect_works(client);
}

TEST(ClientJobs, CancelSaysWhetherTheJobHadStarted) {
    FakeServer server({JobServer(8, 100)});
    tc::Client client = connected(server);
    EXPECT_EQ(*client.cancel_job(7), true);
    EXPECT_EQ(*client.cancel_job(8), false);
    EXPECT_EQ(client.cancel_job(9).error().status, TEGU_NOT_FOUND);
    EXPECT_EQ(tegu_cancel_job(client.get(), 7, nullptr, nullptr), TEGU_OK);
    expect_works(client);
}

TEST(ClientJobs, OlderDaemonSaysUnsupported) {
    FakeServer server({[](Connection& connection) {
        if (!connection.greet()) return;
        while (std::optional<Request> request = connection.read()) {
            const bool newer = request->header.type == wire::MessageType::JobList ||
                               request->header.type == wire::MessageType::JobCancel;
            if (!(newer ? connection.fail(*request, Status::Unsupported) : connection.answer(*request)))
                return;
        }
    }});
    tc::Client client = connected(server);
    EXPECT_EQ(client.jobs().error().status, TEGU_UNSUPPORTED);
    EXPECT_EQ(client.cancel_job(1).error().status, TEGU_UNSUPPORTED);
    expect_works(client);
}

// On the next daemon the id may be another job. A list is asked for again.
TEST(ClientJobs, LostConnectionRepeatsTheListAndNotTheCancel) {
    std::atomic<int> cancels{0};
    const auto closes = [&](Connection& connection) {
        if (!connection.greet()) return;
        const std::optional<Request> request = connection.read();
        if (request && request->header.type == wire::MessageType::JobCancel) ++cancels;
    };
    const auto answers = [&](Connection& connection) {
        const JobServer jobs(3, 100);
        if (!connection.greet()) return;
        while (std::optional<Request> request = connection.read()) {
            if (request->header.type == wire::MessageType::JobCancel) ++cancels;
            if (!jobs.answer(connection, *request)) return;
        }
    };
    FakeServer server({closes, closes, answers});
    tc::Client client = connected(server);
    EXPECT_EQ(client.cancel_job(1).error().status, TEGU_UNAVAILABLE);
    EXPECT_EQ(client.jobs()->size(), 3u);
    EXPECT_EQ(cancels, 1);
    expect_works(client);
}

}  // namespace
}  // namespace tegu::test
