// SPDX-License-Identifier: Apache-2.0
// Start, reload and stop, from outside.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "tests/daemon/daemon_process.h"
#include "tests/daemon/job_check.h"
#include "tests/daemon/jobs/held_jobs.h"
#include "tests/daemon/raw_client.h"

namespace tegu {
namespace {

using test::DaemonProcess;
using test::error_of;
using test::Message;
using test::RawClient;
using wire::MessageType;

bool exists(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

TEST(Lifecycle, AQuietLifeIsALineAtTheStartAndOneAtTheEnd) {
    DaemonProcess daemon("[executor]\nbackend = \"cpu\"\n");  // else a GPU that is missing is a line, too
    {
        RawClient client(daemon.socket());
        EXPECT_EQ(Status::Ok, client.reply_to(client.send(MessageType::Ping)).header.status);
    }
    daemon.signal(SIGTERM);
    EXPECT_EQ(0, daemon.wait());
    EXPECT_FALSE(exists(daemon.socket()));
    const std::string log = daemon.log();
    EXPECT_EQ(2, std::count(log.begin(), log.end(), '\n')) << log;
}

TEST(Lifecycle, StoppingAnswersWhatIsInFlightAndRefusesWhatIsNew) {
    const test::HeldJobs held;
    DaemonProcess daemon("[timeouts]\nstop_ms = 600000\n", held.program());
    RawClient client(daemon.socket());
    const test::SlowJob work(client, test::kSomeWork / 2);
    held.hold();
    const std::uint64_t first = client.send_job(work.request(0));
    const std::uint64_t second = client.send_job(work.request(1));
    RawClient idle(daemon.socket());
    (void)client.reply_to(client.send(MessageType::Ping));
    daemon.signal(SIGTERM);
    const std::optional<Message> event = client.receive();
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(MessageType::Event, event->header.type);
    EXPECT_EQ(Status::ShuttingDown, event->header.status);
    const std::uint64_t late = client.send_job(work.request(2));
    const std::uint64_t ping = client.send(MessageType::Ping);
    EXPECT_EQ(Status::ShuttingDown, client.reply_to(late).header.status);
    EXPECT_EQ(Status::Ok, client.reply_to(ping).header.status);
    EXPECT_FALSE(exists(daemon.socket()));
    held.release();
    EXPECT_EQ(Status::Ok, client.reply_to(first).header.status);
    EXPECT_EQ(Status::Ok, client.reply_to(second).header.status);
    EXPECT_TRUE(client.at_end());
    EXPECT_EQ(Status::ShuttingDown, idle.receive()->header.status);
    EXPECT_TRUE(idle.at_end());
    EXPECT_EQ(0, daemon.wait());
}

TEST(Lifecycle, ASecondSignalAnswersTheRestWithRetry) {
    const test::HeldJobs held;
    DaemonProcess daemon("[timeouts]\nstop_ms = 600000\n[limits]\nqueued_work_ms = 3600000\n",
                         held.program());
    RawClient client(daemon.socket());
    const test::SlowJob work(client, test::kSomeWork / 2);
    held.hold();
    std::vector<std::uint64_t> ids;
    for (std::uint64_t slot = 0; slot < 4; ++slot) ids.push_back(client.send_job(work.request(slot)));
    (void)client.reply_to(client.send(MessageType::Ping));
    daemon.signal(SIGTERM);
    EXPECT_EQ(MessageType::Event, client.receive()->header.type);
    daemon.signal(SIGTERM);
    for (const std::uint64_t id : ids) EXPECT_EQ(Status::ShuttingDown, client.reply_to(id).header.status);
    EXPECT_TRUE(client.at_end());
    EXPECT_EQ(0, daemon.wait());
}

TEST(Lifecycle, TheTimeToStopIsLimited) {
    const test::HeldJobs held;
    DaemonProcess daemon("[timeouts]\nstop_ms = 1\n[limits]\nqueued_work_ms = 3600000\n", held.program());
    RawClient client(daemon.socket());
    const test::SlowJob work(client, test::kSomeWork / 2);
    held.hold();
    std::vector<std::uint64_t> ids;
    for (std::uint64_t slot = 0; slot < 4; ++slot) ids.push_back(client.send_job(work.request(slot)));
    (void)client.reply_to(client.send(MessageType::Ping));
    daemon.signal(SIGTERM);
    for (const std::uint64_t id : ids) EXPECT_EQ(Status::ShuttingDown, client.reply_to(id).header.status);
    EXPECT_EQ(0, daemon.wait());
}

TEST(Lifecycle, AReloadAppliesAGoodFileAndKeepsTheOldSettingsForABadOne) {
    const DaemonProcess daemon("[limits]\nbuffer_bytes = 8192\n");
    RawClient client(daemon.socket());
    const test::TestBuffer kept = test::create_buffer(client, 8192);
    EXPECT_EQ(Status::TooLarge,
              client.reply_to(client.send_message(MessageType::BufferCreate, wire::BufferCreateRequest{8193}))
                  .header.status);
    daemon.write_settings(
        "[limits]\nbuffer_bytes = 16384\njobs_in_flight_per_connection = 5\n[executor]\nthreads = 1\n");
    daemon.signal(SIGHUP);
    ASSERT_TRUE(daemon.wait_for_log("settings read again"));
    EXPECT_NE(std::string::npos, daemon.log().find("limits.buffer_bytes"));
    (void)test::create_buffer(client, 16384);
    EXPECT_EQ(5u, RawClient(daemon.socket()).hello.max_jobs_in_flight);
    daemon.write_settings("[limits]\nbuffer_bytes = 1\nconections = 7\n");
    daemon.signal(SIGHUP);
    ASSERT_TRUE(daemon.wait_for_log("stay in force"));
    EXPECT_NE(std::string::npos, daemon.log().find("tegud.toml:3:1"));
    (void)test::create_buffer(client, 16384);
    const Message info = client.reply_to(client.send(MessageType::Info));
    EXPECT_EQ(16384, test::field(info, "limit_buffer_bytes"));
    EXPECT_EQ(2, test::field(client.reply_to(client.send(MessageType::Stats)), "reloads_total"));
    EXPECT_EQ(Status::Ok,
              client.reply_to(client.send_message(MessageType::BufferRelease, wire::BufferRef{kept.handle}))
                  .header.status);
}

TEST(Lifecycle, JobsInFlightLiveThroughAReload) {
    const test::HeldJobs held;
    const DaemonProcess daemon("", held.program());
    RawClient client(daemon.socket());
    const test::SlowJob work(client, test::kSomeWork / 2);
    held.hold();
    const std::uint64_t first = client.send_job(work.request(0));
    const std::uint64_t second = client.send_job(work.request(1));
    (void)client.reply_to(client.send(MessageType::Ping));
    daemon.write_settings("[limits]\nqueued_jobs = 1\n");
    daemon.signal(SIGHUP);
    ASSERT_TRUE(daemon.wait_for_log("settings read again"));
    held.release();
    EXPECT_EQ(Status::Ok, client.reply_to(first).header.status);
    EXPECT_EQ(Status::Ok, client.reply_to(second).header.status);
}

TEST(Lifecycle, IdleConnectionsEndWhenTheSettingsSaySo) {
    // The setting comes when all is prepared: no client can be too slow for it.
    const DaemonProcess daemon;
    RawClient holder(daemon.socket());
    const test::TestBuffer kept = test::create_buffer(holder, 4096);  // keeps its connection
    RawClient idle(daemon.socket());
    daemon.write_settings("[timeouts]\nidle_ms = 1000\n");
    daemon.signal(SIGHUP);
    const std::optional<Message> event = idle.receive();
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ("timeouts.idle_ms", error_of(*event).field);
    EXPECT_TRUE(idle.at_end());
    EXPECT_EQ(Status::Ok, holder.reply_to(holder.send(MessageType::Ping)).header.status);
}

TEST(Lifecycle, AStalledReaderIsCutOff) {
    const DaemonProcess daemon(
        "[timeouts]\nwrite_stall_ms = 200\n[limits]\nreply_queue_bytes = 65536\nreply_queue_max_bytes = "
        "4194304\n");
    RawClient client(daemon.socket()), other(daemon.socket());
    wire::ByteBuffer ping;
    wire::FrameHeader header;
    header.type = MessageType::Ping;
    header.request_id = 1;
    const std::size_t start = wire::begin_frame(ping);
    ping.resize(ping.size() + 60000);
    wire::end_frame(header, start, ping);
    std::size_t at = 0;  // what of it has been sent
    for (int i = 0; i < 12000; ++i) {
        // As much as goes in: how much that is depends on the kernel's settings.
        for (ssize_t sent = 1; sent > 0;) {
            sent = ::send(client.socket(), ping.data() + at, ping.size() - at, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (sent > 0) at = (at + static_cast<std::size_t>(sent)) % ping.size();
        }
        const Message stats = other.reply_to(other.send(MessageType::Stats));
        if (test::field(stats, "closed_write_stall_total") > 0) return;
        ::usleep(5000);
    }
    FAIL() << "the stalled connection is still there";
}

TEST(Lifecycle, ExitCodesAndMessagesOfAStartThatFails) {
    const std::string directory = test::make_directory();
    const std::string socket = directory + "/tegud.sock", file = directory + "/tegud.toml";
    std::string output;
    EXPECT_EQ(64, test::run_tegud({"--nonsense"}, &output));
    EXPECT_EQ(78, test::run_tegud({"--config", directory + "/missing.toml", "--socket", socket}, &output));
    EXPECT_NE(std::string::npos, output.find("missing.toml")) << output;
    EXPECT_EQ(1, std::count(output.begin(), output.end(), '\n')) << output;
    std::ofstream(file) << "[limits]\nconnections = 0\n";
    EXPECT_EQ(78, test::run_tegud({"--config", file, "--socket", socket}, &output));
    EXPECT_NE(std::string::npos, output.find("limits.connections")) << output;
    EXPECT_EQ(78, test::run_tegud({"--config", file, "--check-config"}, &output));
    EXPECT_NE(std::string::npos, output.find("tegud.toml:2:")) << output;
    std::ofstream(file) << "[limits]\nconnections_per_uid = 9\n";
    EXPECT_EQ(0, test::run_tegud({"--config", file, "--check-config"}, &output));
    EXPECT_EQ(0, test::run_tegud({"--config", file, "--print-config"}, &output));
    EXPECT_NE(std::string::npos, output.find("connections_per_uid = 9")) << output;
    EXPECT_EQ(0, test::run_tegud({"--version"}, &output));
    EXPECT_EQ(78,
              test::run_tegud({"--config", file, "--socket", directory + "/directory/tegud.sock"}, &output));
    EXPECT_EQ(78, test::run_tegud({"--config", file, "--socket", file}, &output));
    EXPECT_EQ(78, test::run_tegud({"--config", file, "--socket", "/" + std::string(120, 'x')}, &output));
    {
        const DaemonProcess daemon;
        EXPECT_EQ(69, test::run_tegud({"--config", file, "--socket", daemon.socket()}, &output));
        EXPECT_NE(std::string::npos, output.find("another daemon answers")) << output;
        RawClient client(daemon.socket());
        EXPECT_EQ(Status::Ok, client.reply_to(client.send(MessageType::Ping)).header.status);
    }
    test::remove_directory(directory);
}

TEST(Lifecycle, AfterACrashTheSocketFileIsReplaced) {
    DaemonProcess daemon;
    daemon.signal(SIGKILL);
    EXPECT_EQ(-SIGKILL, daemon.wait());
    EXPECT_TRUE(exists(daemon.socket()));
    daemon.start();
    RawClient client(daemon.socket());
    EXPECT_EQ(Status::Ok, client.reply_to(client.send(MessageType::Ping)).header.status);
    EXPECT_NE(std::string::npos, daemon.log().find("replaced a socket file"));
}

}  // namespace
}  // namespace tegu
