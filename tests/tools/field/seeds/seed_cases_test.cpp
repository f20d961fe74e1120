// SPDX-License-Identifier: Apache-2.0
// Every case of the parts s1 to s5, small: prepared, checked and run, on fibers or on a GPU. A wrong result
// fails its check.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/tools/field/seeds/cases_device.h"
#include "tools/field/seeds/entropy_map/many_gpus.h"
#include "tools/field/seeds/seeds.h"

namespace tegu::field {
namespace {

using AddCases = void (*)(PartContext& context, CaseList& cases);
struct SeedPart {
    const char* name;
    AddCases add;
};
const SeedPart kParts[] = {{"s1", add_s1_cases},
                           {"s2", add_s2_cases},
                           {"s3", add_s3_cases},
                           {"s4", add_s4_cases},
                           {"s5", add_s5_cases}};

class SeedCases : public testing::TestWithParam<SeedPart> {
  protected:
    void SetUp() override {
        options_.quick = true;
        Result<std::unique_ptr<board::BoardWatch>> watch = board::BoardWatch::open({}, nullptr);
        ASSERT_TRUE(watch.ok());
        watch_ = std::move(*watch);
    }
    PartContext context(GpuLab* gpu) {
        return {options_, *watch_, tuning_, pool_, inputs_, pool_.threads(), gpu, devices_, kMemory, kMemory};
    }
    CaseList cases_of(PartContext& context) {
        CaseList cases;
        GetParam().add(context, cases);
        return cases;
    }
    // As the runner does it.
    static Result<void> run(Case& one, GpuLab* gpu) {
        Result<void> done = one.prepare ? one.prepare(one) : Result<void>();
        if (done) done = one.check();
        constexpr std::size_t kTurn = 1;
        if (done && one.before) done = one.before(kTurn);
        if (done && one.clock == Clock::Stream) {
            const Result<double> seconds = gpu->time([&] { return one.run(kTurn); });
            done = seconds ? Result<void>() : seconds.error();
        } else if (done) {
            done = one.run(kTurn);
        }
        if (done && one.before)
            done = one.before(kTurn + 1);  // what changes memory must leave it good for the next run
        if (done && one.before) done = one.check();
        if (done && one.finish) one.finish(one);
        return done;
    }

