// SPDX-License-Identifier: Apache-2.0
// Jobs in flight: out of order, more than the daemon takes, with signals, and on servers that die, stop or
// are lost under them.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "tests/client/client_util.h"

namespace tegu::test {
namespace {

TEST(ClientJobs, RepliesInReverseOrder) {
    constexpr int kJobs = 50;
    FakeServer server({[](Connection& connection) {
        connection.greet();
        std::vector<std::vector<std::byte>> replies;
        while (std::optional<Request> request = connection.read()) {
            replies.push_back(connection.computed(*request));
            if (replies.size() != kJobs) continue;
            for (auto reply = replies.rbegin(); reply != replies.rend(); ++reply) connection.send(*reply);
            replies.clear();
        }
    }});
    tc::Client client = connected(server);
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < kJobs; ++i) ids.push_back(*client.submit(OneValue(i).request));
    for (int i = 0; i < kJobs; ++i) EXPECT_EQ(client.wait(ids[static_cast<std::size_t>(i)])->number(kSum), i);
    std::vector<std::uint64_t> again, done;
    for (int i = 0; i < kJobs; ++i) again.push_back(*client.submit(OneValue(i).request));
    for (int i = 0; i < kJobs; ++i) done.push_back(client.wait_any().id);
    EXPECT_TRUE(std::is_permutation(again.begin(), again.end(), done.begin()));
    const tc::Done none = client.wait_any();
    EXPECT_EQ(none.id, 0u);
    EXPECT_EQ(none.result.error().status, TEGU_NOT_FOUND);
}

// Fetches what has ended, as an event loop does: polls only as the state says. Returns the number of results.
int run_event_loop(tegu_client* client, int jobs, std::vector<std::uint64_t>& connections) {
    int results = 0;
    while (jobs > 0) {
        tegu_poll_state state;
        tegu_get_poll_state(client, &state);
        if (connections.empty() || connections.back() != state.connection)
            connections.push_back(state.connection);
        pollfd entry{state.fd, static_cast<short>(state.events), 0};
        if (poll(&entry, 1, state.timeout_ms) == 0 && state.timeout_ms < 0) return -1;
        tegu_result* result = nullptr;
        std::uint64_t id = 0;
        for (;;) {
            tegu_wait(client, 0, 0, &result, &id, nullptr);
            if (id == 0) break;
            --jobs;
            if (result != nullptr) ++results;
            tegu_result_free(result);
        }
    }
    return results;
}

tegu_client* plain_client(const FakeServer& server) {
    tegu_options options;
    tegu_options_init(&options, sizeof options);
    const std::string path = server.path();
    options.socket_path = path.c_str();
    tegu_client* client = nullptr;
    EXPECT_EQ(tegu_connect(&options, &client, nullptr), TEGU_OK);
    return client;
}

tegu_request sum_of(const float* x, std::uint64_t cols) {
    tegu_request request;
    tegu_request_init(&request, sizeof request, TEGU_REDUCE);
    request.type = TEGU_F32;
    request.cols = cols;
    request.inputs[0].data = x;
    request.params.reduce.statistics = TEGU_STAT_SUM;
    return request;
}

TEST(ClientPollState, LeadsThroughALostConnection) {
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           for (int i = 0; i < 3; ++i)
                               if (std::optional<Request> request = connection.read())
                                   connection.answer(*request);
                       },
                       serve});
    tegu_client* client = plain_client(server);
    const float x[2] = {1, 2};
    tegu_request request = sum_of(x, 2);
    std::uint64_t id = 0;
    for (int i = 0; i < 20; ++i) ASSERT_EQ(tegu_submit(client, &request, &id, nullptr), TEGU_OK);
    std::vector<std::uint64_t> connections;
    EXPECT_EQ(run_event_loop(client, 20, connections), 20);
    EXPECT_EQ(connections.front(), 1u);
    EXPECT_EQ(connections.back(), 2u);
    EXPECT_EQ(tegu_reconnects(client), 1u);
    tegu_close(client);
}

