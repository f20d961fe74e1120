// SPDX-License-Identifier: Apache-2.0
// What the daemon makes of tables for the machine it runs on; above all of those that come with it, on each
// of their boards.
#include "daemon/tuning/tuning_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "base/ignored_rows.h"

namespace tegu::daemon {
namespace {

using tuning::TuningLevel;
using Sheet = std::map<std::string, std::string>;

constexpr char kDevices[] = TEGU_SOURCE_DIR "/config/devices";

std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> all;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) all.push_back(cell);
    return all;
}

// What scripts/model_devices.py makes its tables of.
std::vector<Sheet> data_sheets() {
    std::ifstream file(TEGU_SOURCE_DIR "/scripts/data/jetson_data_sheets.csv");
    std::vector<Sheet> sheets;
    std::vector<std::string> names;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        const std::vector<std::string> values = cells(line);
        if (names.empty()) {
            names = values;
            continue;
        }
        Sheet sheet;
        for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) sheet[names[i]] = values[i];
        if (sheet["table"] == "yes") sheets.push_back(sheet);
    }
    return sheets;
}

device::DeviceInfo gpu_of(const Sheet& sheet) {
    device::DeviceInfo gpu;
    gpu.name = "Orin";  // as drivers call any of them
    const auto count = [&](const char* key) { return static_cast<unsigned>(std::stoul(sheet.at(key))); };
    const double capability = std::stod(sheet.at("compute_capability"));
    gpu.limits.compute_capability = static_cast<unsigned>(capability * 10 + 0.5);
    gpu.limits.multiprocessors = count("multiprocessors");
    gpu.limits.threads_per_multiprocessor = count("threads_per_multiprocessor");
    gpu.limits.shared_bytes_per_block = std::stoul(sheet.at("shared_kib_per_block")) << 10;
    gpu.limits.l2_bytes = std::stoul(sheet.at("l2_kib")) << 10;
    return gpu;
}

MachineNames names_of(const Sheet& sheet) {
    MachineNames names;
    names.board = sheet.at("name") + " Developer Kit";
    names.cpu_threads = static_cast<unsigned>(std::stoul(sheet.at("cpu_cores")));
    return names;
}

TEST(ShippedTables, EachServesItsBoardWithoutALineToIgnore) {
    const config::TuningFiles files = config::load_tuning_files(kDevices, "");
    for (const IgnoredRow& ignored : files.ignored) ADD_FAILURE() << ignored_text(ignored);
    const std::vector<Sheet> sheets = data_sheets();
    ASSERT_GE(sheets.size(), 7u);
    for (const Sheet& sheet : sheets) {
        SCOPED_TRACE(sheet.at("key"));
        const device::DeviceInfo gpu = gpu_of(sheet);
        const TuningState state(files, names_of(sheet), Span<const device::DeviceInfo>(&gpu, 1));
        for (const IgnoredRow& ignored : state.ignored()) ADD_FAILURE() << ignored_text(ignored);
        const std::vector<tuning::TableUse>& uses = state.cpu().tables();
        ASSERT_FALSE(uses.empty());
        EXPECT_EQ(uses[0].key, sheet.at("key"));
        EXPECT_EQ(uses[0].level, TuningLevel::Device);
        EXPECT_GT(uses[0].cuda_rows, 0u);
        EXPECT_GT(uses[0].cpu_rows, 0u);
        for (std::size_t i = 1; i < uses.size(); ++i) EXPECT_EQ(uses[i].level, TuningLevel::Capability);
    }
}

TEST(ShippedTables, ThatOfTheH200ServesIt) {
    device::DeviceInfo gpu;
    gpu.name = "NVIDIA H200";
    gpu.limits.compute_capability = 90;
    gpu.limits.multiprocessors = 132;
    gpu.limits.shared_bytes_per_block = 227 << 10;
    gpu.limits.l2_bytes = 50 << 20;
    const config::TuningFiles files = config::load_tuning_files(kDevices, "");
    const TuningState state(files, MachineNames(), Span<const device::DeviceInfo>(&gpu, 1));
    for (const IgnoredRow& ignored : state.ignored()) ADD_FAILURE() << ignored_text(ignored);
    ASSERT_EQ(state.tables(), std::vector<std::string>{"nvidia-h200-132"});
    EXPECT_EQ(state.cpu().tables()[0].level, TuningLevel::Device);
    EXPECT_GT(state.costs(), 0u);
}

// Every table is one of those above.
TEST(ShippedTables, AreAllTested) {
    EXPECT_EQ(config::load_tuning_files(kDevices, "").tables.size(), data_sheets().size() + 1);
}

