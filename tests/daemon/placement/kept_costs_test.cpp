// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/kept_costs.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace tegu::daemon {
namespace {

constexpr std::size_t kBackends = 4;  // the CPU's, and two kinds of GPU

KeptCosts some() {
    KeptCosts costs;
    costs.times.push_back({kOneThread, {{Operation::Topk, ElementType::F32, 1, 4096, 16, 0, false}, 12'345}});
    costs.times.push_back({kPool, {{Operation::EntropyMap, ElementType::U8, 512, 512, 81, 256, false}, 2e6}});
    costs.times.push_back(
        {kFirstGpu + 1, {{Operation::Reduce, ElementType::F32, 1, 4096, 1, 0, false}, 9'000}});
    costs.copies.push_back({1, 16 << 20, 3'000'000});
    return costs;
}

std::vector<device::DeviceInfo> devices() {
    device::DeviceInfo device;
    device.name = "A board\nwith a line";
    device.limits.multiprocessors = 8;
    device.core_clock_khz = 625'000;
    return {device};
}

TEST(KeptCosts, AreReadBack) {
    const std::string key = machine_key("1.0", 4, devices());
    const std::string text = kept_costs_text(key, some());
    const KeptCosts back = parse_kept_costs(text, key, kBackends);
    ASSERT_EQ(3u, back.times.size());
    EXPECT_EQ(text, kept_costs_text(key, back));
    EXPECT_EQ(12'345, back.times[0].probed.ns);
    EXPECT_EQ(kFirstGpu + 1, back.times[2].resource);
    ASSERT_EQ(1u, back.copies.size());
    EXPECT_EQ(1u, back.copies[0].gpu_kind);
}

TEST(KeptCosts, AreOfOneMachineAlone) {
    const std::string key = machine_key("1.0", 4, devices());
    EXPECT_EQ(std::string::npos, key.find('\n')) << "one line, whatever a device is called";
    const std::string text = kept_costs_text(key, some());
    std::vector<device::DeviceInfo> other = devices(), clocked = devices();
    other[0].limits.multiprocessors = 4;  // another power mode
    clocked[0].core_clock_khz = 510'000;
    for (const std::string& different :
         {machine_key("1.1", 4, devices()), machine_key("1.0", 6, devices()), machine_key("1.0", 4, other),
          machine_key("1.0", 4, clocked), machine_key("1.0", 4, {}), std::string()})
        EXPECT_TRUE(parse_kept_costs(text, different, kBackends).times.empty()) << different;
}

TEST(KeptCosts, WhatCannotBeIsPassedOver) {
    const std::string head = "tegud costs 1\nmachine m\n",
                      good = "time one 5000 topk f32 1 4096 16 0 plain\n";
    const auto count = [](const std::string& text) {
        const KeptCosts costs = parse_kept_costs(text, "m", kBackends);
        return costs.times.size() + costs.copies.size();
    };
    EXPECT_EQ(1u, count(head + good + "end\n"));
    for (const char* bad :
         {"time one 0 topk f32 1 4096 16 0 plain", "time one -5 topk f32 1 4096 16 0 plain",
          "time one nan topk f32 1 4096 16 0 plain", "time one 1e300 topk f32 1 4096 16 0 plain",
          "time six 5000 topk f32 1 4096 16 0 plain", "time gpu9 5000 topk f32 1 4096 16 0 plain",
          "time one 5000 topk f32 1 4 16 0 plain", "time one 5000 topk f32 99999999999999 4 1 0 plain",
          "time one 5000", "time", "copy one 10 10", "copy gpu0 0 10", "copy gpu0 10 0", "copy gpu7 10 10",
          "copy gpu0 10", "nonsense", ""})
        EXPECT_EQ(1u, count(head + bad + "\n" + good + "end\n")) << bad;
    EXPECT_EQ(0u, count(head + good)) << "cut off";
    EXPECT_EQ(0u, count("tegud costs 2\nmachine m\n" + good + "end\n"));
    EXPECT_EQ(0u, count(""));
    EXPECT_EQ(0u, count(std::string(1 << 20, '\xff')));
}

TEST(KeptCosts, TheFileIsWrittenAsAWholeAndReadWithSuspicion) {
    char folder[] = "/tmp/tegud-kept-XXXXXX";
    ASSERT_NE(nullptr, ::mkdtemp(folder));
    const std::string file = kept_costs_file(folder);
    EXPECT_EQ("", read_kept_costs(file)) << "there is none";
    ASSERT_TRUE(write_kept_costs(file, "first").ok());
    ASSERT_TRUE(write_kept_costs(file, "second").ok());
    EXPECT_EQ("second", read_kept_costs(file));
    EXPECT_FALSE(write_kept_costs(std::string(folder) + "/none/costs", "third").ok());
    const std::string link = std::string(folder) + "/link", pipe = std::string(folder) + "/pipe";
    ASSERT_EQ(0, ::symlink(file.c_str(), link.c_str()));
    ASSERT_EQ(0, ::mkfifo(pipe.c_str(), 0600));
    EXPECT_EQ("", read_kept_costs(link));
    EXPECT_EQ("", read_kept_costs(pipe));
    EXPECT_EQ("", read_kept_costs(folder));
    for (const std::string& each : {file, link, pipe}) ::unlink(each.c_str());
    ::rmdir(folder);
}

TEST(KeptCosts, LieInTheDirectoryOfTheSettingOrOfTheService) {
    ::setenv("STATE_DIRECTORY", "/var/lib/one:/var/lib/two", 1);
    EXPECT_EQ("/elsewhere", state_directory("/elsewhere"));
    EXPECT_EQ("/var/lib/one", state_directory(""));
    ::setenv("STATE_DIRECTORY", "relative", 1);
    EXPECT_EQ("", state_directory(""));
    ::unsetenv("STATE_DIRECTORY");
    EXPECT_EQ("", state_directory(""));
    EXPECT_EQ("", kept_costs_file(""));
}

}  // namespace
}  // namespace tegu::daemon