TEST(ClientPollState, WakesAtADeadlineOfASilentServer) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        while (connection.read()) continue;
    }});
    tegu_client* client = plain_client(server);
    const float x[2] = {1, 2};
    tegu_request request = sum_of(x, 2);
    request.deadline_ns = 20 * kMillisecond;
    std::uint64_t id = 0;
    ASSERT_EQ(tegu_submit(client, &request, &id, nullptr), TEGU_OK);
    std::vector<std::uint64_t> connections;
    EXPECT_EQ(run_event_loop(client, 1, connections), 0);
    tegu_close(client);
}

TEST(ClientJobs, NoMoreOnTheWireThanAllowed) {
    std::atomic<std::size_t> most{0};
    FakeServer server({[&most](Connection& connection) {
        connection.hello.max_jobs_in_flight = 4;
        connection.greet();
        std::vector<Request> held;
        while (std::optional<Request> request = connection.read()) {
            held.push_back(std::move(*request));
            most = std::max(most.load(), held.size());
            if (held.size() < 4) continue;
            for (const Request& one : held) connection.answer(one);
            held.clear();
        }
    }});
    tc::Client client = connected(server);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(client.submit(OneValue(i).request).ok());
    double total = 0;
    for (int i = 0; i < 1000; ++i) total += client.wait_any().result->number(kSum).value_or(-1e9);
    EXPECT_EQ(total, 999.0 * 1000 / 2);
    EXPECT_EQ(most, 4u);
}

TEST(ClientJobs, ASocketThatIsFullTakesTheRestLater) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read()) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            connection.answer(*request);
        }
    }});
    tc::Client client = connected(server);
    const std::vector<std::uint8_t> x(60001, 1);
    std::vector<std::uint64_t> ids;
    for (std::uint64_t i = 0; i < 100; ++i)
        ids.push_back(*client.submit(tc::Request::reduce(x.data(), x.size() - i, TEGU_STAT_SUM)));
    for (std::size_t i = 0; i < ids.size(); ++i)
        EXPECT_EQ(client.wait(ids[i])->number(kSum), static_cast<double>(x.size() - i));
}

TEST(ClientJobs, SignalsDoNotDisturb) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        while (std::optional<Request> request = connection.read()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            connection.answer(*request);
        }
    }});
    tc::Client client = connected(server);
    static std::atomic<int> signals{0};
    struct sigaction action {};
    action.sa_handler = [](int) { ++signals; };  // without SA_RESTART: every wait is interrupted
    struct sigaction before;
    ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
    std::atomic<bool> stop{false};
    const pthread_t self = pthread_self();
    std::thread sender([&stop, self] {
        while (!stop) {
            pthread_kill(self, SIGUSR1);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    // The sender may be late: each kind of wait goes on until signals came during it.
    for (int i = 0, earlier = signals; i < 20 || signals == earlier; ++i)
        EXPECT_EQ(client.run(OneValue(i).request.deadline(60000 * kMillisecond))->number(kSum), i);
    for (int i = 0, earlier = signals; i < 20 || signals == earlier; ++i)
        EXPECT_EQ(client.run(OneValue(i).request)->number(kSum), i);
    stop = true;
    sender.join();
    sigaction(SIGUSR1, &before, nullptr);
    EXPECT_EQ(client.reconnects(), 0u);
}

TEST(ClientJobs, LostMidJobIsReplayedInOrder) {
    std::vector<double> order;
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           std::vector<Request> held;
                           for (int i = 0; i < 20; ++i) held.push_back(std::move(*connection.read()));
                           for (const int i : {3, 11, 19})
                               connection.answer(held[static_cast<std::size_t>(i)]);
                       },
                       [&order](Connection& connection) {
                           connection.greet();
                           while (std::optional<Request> request = connection.read()) {
                               double value;
                               std::memcpy(&value, wire::decode_job_request(request->body)->data.data(),
                                           sizeof value);
                               order.push_back(value);
                               connection.answer(*request);
                           }
                       }});
    {
        tc::Client client = connected(server);
        std::vector<std::uint64_t> ids;
        for (int i = 0; i < 20; ++i) ids.push_back(*client.submit(OneValue(i).request));
        for (int i = 0; i < 20; ++i)
            EXPECT_EQ(client.wait(ids[static_cast<std::size_t>(i)])->number(kSum), i);
        EXPECT_EQ(client.reconnects(), 1u);
    }
    std::vector<double> expected;
    for (int i = 0; i < 20; ++i)
        if (i != 3 && i != 11 && i != 19) expected.push_back(i);
    EXPECT_EQ(order, expected);
}