    static constexpr std::uint64_t kMemory = std::uint64_t{256} << 20;
    RunOptions options_;
    std::unique_ptr<board::BoardWatch> watch_;
    tuning::DeviceTuning tuning_;  // empty: the defaults
    kernels::ThreadPool pool_{2};
    InputStore inputs_{pool_, kMemory};
    device::DeviceList devices_;
};

INSTANTIATE_TEST_SUITE_P(Parts, SeedCases, testing::ValuesIn(kParts),
                         [](const auto& part) { return std::string(part.param.name); });

TEST_P(SeedCases, RunOnTheCpuWithoutAGpu) {
    PartContext without = context(nullptr);
    CaseList cases = cases_of(without);
    for (Case& one : cases.cases()) {
        EXPECT_NE(one.backend, "cuda") << one.name;
        const Result<void> done = run(one, nullptr);
        EXPECT_TRUE(done.ok()) << one.name << ": " << done.error().message;
    }
    ASSERT_EQ(cases.skipped().size(), 1u);
    EXPECT_EQ(cases.skipped()[0].reason, "there is no GPU that can be used");
}

TEST_P(SeedCases, KeepToTheOperationsThatAreWanted) {
    PartContext all = context(nullptr);
    std::set<std::string> operations;
    CaseList every = cases_of(all);
    for (const Case& one : every.cases()) operations.insert(one.operation);
    for (const std::string& operation : operations) {
        options_.operations = {operation};
        CaseList some = cases_of(all);
        EXPECT_FALSE(some.cases().empty()) << operation;
        for (const Case& one : some.cases()) EXPECT_EQ(one.operation, operation);
    }
    options_.operations = {"quantile"};
    EXPECT_TRUE(cases_of(all).cases().empty());
}

TEST_P(SeedCases, RunOnTheGpu) {
    const std::unique_ptr<GpuLab> lab = open_test_lab(devices_);
    if (lab == nullptr) GTEST_SKIP() << devices_.reason;
    PartContext with = context(lab.get());
    std::set<std::pair<std::string, std::string>> keys;
    std::map<std::string, int> backends;
    {
        CaseList cases = cases_of(with);
        for (Case& listed : cases.cases()) {
            Case one = std::move(listed);
            EXPECT_TRUE(keys.emplace(one.name, one.backend).second)
                << "twice: " << one.name << " " << one.backend;
            ++backends[one.backend];
            const Result<void> done = run(one, lab.get());
            EXPECT_TRUE(done.ok()) << one.name << ": " << done.error().message;
            EXPECT_FALSE(one.method.empty()) << one.name;
            EXPECT_TRUE(static_cast<bool>(one.check)) << one.name;
            // One table for each place of the data. In S1 tegu's own kernels stand beside the lists in every
            // memory.
            const bool names_data = std::any_of(one.axes.begin(), one.axes.end(),
                                                [](const auto& axis) { return axis.first == "data"; });
            EXPECT_TRUE(names_data || std::string(GetParam().name) == "s1") << one.name << " " << one.backend;
        }
        for (const SkippedRecord& one : cases.skipped()) {
            EXPECT_FALSE(one.reason.empty()) << one.name;
            EXPECT_TRUE(keys.emplace(one.name, one.backend).second)
                << "twice: " << one.name << " " << one.backend;
        }
    }
    EXPECT_GE(backends["seed"], 6);
    EXPECT_GE(backends["cuda"], 3);
    EXPECT_EQ(test_allocations(), 0u);
}

TEST_P(SeedCases, WrongResultsAreSeen) {
    const std::unique_ptr<GpuLab> lab = open_test_lab(devices_);
    if (lab == nullptr) GTEST_SKIP() << devices_.reason;
    if (!can_corrupt()) GTEST_SKIP() << "this device does as it should";
    PartContext with = context(lab.get());
    CaseList cases = cases_of(with);
    unsigned on_gpu = 0;
    for (Case& listed : cases.cases()) {
        Case one = std::move(listed);
        bool is_of_cpu = one.backend == "cpu";
        for (const auto& axis : one.axes) is_of_cpu = is_of_cpu || axis.first == "threads";
        if (is_of_cpu) continue;
        ++on_gpu;
        Result<void> done = one.prepare(one);
        ASSERT_TRUE(done.ok()) << one.name << ": " << done.error().message;
        corrupt(true);
        done = one.check();
        corrupt(false);
        EXPECT_FALSE(done.ok()) << one.name;
        if (!done) {
            EXPECT_EQ(done.error().status, Status::Internal) << one.name << ": " << done.error().message;
        }
    }
    EXPECT_GE(on_gpu, 6u);
}

TEST(RowBands, CoverTheImageWithTheirHalo) {
    for (const std::uint32_t rows : {1u, 2u, 3u, 5u, 100u, 401u})
        for (const unsigned count : {1u, 2u, 4u, 7u}) {
            const std::vector<RowBand> bands = row_bands(rows, count, 2);
            ASSERT_EQ(bands.size(), std::min(rows, count));
            std::uint32_t next = 0;
            for (const RowBand& band : bands) {
                EXPECT_EQ(band.first, next);
                EXPECT_LT(band.first, band.end);
                EXPECT_EQ(band.top, band.first < 2 ? 0 : band.first - 2);
                EXPECT_EQ(band.bottom, std::min(band.end + 2, rows));
                next = band.end;
            }
            EXPECT_EQ(next, rows);
        }
}

TEST(ManyGpus, ComputeTheMapOfOne) {
    device::DeviceList devices;
    const std::uint32_t rows = 37, cols = 41;
    const std::uint64_t stride = 48;
    std::vector<float> x(rows * stride, 99.0f), expected(rows * cols), found(rows * cols);
    for (std::size_t i = 0; i < x.size(); ++i)
        if (i % stride < cols) x[i] = static_cast<float>(i * i % 16);
    for (const std::size_t count : {1u, 3u}) {
        std::vector<std::unique_ptr<GpuLab>> labs;
        for (std::size_t i = 0; i < count; ++i) labs.push_back(open_test_lab(devices));
        if (labs.back() == nullptr) GTEST_SKIP() << devices.reason;
        Result<std::unique_ptr<ManyGpus>> gpus = ManyGpus::create(std::move(labs), rows, cols, 64);
        ASSERT_TRUE(gpus.ok());
        ASSERT_EQ((*gpus)->count(), count);
        for (std::size_t band = 0; band < count; ++band)
            ASSERT_TRUE((*gpus)->run_band(band, x.data(), stride, found.data()).ok());
        if (count == 1)
            expected = found;
        else
            EXPECT_EQ(found, expected);
        if (!can_corrupt()) {  // a real device: all bands at once
            std::fill(found.begin(), found.end(), -1.0f);
            ASSERT_TRUE((*gpus)->run(x.data(), stride, found.data()).ok());
            EXPECT_EQ(found, expected);
        }
    }
}

}  // namespace
}  // namespace tegu::field
