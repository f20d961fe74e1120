// SPDX-License-Identifier: Apache-2.0
// Tuning tables of the daemon, seen over its socket: which row a job gets, what INFO and health say of them,
// and SIGHUP, which takes new tables without losing a job. The guarded device says which fields of a policy
// reached it.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "tests/daemon/gpus/gpu_support.h"

namespace tegu::test {
namespace {

using wire::BackendChoice;
using wire::MessageType;

const char kGuard[] =
    "format = 1\n[device]\nname = \"guarded memory\"\ncompute_capability = \"5.3\"\nmultiprocessors = 1\n";
const char kAnyCpu[] = "format = 1\n[device]\n";

std::string row(const std::string& id, const std::string& operation, const std::string& policy,
                const std::string& more = "", const std::string& backend = "cuda") {
    return "[[row]]\nid = \"" + id + "\"\nbackend = \"" + backend + "\"\noperation = \"" + operation +
           "\"\nrevision = 1\n" + more + "policy = { " + policy + " }\n";
}

wire::JobRequest topk_request(const std::vector<float>& values, BackendChoice backend) {
    wire::JobRequest request = reduce_request(values, 1);
    request.job.params = TopkParams{5, true, false};
    request.backend = backend;
    return request;
}

class DaemonTuning : public testing::Test {
  protected:
    void TearDown() override {
        daemon_.reset();
        remove_directory(tables_);
    }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(tables_ + "/" + name) << text;
    }
    // With the tables that were written; "overlay.toml" is the overlay.
    void start(const DaemonProgram& program = guarded("A"), const std::string& settings = kAuto) {
        daemon_ = std::make_unique<DaemonProcess>(
            settings + "[tuning]\ndirectory = \"" + tables_ + "\"\noverlay = \"" + tables_ + "/overlay\"\n",
            program);
    }
    void reload() {
        RawClient client(daemon_->socket());
        const double before = field(info_of(client), "tuning_loads_total");
        daemon_->signal(SIGHUP);
        for (int i = 0; i < 6000 && field(info_of(client), "tuning_loads_total") == before; ++i)
            ::usleep(10000);
        EXPECT_GT(field(info_of(client), "tuning_loads_total"), before);
    }
    std::string policy(std::size_t count, BackendChoice backend) {
        RawClient client(daemon_->socket());
        const std::vector<float> values = noise(count);
        return policy_of(run(client, topk_request(values, backend)));
    }
    std::string health() {
        RawClient client(daemon_->socket());
        const Message reply = client.reply_to(
            client.send_message(MessageType::Health, wire::HealthRequest{wire::HealthForm::Json}));
        const Result<wire::HealthReply> decoded = wire::decode_health_reply(reply.body);
        return decoded ? std::string(decoded->text) : error_of(reply).message;
    }
    std::size_t lines_with(const std::string& text) const {
        const std::string log = daemon_->log();
        std::size_t count = 0;
        for (std::size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) ++count;
        return count;
    }

