// SPDX-License-Identifier: Apache-2.0
// Where jobs go, seen over the socket, with a guarded device and times that are functions of the job
// (tests/daemon/virtual_times.h): how fast this machine is, and what else it does, changes nothing.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <vector>

#include "tests/daemon/gpus/gpu_support.h"

namespace tegu::test {
namespace {

using wire::BackendChoice;

constexpr std::uint64_t kMillion = 1'000'000;
const std::string kMuchFaster = "cpu 100", kMuchSlower = "device 100";

// A daemon with a device of class B, which copies no inputs, and parts that are so many times slower than
// plans say. It has no tuning tables: those of this machine would say other times.
class Placed : public testing::Test {
  protected:
    ~Placed() override {
        client_.reset();
        daemon_.reset();
        for (const std::string& file : {speed_file(), kept_file(), hang_file()}) (void)::unlink(file.c_str());
        remove_directory(directory_);
    }
    // `settings`: of the table [placement]. `probe_ms`: enough for every class of jobs here.
    void start(const std::string& speed, const std::string& settings = "", const std::string& gpu = "B",
               unsigned probe_ms = 300) {
        set_speed(speed);
        (void)::mkdir(no_tables().c_str(), 0755);
        const DaemonProgram program = guarded(gpu, "hang:" + hang_file(), speed_file());
        daemon_ = std::make_unique<DaemonProcess>(
            "tuning.directory = \"" + no_tables() + "\"\n" + kAuto +
                "threads = 2\n[placement]\nprobe_ms = " + std::to_string(probe_ms) + "\n" + settings,
            program);
        connect();
    }
    void connect() {
        client_ = std::make_unique<RawClient>(daemon_->socket());
        wait_until_probed(*client_);
    }
    // From the next job on.
    void set_speed(const std::string& speed) const {
        const std::string file = speed_file() + ".new";
        std::ofstream(file) << speed;
        ASSERT_EQ(0, std::rename(file.c_str(), speed_file().c_str()));
    }
    std::string speed_file() const { return directory_ + "/speed"; }
    std::string hang_file() const { return directory_ + "/hang"; }  // while it is there, no kernel ends
    std::string kept_file() const { return directory_ + "/costs"; }
    std::string no_tables() const { return directory_ + "/directory"; }  // an empty one
    std::string source(const char* backend) { return text_field(info_of(*client_), backend); }
    double stat(const std::string& name) { return field(stats_of(*client_), name.c_str()); }
    wire::Backend place_of(wire::JobRequest& request) {
        request.backend = BackendChoice::Auto;
        return backend_of(run(*client_, request));
    }
    // How many jobs it takes until one goes to the backend; -1: `most` do not.
    int jobs_until(wire::JobRequest& request, wire::Backend backend, int most = 500) {
        for (int i = 0; i < most; ++i)
            if (place_of(request) == backend) return i;
        return -1;
    }
    int count_on_gpu(wire::JobRequest& request, int jobs) {
        int count = 0;
        for (int i = 0; i < jobs; ++i) count += place_of(request) == wire::Backend::Gpu;
        return count;
    }

