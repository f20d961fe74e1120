// SPDX-License-Identifier: Apache-2.0
// Boards that are trees of files are identified by them, as far as their files go.
#include "tools/board/identity.h"

#include <fstream>
#include <map>
#include <sstream>

#include "tests/daemon/health/board_tree.h"
#include "tests/tools/board/fake_gpu.h"
#include "tools/board/cpu_name.h"
#include "tools/board/data_sheet.h"

namespace tegu::board {
namespace {

using daemon::health::BoardTree;

BoardIdentity identity_of(const BoardTree& tree, const device::DeviceInfo* gpu,
                          const std::string& nvml = "") {
    Result<BoardIdentity> identity = identify_board(source_of(tree.root(), nvml), gpu);
    EXPECT_TRUE(identity.ok());
    return identity ? *identity : BoardIdentity();
}

TEST(Identity, OfANano) {
    BoardTree tree("nano");
    tree.write(
        "proc/cpuinfo",
        "processor\t: 0\nmodel name\t: ARMv8 Processor rev 1 (v8l)\nBogoMIPS\t: 38.40\nCPU implementer\t: "
        "0x41\n"
        "CPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd07\nCPU revision\t: 1\n\nprocessor\t: 1\n"
        "CPU implementer\t: 0x41\nCPU part\t: 0xd07\n");
    const device::DeviceInfo gpu = integrated_gpu();
    const BoardIdentity nano = identity_of(tree, &gpu);
    EXPECT_EQ(nano.board, "NVIDIA Jetson Nano Developer Kit");
    EXPECT_EQ(nano.soc, "tegra210");
    EXPECT_EQ(nano.l4t, "32.7.1");
    EXPECT_EQ(nano.kernel, "4.9.253-tegra");
    EXPECT_EQ(nano.power_mode, "MAXN");
    EXPECT_EQ(nano.cpu.name, "Cortex-A57");
    EXPECT_EQ(nano.cpu.cores, 4u);
    EXPECT_EQ(nano.cpu.max_mhz, 1479.0);
    EXPECT_GT(nano.memory_bytes, 3u << 30);
    EXPECT_EQ(nano.data_sheet_gb_per_s, 25.6);
    EXPECT_EQ(nano.driver, "");
    ASSERT_TRUE(nano.fan);
    EXPECT_EQ(nano.fan->name, "pwm-fan");
    ASSERT_TRUE(nano.gpu);
    EXPECT_EQ(nano.gpu->memory_class, "A");
    EXPECT_EQ(nano.gpu->core_clock_mhz, 921.6);
    EXPECT_NE(nano.gpu->memory_clock_mhz, 13.0);  // CUDA's word for it, which is wrong there
}

TEST(Identity, OfEachBoardHasItsModelAndBandwidth) {
    const std::pair<const char*, double> boards[] = {
        {"tx2", 59.7}, {"xavier-nx", 59.7}, {"orin-nano", 102}, {"agx-orin", 204.8}, {"thor", 273}};
    for (const auto& [name, gb_per_s] : boards) {
        SCOPED_TRACE(name);
        const BoardTree tree(name);
        const BoardIdentity board = identity_of(tree, nullptr);
        EXPECT_NE(board.board.find("Jetson"), std::string::npos) << board.board;
        EXPECT_FALSE(board.l4t.empty());
        EXPECT_FALSE(board.power_mode.empty());
        EXPECT_GT(board.cpu.cores, 1u);
        EXPECT_GT(board.cpu.max_mhz.value_or(0), 1000);
        EXPECT_EQ(board.data_sheet_gb_per_s, gb_per_s);
        EXPECT_FALSE(board.gpu);
    }
}

TEST(Identity, OfAPcWithADiscreteGpu) {
    BoardTree tree("pc");
    tree.write("proc/cpuinfo",
               "model name\t: Intel(R) Core(TM) i5-11500\ncpu MHz\t\t: 2700.000\ncpu MHz\t\t: 2712.5\n");
    const FakeNvml nvml(
        "driver 580.95.05\nmax_core_clock 1980\nmax_memory_clock 3201\npower_limit 700000\nfan 35\n");
    const device::DeviceInfo gpu = discrete_gpu();
    const BoardIdentity pc = identity_of(tree, &gpu, TEGU_FAKE_NVML_LIBRARY);
    EXPECT_EQ(pc.board, "OptiPlex 7090");
    EXPECT_EQ(pc.l4t, "");
    EXPECT_EQ(pc.driver, "580.95.05");
    EXPECT_EQ(pc.cpu.name, "Intel(R) Core(TM) i5-11500");
    EXPECT_EQ(pc.cpu.max_mhz, 4600.0);
    EXPECT_EQ(pc.power_mode, "");
    ASSERT_TRUE(pc.gpu);
    EXPECT_EQ(pc.gpu->core_clock_mhz, 1980.0);
    EXPECT_EQ(pc.gpu->memory_clock_mhz, 3201.0);
    EXPECT_EQ(pc.gpu->power_limit_w, 700.0);
    EXPECT_EQ(pc.data_sheet_gb_per_s, 4800.0);
}

TEST(Identity, DriverOfTheKernelCountsBeforeThatOfTheLibrary) {
    BoardTree tree;
    tree.write("proc/driver/nvidia/version",
               "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build  "
               "(dvs-builder)\nGCC "
               "version:\n");
    EXPECT_EQ(identity_of(tree, nullptr).driver, "570.86.15");
}

TEST(Identity, OfAnEmptyTreeIsUnknownAndNoError) {
    const BoardTree tree;
    const BoardIdentity nothing = identity_of(tree, nullptr, "libno-such-library.so");
    EXPECT_NE(nothing.board.find(" machine"), std::string::npos);
    EXPECT_EQ(nothing.l4t + nothing.kernel + nothing.driver + nothing.power_mode + nothing.cpu.name, "");
    EXPECT_EQ(nothing.cpu.cores, 0u);
    EXPECT_FALSE(nothing.cpu.max_mhz || nothing.fan || nothing.gpu || nothing.data_sheet_gb_per_s);
    EXPECT_FALSE(nothing.cpu.isa.empty());
}

TEST(Identity, WithoutARootIsAnError) {
    const Result<BoardIdentity> identity = identify_board(source_of("/no/such/folder"), nullptr);
    ASSERT_FALSE(identity.ok());
    EXPECT_NE(identity.error().message.find("/no/such/folder"), std::string::npos);
}

TEST(CpuName, OfArmIsLookedUp) {
    EXPECT_EQ(
        cpu_name("CPU implementer\t: 0x4e\nCPU part\t: 0x003\nCPU implementer\t: 0x41\nCPU part\t: 0xd07\n"),
        "Denver 2 + Cortex-A57");
    EXPECT_EQ(cpu_name("CPU implementer\t: 0x41\nCPU part\t: 0xd42\n"), "Cortex-A78AE");
    EXPECT_EQ(cpu_name("CPU implementer\t: 0x99\nCPU part\t: 0x123\n"),
              "Arm CPU of implementer 0x99, part 0x123");
    EXPECT_EQ(cpu_name("no such line"), "");
    EXPECT_FALSE(cpu_clock_mhz("cpu MHz\t: many\n"));
}

TEST(DataSheet, TellsBoardsOfOneNameApartByTheirMemory) {
    constexpr std::uint64_t kGib = std::uint64_t{1} << 30;
    EXPECT_EQ(data_sheet_gb_per_s("NVIDIA Jetson Orin Nano Developer Kit", "", 4 * kGib), 34.0);
    EXPECT_EQ(data_sheet_gb_per_s("NVIDIA Jetson Orin Nano Developer Kit", "Orin", 8 * kGib), 68.0);
    EXPECT_EQ(data_sheet_gb_per_s("x86 server", "NVIDIA H100 80GB HBM3", 0), 3350.0);
    EXPECT_FALSE(data_sheet_gb_per_s("x86 server", "NVIDIA H200 MIG 1g.18gb", 0));
    EXPECT_FALSE(data_sheet_gb_per_s("", "", 0));
}

// The cells of a line; no text of the file has a comma in it.
std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> all;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) all.push_back(cell);
    return all;
}

TEST(DataSheet, HasTheNumbersOfTheOneTable) {
    std::ifstream file(TEGU_SOURCE_DIR "/scripts/data/jetson_data_sheets.csv");
    std::vector<std::string> names;
    std::size_t boards = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        const std::vector<std::string> values = cells(line);
        if (names.empty()) {
            names = values;
            continue;
        }
        SCOPED_TRACE(line);
        ASSERT_EQ(values.size(), names.size());
        std::map<std::string, std::string> sheet;
        for (std::size_t i = 0; i < names.size(); ++i) sheet[names[i]] = values[i];
        const bool super = sheet["power_mode"] == "MAXN_SUPER";
        // The kernel and the firmware keep a share of the memory for themselves.
        const auto bytes = static_cast<std::uint64_t>(std::stod(sheet["memory_gib"]) * 0.93 * (1 << 30));
        const std::string model = sheet["name"] + " Developer Kit" + (super ? " Super" : "");
        EXPECT_EQ(data_sheet_gb_per_s(model, "", bytes), std::stod(sheet["gb_per_s"])) << model;
        ++boards;
    }
    EXPECT_GE(boards, 12u);
}

}  // namespace
}  // namespace tegu::board