TEST(ClientJobs, ShuttingDownMovesToTheSuccessor) {
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           connection.event(Status::ShuttingDown);
                           while (std::optional<Request> request = connection.read())
                               connection.fail(*request, Status::ShuttingDown);
                       },
                       [](Connection& connection) {
                           connection.greet();
                           while (std::optional<Request> request = connection.read())
                               connection.fail(*request, Status::DeviceLost);
                       },
                       serve});
    tc::Client client = connected(server);
    expect_works(client);
    EXPECT_EQ(client.reconnects(), 2u);
}

// Every connection answers one job and is of use by that; still the last job does not wait for ever.
TEST(ClientJobs, DaemonsThatAreAlwaysStoppingHoldNoJobForEver) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        if (std::optional<Request> request = connection.read()) connection.answer(*request);
        while (std::optional<Request> request = connection.read())
            connection.fail(*request, Status::ShuttingDown);
    }});
    tc::Options options = options_for(server);
    options.reconnect_ms = 50;
    tc::Client client = connected(server, options);
    constexpr std::size_t kJobs = 60;  // a connection for each takes 5 ms at least
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 0; i < kJobs; ++i) ids.push_back(*client.submit(OneValue(1).request));
    EXPECT_TRUE(client.wait(ids.front()).ok());
    const tc::Expected<tc::Result> last = client.wait(ids.back());
    ASSERT_FALSE(last.ok());
    EXPECT_EQ(last.error().status, TEGU_UNAVAILABLE);
    EXPECT_NE(last.error().message.find("no daemon that stays"), std::string::npos) << last.error().message;
    EXPECT_GT(server.connections(), 1u);
}

TEST(ClientJobs, WithoutReconnectTheFirstLossIsTheCallers) {
    FakeServer server({[](Connection& connection) {
                           connection.greet();
                           connection.read();
                       },
                       serve});
    tc::Options options = options_for(server);
    options.reconnect_ms = 0;
    tc::Client client = connected(server, options);
    OneValue job(1);
    tc::Expected<tc::Result> result = client.run(job.request);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status, TEGU_UNAVAILABLE);
    expect_works(client);  // the next job tries once
}

TEST(ClientJobs, AJobThatKillsEveryConnectionEnds) {
    FakeServer server({[](Connection& connection) {
        connection.greet();
        connection.read();
    }});
    tc::Options options = options_for(server);
    options.reconnect_ms = 60000;
    tc::Client client = connected(server, options);
    OneValue job(1);
    tc::Expected<tc::Result> result = client.run(job.request);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status, TEGU_UNAVAILABLE);
    EXPECT_NE(result.error().message.find("10 times"), std::string::npos) << result.error().message;
    EXPECT_EQ(server.connections(), 10u);
}

TEST(ClientJobs, LookingForTheReplyChangesNoAnswer) {
    for (const std::uint32_t spin_us : {0u, 10000u}) {
        FakeServer server({serve});
        tc::Options options = options_for(server);
        options.spin_us = spin_us;
        tc::Client client = connected(server, options);
        for (int i = 0; i < 50; ++i) expect_works(client);
        EXPECT_TRUE(client.ping().ok());
        const std::uint64_t id = *client.submit(OneValue(2).request);
        EXPECT_EQ(client.wait(id, 60000)->number(kSum), 2.0);
        EXPECT_EQ(client.reconnects(), 0u);
    }
}

}  // namespace
}  // namespace tegu::test
