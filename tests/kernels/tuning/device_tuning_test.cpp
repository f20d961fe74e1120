// SPDX-License-Identifier: Apache-2.0
#include "kernels/tuning/device_tuning.h"

#include <gtest/gtest.h>

#include "kernels/tuning/revisions.h"

namespace tegu::tuning {
namespace {

TuningMachine h200() {
    TuningMachine machine;
    machine.has_gpu = true;
    machine.device_name = "NVIDIA H200";
    machine.limits.compute_capability = 90;
    machine.limits.multiprocessors = 132;
    machine.limits.shared_bytes_per_block = 227 << 10;
    machine.cpu_name = "a server's CPU";
    machine.cpu_threads = 16;
    return machine;
}

TuningValue value(std::string name, std::int64_t number) {
    TuningValue made;
    made.name = std::move(name);
    made.number = number;
    return made;
}

TuningRow row(std::string id, std::string operation, std::vector<TuningValue> policy,
              TuningBackend backend = TuningBackend::Cuda) {
    TuningRow made;
    made.id = std::move(id);
    made.jobs.backend = backend;
    made.jobs.operation = std::move(operation);
    made.revision = 1;
    made.policy = std::move(policy);
    made.where = {"table.toml", 7, 1};
    return made;
}

TuningTable table(std::string key, unsigned multiprocessors, std::vector<TuningRow> rows) {
    TuningTable made;
    made.key = std::move(key);
    made.path = "/tables/" + made.key + ".toml";
    made.device.name = "NVIDIA H200";
    made.device.compute_capability = 90;
    made.device.multiprocessors = multiprocessors;
    made.rows = std::move(rows);
    return made;
}

Job topk(std::uint64_t n, std::uint64_t k, bool distinct = false) {
    Job job;
    job.cols = n;
    job.params = TopkParams{k, true, distinct};
    return job;
}

std::string chosen(const DeviceTuning& tuning, const Job& job, TuningBackend backend = TuningBackend::Cuda) {
    return std::string(tuning.choose(backend, job).whole.row);
}

TEST(DeviceTuning, WithoutTablesTheDefaultHolds) {
    const DeviceTuning tuning;
    const JobChoice choice = tuning.choose(TuningBackend::Cuda, topk(1000, 3));
    EXPECT_EQ(choice.whole.row, "default");
    ASSERT_NE(choice.whole.policies, nullptr);
    EXPECT_TRUE(choice.whole.policies->cuda.selection == cuda::kDefaultSelectionPolicy);
    EXPECT_EQ(choice.row_text(topk(1000, 3)), "default");
}

TEST(DeviceTuning, RowsAreLookedUpInTheOrderOfTheLevels) {
    const auto one = [](const char* key, unsigned multiprocessors) {
        return table(key, multiprocessors, {row("a", "topk", {value("waves", 2)})});
    };
    TuningTable generic = one("sm-90", 0), overlay = one("overlay", 132);
    generic.device.name.clear();
    const std::vector<TuningTable> capability = {generic, one("far", 70), one("near", 114)};
    std::vector<TuningTable> all = capability;
    all.push_back(one("nvidia-h200-132", 132));
    const Job job = topk(1000, 3);
    EXPECT_EQ(chosen(DeviceTuning(h200(), all, &overlay), job), "overlay/a");
    EXPECT_EQ(chosen(DeviceTuning(h200(), all, nullptr), job), "nvidia-h200-132/a");
    EXPECT_EQ(chosen(DeviceTuning(h200(), capability, nullptr), job), "near/a");
    EXPECT_EQ(chosen(DeviceTuning(h200(), Span<const TuningTable>(all.data(), 2), nullptr), job), "far/a");
    EXPECT_EQ(chosen(DeviceTuning(h200(), Span<const TuningTable>(all.data(), 1), nullptr), job), "sm-90/a");
    const DeviceTuning tuning(h200(), all, &overlay);
    ASSERT_EQ(tuning.tables().size(), 5u);
    EXPECT_EQ(tuning.tables()[0].level, TuningLevel::Overlay);
    EXPECT_EQ(tuning.tables()[1].level, TuningLevel::Device);
    EXPECT_EQ(tuning.tables()[4].level, TuningLevel::Capability);
    EXPECT_EQ(tuning.tables()[0].cuda_rows, 1u);
}

TEST(DeviceTuning, ARowOfALaterLevelHoldsWhereTheFirstHasNone) {
    TuningRow large = row("large", "topk", {value("waves", 2)});
    large.jobs.elements = {1000000, UINT64_MAX};
    const TuningTable overlay = table("overlay", 132, {large});
    const std::vector<TuningTable> tables = {
        table("nvidia-h200-132", 132, {row("any", "topk", {value("waves", 4)})})};
    const DeviceTuning tuning(h200(), tables, &overlay);
    EXPECT_EQ(chosen(tuning, topk(1000000, 3)), "overlay/large");
    EXPECT_EQ(chosen(tuning, topk(999999, 3)), "nvidia-h200-132/any");
    Job reduce = topk(1000, 3);
    reduce.params = ReduceParams{statistic_bit(Statistic::Sum), false, 0};
    EXPECT_EQ(chosen(tuning, reduce), "default");
}

TEST(DeviceTuning, WithinATableTheFirstRowThatHoldsIsTaken) {
    TuningRow distinct = row("distinct", "topk", {value("waves", 2)});
    distinct.jobs.variant = "distinct";
    TuningRow words = row("words", "topk", {value("waves", 4)});
    words.jobs.width = 2;
    TuningRow floats = row("floats", "topk", {value("slice", 32)});
    floats.jobs.type = "f32";
    const std::vector<TuningTable> tables = {
        table("t", 132, {distinct, words, floats, row("rest", "topk", {value("slice", 128)})})};
    const DeviceTuning tuning(h200(), tables, nullptr);
    EXPECT_EQ(chosen(tuning, topk(1000, 3, true)), "t/distinct");
    Job job = topk(1000, 3);
    EXPECT_EQ(chosen(tuning, job), "t/floats");
    job.type = ElementType::I32;
    EXPECT_EQ(chosen(tuning, job), "t/rest");
    job.type = ElementType::F16;
    EXPECT_EQ(chosen(tuning, job), "t/words");
    EXPECT_EQ(tuning.choose(TuningBackend::Cuda, job).whole.policies->cuda.selection.waves, 4u);
    EXPECT_EQ(tuning.choose(TuningBackend::Cuda, job).whole.policies->cuda.selection.slice, 64u);
}

TEST(DeviceTuning, LevelsOfEntropyMapsAreARangeOfTheirOwn) {
    TuningRow few = row("few", "entropy_map", {value("rows_per_strip", 64)});
    few.jobs.levels = {2, 33};
    few.jobs.detail = {9, 26};
    const std::vector<TuningTable> tables = {table("t", 132, {few})};
    const DeviceTuning tuning(h200(), tables, nullptr);
    Job job;
    job.rows = job.cols = 100;
    EntropyMapParams map;
    job.params = map;
    EXPECT_EQ(chosen(tuning, job), "t/few");
    map.levels = 33;
    job.params = map;
    EXPECT_EQ(chosen(tuning, job), "default");
}

TEST(DeviceTuning, RowsThatMayNotBeUsedAreNamedWithTheirReason) {
    TuningRow old = row("old", "topk", {value("waves", 2)});
    old.revision = revision_of(TuningBackend::Cuda, Operation::Topk) + 1;
    TuningRow wrong = row("wrong", "topk", {value("waves", 2), value("block_threads", 100)});
    wrong.policy[1].where = {"table.toml", 9, 30};
    TuningRow no_width = row("width", "topk", {});
    no_width.jobs.width = 3;
    TuningRow type = row("type", "topk", {});
    type.jobs.type = "f33";
    TuningRow empty = row("empty", "topk", {});
    empty.jobs.elements = {5, 5};
    TuningRow variant = row("variant", "topk", {});
    variant.jobs.variant = "loud";
    const std::vector<TuningTable> tables = {
        table("t", 132,
              {old, wrong, row("unknown", "topk", {value("speed", 1)}), row("sort", "sort", {}), no_width,
               type, empty, variant, row("good", "topk", {value("waves", 2)}), row("good", "topk", {}),
               row("", "topk", {})})};
    const DeviceTuning tuning(h200(), tables, nullptr);
    EXPECT_EQ(chosen(tuning, topk(1000, 3)), "t/good");
    ASSERT_EQ(tuning.ignored().size(), 10u);
    std::vector<std::string> texts;
    for (const IgnoredRow& ignored : tuning.ignored()) texts.push_back(ignored_text(ignored));
    EXPECT_EQ(texts[0],
              "table.toml:7:1: row old is ignored: revision: the row was measured with revision 2; allowed: "
              "1, that of "
              "these kernels");
    EXPECT_EQ(texts[1],
              "table.toml:9:30: row wrong is ignored: policy.block_threads: block_threads is 100; allowed: a "
              "multiple "
              "of 32 from 64 to 1024");
    EXPECT_NE(
        texts[2].find("policy.speed: the policy of topk has no field \"speed\"; allowed: block_threads"),
        std::string::npos);
    EXPECT_NE(texts[3].find("\"sort\" is no operation; allowed: reduce, topk"), std::string::npos);
    EXPECT_NE(texts[4].find("width is 3; allowed: 1, 2, 4 or 8"), std::string::npos);
    EXPECT_NE(texts[5].find("\"f33\" is no type; allowed: u8, i8"), std::string::npos);
    EXPECT_NE(texts[6].find("elements: the range 5 to 5 is empty"), std::string::npos);
    EXPECT_NE(texts[7].find("\"loud\" is no variant; allowed: plain, distinct"), std::string::npos);
    EXPECT_NE(texts[8].find("another row has the same"), std::string::npos);
    EXPECT_NE(texts[9].find("id: the row has none"), std::string::npos);
    EXPECT_EQ(tuning.tables()[0].ignored, 10u);
}

TEST(DeviceTuning, RangesAreThoseOfTheDevice) {
    TuningMachine nano;
    nano.has_gpu = true;
    nano.device_name = "NVIDIA Tegra X1";
    nano.board_name = "NVIDIA Jetson Nano Developer Kit";
    TuningTable of_nano = table("jetson-nano", 1, {row("a", "add", {value("threads_per_block", 1024)})});
    of_nano.device = {"NVIDIA Jetson Nano", 53, 1, 0};
    const DeviceTuning tuning(nano, Span<const TuningTable>(&of_nano, 1), nullptr);
    ASSERT_EQ(tuning.ignored().size(), 1u);
    EXPECT_NE(tuning.ignored()[0].reason.find("from 32 to 512"), std::string::npos);
}

TEST(DeviceTuning, TablesAreMatchedByNameMultiprocessorsAndCapability) {
    const auto level = [](TuningDevice device, const TuningMachine& machine) {
        return level_of(device, machine);
    };
    EXPECT_EQ(level({"nvidia h200", 90, 132, 0}, h200()), TuningLevel::Device);
    EXPECT_EQ(level({"NVIDIA H200", 90, 0, 0}, h200()), TuningLevel::Device);
    EXPECT_EQ(level({"NVIDIA H200", 90, 66, 0}, h200()), TuningLevel::Capability);
    EXPECT_EQ(level({"NVIDIA H200", 90, 65, 0}, h200()), TuningLevel::None);
    EXPECT_EQ(level({"NVIDIA H100", 90, 0, 0}, h200()), TuningLevel::None);
    EXPECT_EQ(level({"", 90, 0, 0}, h200()), TuningLevel::Capability);
    EXPECT_EQ(level({"NVIDIA H200", 80, 132, 0}, h200()), TuningLevel::None);
    EXPECT_EQ(level({"NVIDIA H200", 90, 132, 8}, h200()), TuningLevel::None);
    EXPECT_EQ(level({"a server's CPU", 0, 0, 16}, h200()), TuningLevel::Device);
    EXPECT_EQ(level({"another CPU", 0, 0, 0}, h200()), TuningLevel::None);
    EXPECT_EQ(level({"", 0, 0, 0}, h200()), TuningLevel::Device);
    TuningMachine orin;
    orin.has_gpu = true;
    orin.device_name = "Orin";
    orin.board_name = "NVIDIA Jetson Orin Nano Developer Kit Super";
    orin.limits.compute_capability = 87;
    orin.limits.multiprocessors = 8;
    EXPECT_EQ(level({"NVIDIA Jetson Orin Nano", 87, 8, 0}, orin), TuningLevel::Device);
    EXPECT_EQ(level({"NVIDIA Jetson Orin NX", 87, 8, 0}, orin), TuningLevel::Capability);
    orin.has_gpu = false;  // the GPU cannot be used: its board's rows of the CPU still hold
    EXPECT_EQ(level({"NVIDIA Jetson Orin Nano", 87, 8, 0}, orin), TuningLevel::Device);
    EXPECT_EQ(level({"NVIDIA Jetson Orin NX", 87, 8, 0}, orin), TuningLevel::None);
}

TEST(DeviceTuning, AnOverlayForAnotherDeviceIsReported) {
    TuningTable overlay = table("overlay", 132, {row("a", "topk", {})});
    overlay.device = {"NVIDIA Jetson Nano", 53, 1, 0};
    const DeviceTuning tuning(h200(), {}, &overlay);
    EXPECT_EQ(chosen(tuning, topk(1000, 3)), "default");
    ASSERT_EQ(tuning.ignored().size(), 1u);
    EXPECT_EQ(ignored_text(tuning.ignored()[0]),
              "/tables/overlay.toml: table overlay is ignored: it is for another device: NVIDIA Jetson Nano, "
              "compute "
              "capability 53, 1 multiprocessors");
}

TEST(DeviceTuning, RowsOfTheCpuHoldOnTheirMachineAlone) {
    const auto cpu_row = [](const char* id) {
        return row(id, "topk", {value("threads", 3)}, TuningBackend::Cpu);
    };
    const std::vector<TuningTable> tables = {table("near", 114, {cpu_row("a")}),
                                             table("own", 132, {cpu_row("b")})};
    EXPECT_EQ(chosen(DeviceTuning(h200(), tables, nullptr), topk(1000, 3), TuningBackend::Cpu), "own/b");
    EXPECT_EQ(chosen(DeviceTuning(h200(), Span<const TuningTable>(tables.data(), 1), nullptr), topk(1000, 3),
                     TuningBackend::Cpu),
              "default");
    EXPECT_EQ(chosen(DeviceTuning(h200(), tables, nullptr), topk(1000, 3)), "default");
}

TEST(DeviceTuning, PartsOfAFusedJobHaveRowsOfTheirOwn) {
    const std::vector<TuningTable> tables = {
        table("t", 132, {row("a", "topk", {value("waves", 2)}), row("c", "topk", {}, TuningBackend::Cpu)})};
    const DeviceTuning tuning(h200(), tables, nullptr);
    Job job = topk(1000, 3);
    FusedParams fused;
    fused.parts = {ReduceParams{statistic_bit(Statistic::Sum), false, 0}, TopkParams{3, true, false}};
    job.params = fused;
    const JobChoice choice = tuning.choose(TuningBackend::Cuda, job);
    ASSERT_EQ(choice.part_count, 2u);
    EXPECT_EQ(choice.row_text(job), "reduce:default,topk:t/a");
    const cuda::JobPolicies policies = choice.cuda();
    EXPECT_EQ(policies.parts[0]->selection.waves, 1u);
    EXPECT_EQ(policies.parts[1]->selection.waves, 2u);
    EXPECT_EQ(policies.parts[2], nullptr);
    EXPECT_EQ(DeviceTuning().choose(TuningBackend::Cuda, job).row_text(job), "default");
}

TEST(DeviceTuning, MethodsOfPartsReachAFusedJobOfTheCpu) {
    TuningRow method = row("m", "topk", {}, TuningBackend::Cpu),
              threads = row("f", "fused", {value("threads", 2)}, TuningBackend::Cpu);
    method.policy = {value("threads", 7), TuningValue()};
    method.policy[1].name = "method";
    method.policy[1].word = "buckets";
    const std::vector<TuningTable> tables = {table("t", 132, {method, threads})};
    const DeviceTuning tuning(h200(), tables, nullptr);
    Job job = topk(1000, 3);
    FusedParams fused;
    fused.parts = {TopkParams{3, true, false}};
    job.params = fused;
    const JobChoice choice = tuning.choose(TuningBackend::Cpu, job);
    EXPECT_EQ(choice.cpu(job).share.threads, 2u);
    EXPECT_EQ(choice.cpu(job).topk.method, kernels::CpuTopkMethod::Buckets);
    EXPECT_EQ(choice.row_text(job), "fused:t/f,topk:t/m");
}

TEST(DeviceTuning, CostsAreCheckedAndKeptInTheOrderOfTheLookup) {
    CostRow good;
    good.jobs.operation = "topk";
    good.revision = 1;
    good.points = {{1000, 11.9}, {1000000, 24.1}};
    CostRow falling = good, none = good, free = good, old = good;
    falling.points = {{1000, 1}, {1000, 2}};
    none.points.clear();
    free.points = {{1000, 0}};
    old.revision = 9;
    TuningTable overlay = table("overlay", 132, {}), own = table("own", 132, {});
    overlay.costs = {good, falling, none, free, old};
    own.costs = {good};
    own.costs[0].points[0].time_us = 5;
    const DeviceTuning tuning(h200(), Span<const TuningTable>(&own, 1), &overlay);
    ASSERT_EQ(tuning.costs().size(), 2u);
    EXPECT_EQ(tuning.costs()[0].points[0].time_us, 11.9);
    EXPECT_EQ(tuning.costs()[1].points[0].time_us, 5);
    EXPECT_EQ(tuning.ignored().size(), 4u);
    EXPECT_NE(tuning.ignored()[0].reason.find("do not ascend"), std::string::npos);
}

}  // namespace
}  // namespace tegu::tuning