// Placement compares predictions, so that one side alone would be worth nothing.
TEST(ShippedTables, HaveCostsOfBothBackendsForEachOperation) {
    for (const Sheet& sheet : data_sheets()) {
        SCOPED_TRACE(sheet.at("key"));
        const config::LoadedTuning loaded =
            config::load_tuning(std::string(kDevices) + "/" + sheet.at("key") + ".toml");
        ASSERT_TRUE(loaded.table.has_value());
        for (const OperationInfo& operation : operation_infos()) {
            if (operation.operation == Operation::Fused) continue;  // the sum of its parts
            unsigned cuda = 0, cpu = 0;
            for (const CostRow& cost : loaded.table->costs) {
                if (cost.jobs.operation != operation.stem) continue;
                ++(cost.jobs.backend == TuningBackend::Cuda ? cuda : cpu);
            }
            EXPECT_GT(cuda, 0u) << operation.stem;
            EXPECT_EQ(cuda, cpu) << operation.stem;
        }
    }
}

TEST(ShippedTables, ThoseOfOtherMachinesAreNotRead) {
    const std::vector<Sheet> sheets = data_sheets();
    const auto is_nano = [](const Sheet& sheet) { return sheet.at("key") == "jetson-nano"; };
    const auto nano = std::find_if(sheets.begin(), sheets.end(), is_nano);
    ASSERT_NE(nano, sheets.end());
    const device::DeviceInfo gpu = gpu_of(*nano);
    const MachineNames names = names_of(*nano);
    const config::TuningFiles files =
        config::load_tuning_files(kDevices, "", tables_for(names, Span<const device::DeviceInfo>(&gpu, 1)));
    ASSERT_EQ(files.tables.size(), 1u);
    EXPECT_EQ(files.tables[0].key, "jetson-nano");
    EXPECT_TRUE(config::load_tuning_files(kDevices, "", tables_for(MachineNames(), {})).tables.empty());
}

TuningTable overlay_for(const char* name, unsigned capability) {
    TuningTable table;
    table.key = config::kOverlayKey;
    table.path = "/etc/tegud/tuning.toml";
    table.device.name = name;
    table.device.compute_capability = capability;
    return table;
}

device::DeviceInfo named(int ordinal, const char* name, unsigned capability) {
    device::DeviceInfo gpu;
    gpu.ordinal = ordinal;
    gpu.name = name;
    gpu.limits.compute_capability = capability;
    return gpu;
}

// Two GPUs share one overlay: that it is not for one of them is not worth a word, but for none of them is.
TEST(TuningState, AnOverlayForOneOfSeveralGpusIsUsed) {
    const device::DeviceInfo gpus[] = {named(0, "A", 90), named(1, "B", 80)};
    config::TuningFiles files;
    files.overlay = overlay_for("B", 80);
    const TuningState state(files, MachineNames(), gpus);
    EXPECT_TRUE(state.ignored().empty());
    EXPECT_EQ(state.tables(), std::vector<std::string>{"overlay"});
    EXPECT_TRUE(state.gpu(0).tables().empty());
    ASSERT_EQ(state.gpu(1).tables().size(), 1u);
    EXPECT_EQ(state.gpu(1).tables()[0].level, TuningLevel::Overlay);

    files.overlay = overlay_for("C", 70);
    const TuningState unused(files, MachineNames(), gpus);
    ASSERT_EQ(unused.ignored().size(), 1u);
    EXPECT_EQ(ignored_text(unused.ignored()[0]),
              "/etc/tegud/tuning.toml: table overlay is ignored: it is for another device: C, compute "
              "capability 70");
}

// The list stays short, and two GPUs do not make it longer.
TEST(TuningState, ATableOfOldKernelsGivesAShortList) {
    const device::DeviceInfo gpus[] = {named(0, "A", 90), named(1, "A", 90)};
    config::TuningFiles files;
    files.overlay = overlay_for("A", 90);
    for (unsigned i = 0; i < 4096; ++i) {
        TuningRow row;
        row.id = "r" + std::to_string(i);
        row.jobs.operation = "topk";
        row.revision = 999;
        row.where = {files.overlay->path, i + 1, 1};
        files.overlay->rows.push_back(row);
    }
    const TuningState state(files, MachineNames(), gpus);
    ASSERT_EQ(state.ignored().size(), kMaxIgnoredKept);
    const std::string last = ignored_text(state.ignored().back());
    EXPECT_NE(last.find("row r99 is ignored: revision: "), std::string::npos) << last;
    EXPECT_NE(last.find("; 3996 more parts of this table are ignored"), std::string::npos) << last;
    for (const IgnoredRow& each : state.ignored()) EXPECT_TRUE(state.ignores(ignored_text(each)));
    EXPECT_EQ(state.gpu(1).tables()[0].ignored, 4096u);
}

TEST(TuningState, AGpuThatRunsNoJobsHasTheDefaults) {
    const device::DeviceInfo gpu = named(1, "A", 90);
    const TuningState state(config::TuningFiles(), MachineNames(), Span<const device::DeviceInfo>(&gpu, 1));
    EXPECT_TRUE(state.gpu(0).tables().empty());
    EXPECT_EQ(state.gpu(0).choose(TuningBackend::Cuda, Job()).whole.row, "default");
}

}  // namespace
}  // namespace tegu::daemon