    const std::string tables_ = make_directory();
    std::unique_ptr<DaemonProcess> daemon_;
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST_F(DaemonTuning, RepliesNameTheRowAndKernelsGetItsPolicy) {
    write("guard.toml",
          kGuard + row("small", "topk", "block_threads = 512, sample = 4096", "elements = [1, 1000]\n") +
              row("cpu", "topk", "threads = 1", "", "cpu"));
    start();
    EXPECT_TRUE(has(policy(999, BackendChoice::Gpu), " given block_threads=512 sample=4096"))
        << policy(999, BackendChoice::Gpu);
    EXPECT_TRUE(has(policy(999, BackendChoice::Gpu), " row=guard/small"));
    const std::string larger = policy(1000, BackendChoice::Gpu);
    EXPECT_TRUE(has(larger, " row=default") && !has(larger, "given")) << larger;
    EXPECT_TRUE(has(policy(1000, BackendChoice::Cpu), " row=guard/cpu"));
    RawClient client(daemon_->socket());
    const Message info = info_of(client);
    EXPECT_EQ(text_field(info, "gpu_tuning"), "guard (device): 1 row");
    EXPECT_EQ(text_field(info, "cpu_tuning"), "guard (device): 1 row");
    EXPECT_EQ(text_field(info, "gpu_rows_topk"), "guard/small");
    EXPECT_EQ(text_field(info, "cpu_rows_topk"), "guard/cpu");
    EXPECT_EQ(text_field(info, "tuning_directory"), tables_);
    EXPECT_EQ(field(info, "tuning_rows"), 2);
    EXPECT_EQ(field(info, "tuning_ignored"), 0);
}

TEST_F(DaemonTuning, TheOverlayGoesBeforeTheTables) {
    write("guard.toml", kGuard + row("shipped", "topk", "waves = 2") + row("sum", "reduce", "waves = 2"));
    write("near.toml",
          "format = 1\n[device]\ncompute_capability = \"5.3\"\n" + row("near", "add", "waves = 4"));
    write("overlay", kGuard + row("mine", "topk", "waves = 4"));
    start();
    EXPECT_TRUE(has(policy(100, BackendChoice::Gpu), " row=overlay/mine"));
    RawClient client(daemon_->socket());
    const std::vector<float> values = noise(100);
    wire::JobRequest request = reduce_request(values, statistic_bit(Statistic::Sum));
    request.backend = BackendChoice::Gpu;
    EXPECT_TRUE(has(policy_of(run(client, request)), " row=guard/sum"));
    EXPECT_EQ(text_field(info_of(client), "gpu_tuning"),
              "overlay: 1 row; guard (device): 2 rows; near (compute capability): 1 row");
}

TEST_F(DaemonTuning, PartsOfAFusedJobNameTheirRows) {
    write("guard.toml", kGuard + row("k", "topk", "waves = 2"));
    start();
    RawClient client(daemon_->socket());
    const std::vector<float> values = noise(100);
    wire::JobRequest request = topk_request(values, BackendChoice::Gpu);
    FusedParams fused;
    fused.parts = {ReduceParams{statistic_bit(Statistic::Sum), false, 0}, TopkParams{5, true, false}};
    request.job.params = fused;
    EXPECT_TRUE(has(policy_of(run(client, request)), " row=reduce:default,topk:guard/k"));
}

TEST_F(DaemonTuning, WhatIsWrongIsNamedOnceAndTheRestServes) {
    write("guard.toml",
          kGuard + row("old", "topk", "waves = 2", "width = 4\n") + row("good", "topk", "waves = 2"));
    write("broken.toml", "format = 1\n[device]\nname = \"tru");
    std::string text =
        kGuard + row("wide", "topk", "block_threads = 100") + row("good", "reduce", "waves = 2");
    text.replace(text.find("revision = 1"), 12, "revision = 9");
    write("overlay", text);
    start();
    EXPECT_TRUE(has(policy(100, BackendChoice::Gpu), " row=guard/old"));
    RawClient client(daemon_->socket());
    const Message info = info_of(client);
    EXPECT_EQ(field(info, "tuning_ignored"), 2);
    EXPECT_TRUE(has(text_field(info, "tuning_ignored_0"), "/broken.toml:3:12: table broken is ignored: "));
    EXPECT_EQ(
        text_field(info, "tuning_ignored_1"),
        tables_ +
            "/overlay:6:1: row wide is ignored: revision: the row was measured with revision 9; allowed: "
            "1, that of these kernels");
    EXPECT_TRUE(has(health(),
                    "\"tuning\": {\"tables\": [\"overlay\", \"guard\"], \"rows\": 3, \"costs\": 0, "
                    "\"loads_total\": 1, \"ignored\": 2, \"reasons\": ["))
        << health();
    EXPECT_EQ(lines_with("row wide is ignored"), 1u);
    reload();
    reload();
    EXPECT_EQ(lines_with("row wide is ignored"), 1u) << "it is said once";
    EXPECT_EQ(lines_with("table broken is ignored"), 1u);
    EXPECT_EQ(lines_with("tuning tables read again: 2 tables, 3 rows, 2 ignored parts"), 2u);
}

TEST_F(DaemonTuning, AFileOfBadRowsGivesFewLines) {
    std::string text = kGuard;
    for (int i = 0; i < 12000; ++i) text += "[[row]]\n";
    write("overlay", text);
    start();
    RawClient client(daemon_->socket());
    EXPECT_EQ(field(info_of(client), "tuning_ignored"), 100);
    EXPECT_EQ(lines_with(" is ignored: "), 20u);
    EXPECT_EQ(lines_with("more rows of tuning tables are ignored"), 1u);
    reload();
    EXPECT_EQ(lines_with(" is ignored: "), 20u) << "nothing is new";
}

TEST_F(DaemonTuning, ATableOfAnotherDeviceIsNotUsed) {
    write("h200.toml",
          "format = 1\n[device]\nname = \"NVIDIA H200\"\ncompute_capability = \"9.0\"\nmultiprocessors = "
          "132\n" +
              row("a", "topk", "waves = 2"));
    write("overlay", "format = 1\n[device]\nname = \"NVIDIA H200\"\ncompute_capability = \"9.0\"\n" +
                         row("a", "topk", "waves = 2"));
    start();
    EXPECT_TRUE(has(policy(100, BackendChoice::Gpu), " row=default"));
    EXPECT_EQ(
        lines_with("table overlay is ignored: it is for another device: NVIDIA H200, compute capability 90"),
        1u);
    EXPECT_EQ(lines_with("h200.toml"), 0u);
}

TEST_F(DaemonTuning, RowsOfTheCpuServeADaemonWithoutAGpu) {
    write("overlay",
          kAnyCpu + row("one", "topk", "threads = 1, method = \"threshold\"", "elements = [9000]\n", "cpu"));
    start(DaemonProgram(), "[executor]\nthreads = 2\n");
    const std::string tuned = policy(9000, BackendChoice::Auto);
    EXPECT_TRUE(has(tuned, "threads=1 threshold") && has(tuned, " row=overlay/one")) << tuned;
    EXPECT_TRUE(has(policy(8999, BackendChoice::Auto), " row=default"));
}

TEST_F(DaemonTuning, ARowThatNeedsTooMuchMemoryIsLeftOut) {
    write("overlay", kAnyCpu + row("huge", "topk", "method = \"buckets\"", "", "cpu"));
    start(DaemonProgram(), "[limits]\nscratch_bytes = \"1MiB\"\n");
    RawClient client(daemon_->socket());
    const std::vector<float> values = noise(16000);
    wire::JobRequest request = topk_request(values, BackendChoice::Auto);
    request.job.params = TopkParams{600, true, false};
    const Message reply = run(client, request);
    EXPECT_EQ(Status::Ok, reply.header.status) << error_of(reply).message;
    EXPECT_TRUE(has(policy_of(reply), " threshold") && has(policy_of(reply), " row=default"))
        << policy_of(reply);
    daemon_->write_settings("[tuning]\ndirectory = \"" + tables_ + "\"\noverlay = \"" + tables_ +
                            "/overlay\"\n");
    reload();
    EXPECT_TRUE(has(policy_of(run(client, request)), " row=overlay/huge"));
}

TEST_F(DaemonTuning, ReloadsTakeNewTablesAndLoseNoJob) {
    write("overlay", kGuard + row("first", "topk", "waves = 2"));
    start();
    std::atomic<bool> ends{false};
    std::atomic<std::uint64_t> answered{0};
    std::set<std::string> seen;
    std::thread load([&] {
        RawClient client(daemon_->socket());
        const std::vector<float> values = noise(2000);
        const wire::JobRequest request = topk_request(values, BackendChoice::Gpu);
        while (!ends) {
            std::vector<std::uint64_t> ids;
            for (int i = 0; i < 16; ++i) ids.push_back(client.send_job(request));
            for (const std::uint64_t id : ids) {
                const Message reply = client.reply_to(id);
                EXPECT_EQ(Status::Ok, reply.header.status) << error_of(reply).message;
                const std::string text = policy_of(reply);
                seen.insert(text.substr(text.find(" row=") + 5));
                ++answered;
            }
        }
    });
    const auto wait_for_jobs = [&] {
        const std::uint64_t before = answered;
        while (answered < before + 64) ::usleep(1000);
    };
    wait_for_jobs();
    for (const char* name : {"second", "third", "fourth"}) {
        write("overlay", kGuard + row(name, "topk", "waves = 2"));
        reload();
        wait_for_jobs();
    }
    write("overlay", "[[[");
    reload();
    wait_for_jobs();
    ends = true;
    load.join();
    for (const char* name : {"overlay/first", "overlay/second", "overlay/third", "overlay/fourth", "default"})
        EXPECT_EQ(seen.count(name), 1u) << name;
    EXPECT_EQ(seen.size(), 5u);
    daemon_->signal(SIGTERM);
    EXPECT_EQ(0, daemon_->wait());
}

}  // namespace
}  // namespace tegu::test