    const std::string directory_ = make_directory();
    std::unique_ptr<DaemonProcess> daemon_;
    std::unique_ptr<RawClient> client_;
};

TEST_F(Placed, OnADeviceThatIsFasterThanTheCpu) {
    start(kMuchFaster);
    EXPECT_EQ("probed", source("placement_gpu"));
    EXPECT_EQ("probed", source("placement_cpu"));
    BufferOfOnes buffer(*client_, kMillion);
    EXPECT_EQ(wire::Backend::Gpu, place_of(buffer.request()));
    EXPECT_EQ(1, stat("placed_for_fastest_total"));
    buffer.request().job.cols = 100;
    EXPECT_EQ(wire::Backend::Cpu, place_of(buffer.request()));
    EXPECT_EQ(1, stat("placed_inline_total"));
    EXPECT_EQ(1, stat("placed_gpu_total"));
}

TEST_F(Placed, OnTheCpuIfTheDeviceIsTwentyTimesSlower) {
    start("device 20");
    EXPECT_EQ("probed", source("placement_gpu"));
    BufferOfOnes buffer(*client_, 2 * kMillion);
    EXPECT_EQ(wire::Backend::Cpu, place_of(buffer.request()));
    EXPECT_EQ(1, stat("placed_for_fastest_total"));
    EXPECT_LE(count_on_gpu(buffer.request(), 20), 1) << "but for a trial";
}

// A sum that takes the CPU some milliseconds does not wait for another client's entropy maps. One of them
// waits, too: of the one that runs, less is left with every moment.
TEST_F(Placed, OnTheCpuBesideLongJobsOfAnotherClientOnTheGpu) {
    start("cpu 100 device 20");
    BufferOfOnes buffer(*client_, kMillion);
    ASSERT_EQ(wire::Backend::Gpu, place_of(buffer.request())) << "where it goes on an idle machine";
    RawClient other(daemon_->socket());
    const SlowJob work(other, kSomeWork);
    make_file(hang_file());
    std::vector<std::uint64_t> maps;
    for (unsigned slot = 0; slot < 2; ++slot) {
        wire::JobRequest map = work.request(slot);
        map.backend = BackendChoice::Gpu;
        maps.push_back(other.send_job(map));
    }
    while (stat("jobs_running") != 1 || stat("jobs_waiting") != 1) ::usleep(500);
    EXPECT_EQ(wire::Backend::Cpu, place_of(buffer.request()));
    EXPECT_EQ(1, stat("jobs_running"));
    EXPECT_EQ(1, stat("placed_for_queue_total"));
    for (const std::uint64_t map : maps)
        (void)other.send_message(wire::MessageType::Cancel, wire::CancelRequest{map});
    EXPECT_EQ(Status::Cancelled, other.reply_to(maps[1]).header.status);
    ::unlink(hang_file().c_str());
    EXPECT_EQ(Status::Cancelled, other.reply_to(maps[0]).header.status);
    EXPECT_EQ(wire::Backend::Gpu, place_of(buffer.request())) << "it is free again";
}

TEST_F(Placed, WhereJobsHaveShownThatItIsSooner) {
    start(kMuchFaster, "trial_jobs = 8\n");
    BufferOfOnes buffer(*client_, kMillion);
    ASSERT_EQ(wire::Backend::Gpu, place_of(buffer.request()));
    set_speed(kMuchSlower);
    EXPECT_NE(-1, jobs_until(buffer.request(), wire::Backend::Cpu));
    for (int i = 0; i < 40; ++i) (void)place_of(buffer.request());
    EXPECT_LE(count_on_gpu(buffer.request(), 20), 4) << "but for trials";
    set_speed(kMuchFaster);
    EXPECT_NE(-1, jobs_until(buffer.request(), wire::Backend::Gpu));
    for (int i = 0; i < 40; ++i) (void)place_of(buffer.request());
    EXPECT_GE(count_on_gpu(buffer.request(), 20), 16) << "the device is as fast as it was";
}

// The device alone was slower for a while: another process used it, or it was hot.
TEST_F(Placed, OnADeviceAgainThatHasRecovered) {
    start("cpu 10", "trial_jobs = 8\n");
    BufferOfOnes buffer(*client_, kMillion);
    ASSERT_NE(-1, jobs_until(buffer.request(), wire::Backend::Gpu));
    set_speed("cpu 10 device 40");
    for (int i = 0; i < 60; ++i) (void)place_of(buffer.request());
    EXPECT_LE(count_on_gpu(buffer.request(), 20), 10);
    set_speed("cpu 10");
    EXPECT_NE(-1, jobs_until(buffer.request(), wire::Backend::Gpu, 5000));
}

TEST_F(Placed, WithACopyOnceItsLackHasCostAsMuch) {
    start("cpu 10 copy 10", "", "A");
    BufferOfOnes buffer(*client_, 4 * kMillion);
    buffer.request().inputs[0].generation = 1;
    EXPECT_EQ(wire::Backend::Cpu, place_of(buffer.request())) << "the copy takes longer";
    EXPECT_NE(-1, jobs_until(buffer.request(), wire::Backend::Gpu, 20));
    EXPECT_EQ(wire::Backend::Gpu, place_of(buffer.request())) << "now it is there";
}

TEST_F(Placed, ByTheTimesThatTheLastStartHasKept) {
    const std::string settings = "directory = \"" + directory_ + "\"\n";
    start(kMuchFaster, settings);
    ASSERT_EQ("probed", source("placement_gpu"));
    const std::string kept = kept_file();
    for (int i = 0; i < 20000 && ::access(kept.c_str(), F_OK) != 0; ++i) ::usleep(5000);
    ASSERT_EQ(0, ::access(kept.c_str(), F_OK));
    start(kMuchFaster, settings);
    EXPECT_EQ("kept", source("placement_gpu"));
    EXPECT_EQ("kept", source("placement_cpu"));
    BufferOfOnes buffer(*client_, kMillion);
    EXPECT_EQ(wire::Backend::Gpu, place_of(buffer.request()));
    std::ofstream(kept) << "something else";
    start(kMuchFaster, settings);
    EXPECT_EQ("probed", source("placement_gpu")) << "what cannot be read is measured again";
}

// Nothing measured: the attributes of the device, one multiprocessor of 1 GHz, promise nothing.
TEST_F(Placed, WithoutProbingByAttributes) {
    start("cpu 1", "", "B", 0);
    EXPECT_EQ("default", source("placement_gpu"));
    EXPECT_EQ("default", source("placement_cpu"));
    BufferOfOnes buffer(*client_, kMillion);
    EXPECT_EQ(wire::Backend::Cpu, place_of(buffer.request()));
}

TEST_F(Placed, WithADeadlineOrAHighPriorityNothingIsTried) {
    start("device 10", "trial_jobs = 8\n");
    BufferOfOnes buffer(*client_, kMillion);
    wire::JobRequest& request = buffer.request();
    request.backend = BackendChoice::Auto;
    for (int i = 0; i < 300; ++i) {
        const bool high = i % 2 == 0;
        const std::uint64_t id = client_->send_job(
            request, high ? wire::Priority::High : wire::Priority::Normal, high ? 0 : 60'000'000'000);
        EXPECT_EQ(wire::Backend::Cpu, backend_of(client_->reply_to(id)));
    }
    EXPECT_EQ(0, stat("placed_for_trial_total"));
    EXPECT_NE(-1, jobs_until(request, wire::Backend::Gpu, 5000)) << "one without is tried";
    EXPECT_GE(stat("placed_for_trial_total"), 1);
}

}  // namespace
}  // namespace tegu::test
