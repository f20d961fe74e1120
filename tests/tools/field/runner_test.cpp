// SPDX-License-Identifier: Apache-2.0
// The runner with cases that are made up, on a board of files and a guarded device: what it measures, leaves
// out, repeats and refuses.
#include "tools/field/runner.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "kernels/device/guard_gpu.h"
#include "tests/tools/field/support.h"
#include "tools/field/parts/parts.h"

namespace tegu::field {
namespace {

using daemon::health::BoardTree;
using Records = std::vector<std::string>;

// The cases of the part "made up". A part declares by a plain function, so they stand here.
std::vector<Case> g_cases;
std::vector<SkippedRecord> g_skipped;

void declare_made_up(PartContext&, CaseList& cases) {
    for (Case& one : g_cases) cases.add(one);
    for (const SkippedRecord& one : g_skipped) cases.skip(one.name, one.backend, one.reason);
}

const std::vector<Part> kMadeUp = {{"made_up", "cases of a test", 1, declare_made_up}};

Case made_up(const std::string& name, int priority = 1) {
    Case one;
    one.name = name;
    one.operation = "nothing";
    one.backend = "cpu";
    one.priority = priority;
    one.run = [](std::size_t) { return Result<void>(); };
    return one;
}

// All that a run needs, on an Orin Nano of files.
class Field {
  public:
    explicit Field(const std::string& board = "orin-nano", const device::DeviceInfo* gpu = nullptr)
        : tree_(board) {
        g_cases.clear();
        g_skipped.clear();
        Result<std::unique_ptr<board::BoardWatch>> watch = board::BoardWatch::open(
            board::source_of(tree_.root(), gpu != nullptr ? TEGU_FAKE_NVML_LIBRARY : ""), gpu);
        EXPECT_TRUE(watch.ok());
        watch_ = std::move(*watch);
        options.minutes = 0.5;  // made-up cases take little of it
    }

    RunSummary run(const std::vector<Part>& parts = kMadeUp) {
        kernels::ThreadPool pool(2);
        InputStore inputs(pool, 1 << 20);
        PartContext context{
            options, *watch_, tuning, pool, inputs, 2, lab.get(), devices, std::uint64_t{64} << 20, 1 << 20};
        Result<Recorder> recorder = Recorder::open(file.path(), head_of("a board", options.quick));
        EXPECT_TRUE(recorder.ok());
        Progress progress(nullptr);
        Runner runner(context, *recorder, progress, [this] { return stop.load(); });
        Result<RunSummary> summary = runner.run(parts);
        EXPECT_TRUE(summary.ok());
        return *summary;
    }
    Records records(const std::string& kind) const {
        Records all = records_of(file.parsed()), wanted;
        for (const std::string& record : all)
            if (record.compare(0, kind.size() + 1, kind + " ") == 0)
                wanted.push_back(record.substr(kind.size() + 1));
        return wanted;
    }
    boost::property_tree::ptree result(const std::string& name) const {
        const auto parsed = file.parsed();
        for (const auto& [none, record] : parsed.get_child("records"))
            if (record.get<std::string>("kind") == "result" && record.get<std::string>("case") == name)
                return record;
        ADD_FAILURE() << "no result " << name;
        return {};
    }

    TemporaryFile file;
    RunOptions options;
    device::DeviceList devices;
    tuning::DeviceTuning tuning;
    std::unique_ptr<GpuLab> lab;
    std::atomic<bool> stop{false};
    BoardTree& tree() { return tree_; }

  private:
    BoardTree tree_;
    std::unique_ptr<board::BoardWatch> watch_;
};

TEST(Runner, MeasuresByPriorityAndLooksAtTheBoard) {
    Field field;
    g_cases = {made_up("second"), made_up("third", 2), made_up("first", 0)};
    g_skipped = {{"", "impossible", "cuda", "there is no GPU", false}};
    const RunSummary summary = field.run();
    EXPECT_EQ(summary.measured, 3u);
    EXPECT_EQ(summary.skipped, 1u);
    EXPECT_FALSE(summary.stopped);
    EXPECT_EQ(field.records("result"),
              (Records{"made_up first cpu", "made_up second cpu", "made_up third cpu"}));
    EXPECT_EQ(field.records("skipped"), Records{"made_up impossible cuda"});
    EXPECT_EQ(field.records("condition"), (Records{"made_up before", "made_up during", "made_up after"}));
    EXPECT_TRUE(field.file.parsed().get<bool>("finished"));
    EXPECT_GE(field.result("first").get<int>("repeats"), 5);
    EXPECT_FALSE(field.result("first").get<bool>("checked"));
}

TEST(Runner, GoesOnWhereItStopped) {
    Field field;
    int runs_of_first = 0;
    g_cases = {made_up("first"), made_up("second")};
    g_cases[0].run = [&](std::size_t) { return ++runs_of_first, Result<void>(); };
    g_cases[1].run = [&](std::size_t) { return field.stop = true, Result<void>(); };
    g_cases.push_back(made_up("third"));
    RunSummary summary = field.run();
    EXPECT_TRUE(summary.stopped);
    EXPECT_EQ(field.records("result"), (Records{"made_up first cpu", "made_up second cpu"}));
    EXPECT_FALSE(field.file.parsed().get<bool>("finished"));

    field.stop = false;
    const int before = runs_of_first;
    summary = field.run();
    EXPECT_EQ(summary.continued, 2u);
    EXPECT_EQ(summary.measured, 1u);
    EXPECT_EQ(runs_of_first, before);
    EXPECT_EQ(field.records("result").size(), 3u);
    EXPECT_TRUE(field.file.parsed().get<bool>("finished"));
}

TEST(Runner, LeavesOutWhatTakesTooLongAndMeasuresItLater) {
    Field field;
    const auto slow = [](const char* name, double work) {
        Case one = made_up(name);
        one.series = "sleep";
        one.work = work;
        one.run = [work](std::size_t) {
            std::this_thread::sleep_for(std::chrono::duration<double>(0.01 * work));
            return Result<void>();
        };
        return one;
    };
    g_cases = {slow("short", 1), slow("long", 5000)};
    RunSummary summary = field.run();
    EXPECT_EQ(summary.no_time, 1u);
    EXPECT_EQ(field.records("skipped"), Records{"made_up long cpu"});
    g_cases = {slow("short", 1), slow("long", 2)};  // there is time for it now
    summary = field.run();
    EXPECT_EQ(summary.no_time, 0u);
    EXPECT_EQ(field.records("skipped"), Records());
    EXPECT_EQ(field.records("result"), (Records{"made_up short cpu", "made_up long cpu"}));
}

TEST(Runner, AWrongResultIsNoMeasurement) {
    Field field;
    g_cases = {made_up("right"), made_up("wrong"), made_up("impossible")};
    g_cases[0].check = [] { return Result<void>(); };
    g_cases[1].check = []() -> Result<void> { return make_error(Status::Internal, "values differ"); };
    g_cases[2].prepare = [](Case&) -> Result<void> { return make_error(Status::OutOfMemory, "no memory"); };
    const RunSummary summary = field.run();
    ASSERT_EQ(summary.wrong.size(), 1u);
    EXPECT_NE(summary.wrong[0].find("wrong cpu: values differ"), std::string::npos) << summary.wrong[0];
    EXPECT_EQ(field.records("result"), Records{"made_up right cpu"});
    EXPECT_EQ(field.records("skipped"), (Records{"made_up wrong cpu", "made_up impossible cpu"}));
    EXPECT_TRUE(field.result("right").get<bool>("checked"));
    EXPECT_EQ(field.run().wrong.size(), 1u);  // it is looked at again
}

TEST(Runner, RepeatsWhatWasThrottledAndSaysSoIfItStays) {
    Field field;
    field.options.minutes = 10;  // 15 % of it may be spent on cooling
    const std::string alert = "sys/class/thermal/cooling_device4/cur_state";
    field.tree().write(alert, "1\n");
    // It cools a second after the first measurement: while the runner waits for it.
    std::promise<void> measured;
    std::thread cooling([&] {
        measured.get_future().wait();
        std::this_thread::sleep_for(std::chrono::seconds(1));
        field.tree().write(alert, "0\n");
    });
    int measurements = 0;
    g_cases = {made_up("cools")};
    g_cases[0].finish = [&](Case&) {
        if (++measurements == 1) measured.set_value();
    };
    RunSummary summary = field.run();
    if (measurements == 0) measured.set_value();
    cooling.join();
    EXPECT_EQ(measurements, 2);
    EXPECT_EQ(summary.throttled, 0u);
    EXPECT_FALSE(field.result("cools").get<bool>("throttled"));

    field.options.minutes = 0.4;
    field.tree().write(alert, "1\n");
    g_cases = {made_up("stays hot")};
    summary = field.run();
    EXPECT_EQ(summary.throttled, 1u);
    EXPECT_TRUE(field.result("stays hot").get<bool>("throttled"));
    EXPECT_EQ(field.result("stays hot").get<std::string>("note"), "throttled: gpu-throttle-alert");
}

// All "throttle" and "events" of the condition records.
std::string conditions_of(const Field& field) {
    std::string words;
    const auto parsed = field.file.parsed();
    for (const auto& [none, record] : parsed.get_child("records")) {
        if (record.get<std::string>("kind") != "condition") continue;
        for (const auto& [key, word] : record.get_child("throttle")) words += word.data() + "\n";
        for (const auto& [counter, events] : record.get_child("events"))
            words += counter + " " + events.data() + "\n";
    }
    return words;
}

TEST(Runner, ALimitOfPowerIsTheSpeedOfTheCard) {
    const board::FakeNvml nvml("throttle 0\n");
    const device::DeviceInfo gpu = board::discrete_gpu();
    Field field("pc", &gpu);
    int measurements = 0;
    g_cases = {made_up("large")};
    g_cases[0].finish = [&](Case&) {  // the load has ended just now
        nvml.tell("throttle 0x4\n");
        ++measurements;
    };
    const RunSummary summary = field.run();
    EXPECT_EQ(measurements, 1);
    EXPECT_EQ(summary.throttled, 0u);
    EXPECT_FALSE(field.result("large").get<bool>("throttled"));
    EXPECT_EQ(field.result("large").get<std::string>("note"), "clocks held down: sw_power_cap");
    EXPECT_NE(conditions_of(field).find("sw_power_cap\n"), std::string::npos);
}

TEST(Runner, OverCurrentDuringAMeasurementIsInTheConditions) {
    Field field;
    g_cases = {made_up("draws much")};
    g_cases[0].finish = [&](Case&) { field.tree().advance(); };  // oc3 counts three
    (void)field.run();
    EXPECT_EQ(conditions_of(field), "oc3 3\n");
}

TEST(Runner, MeasuresEnergyWhereTheBoardHasRails) {
    Field field;
    g_cases = {made_up("with energy"), made_up("without")};
    g_cases[0].energy = true;
    g_cases[0].run = [](std::size_t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return Result<void>();
    };
    (void)field.run();
    EXPECT_GT(field.result("with energy").get<double>("energy_j"), 0);
    EXPECT_EQ(field.result("without").get<std::string>("energy_j"), "null");
}

TEST(Runner, RecordsPercentilesOfSamples) {
    Field field;
    g_cases = {made_up("samples")};
    g_cases[0].run = nullptr;
    g_cases[0].percentiles = {50, 99};
    g_cases[0].sample = [](double) -> Result<std::vector<double>> {
        std::vector<double> seconds;
        for (int i = 1; i <= 100; ++i) seconds.push_back(i);
        return seconds;
    };
    (void)field.run();
    EXPECT_EQ(field.records("result"), (Records{"made_up samples p50 cpu", "made_up samples p99 cpu"}));
    EXPECT_EQ(field.result("samples p50").get<double>("seconds"), 50);
    EXPECT_EQ(field.result("samples p99").get<double>("seconds"), 99);
    EXPECT_EQ(field.result("samples p99").get<int>("axes.percentile"), 99);
    EXPECT_EQ(field.run().measured, 0u);
}

TEST(Runner, WithoutTheGpuNoneOfItsCasesGoOn) {
    Field field;
    g_cases = {made_up("lost"), made_up("after")};
    for (Case& one : g_cases) one.backend = "cuda";
    g_cases[0].run = [](std::size_t) -> Result<void> {
        return make_error(Status::DeviceLost, "fell off the bus");
    };
    g_cases.push_back(made_up("on the CPU"));
    const RunSummary summary = field.run();
    EXPECT_EQ(summary.no_time, 2u);
    EXPECT_EQ(field.records("result"), Records{"made_up on the CPU cpu"});
}

// A run of these parts on a guarded device of the class: everything is right and compared. Returns results of
// the GPU.
std::size_t run_guarded(device::MemoryClass memory_class, const std::vector<std::string>& names) {
    Field field;
    field.options.quick = true;
    device::GuardOptions guard;
    guard.memory_class = memory_class;
    Result<std::unique_ptr<GpuLab>> lab = GpuLab::of(std::make_unique<device::GuardGpu>(guard));
    EXPECT_TRUE(lab.ok());
    field.lab = std::move(*lab);
    std::vector<Part> parts;
    for (const Part& part : all_parts())
        if (std::find(names.begin(), names.end(), part.name) != names.end()) parts.push_back(part);
    EXPECT_EQ(parts.size(), names.size());
    EXPECT_EQ(field.run(parts).wrong, Records());
    for (const std::string& skipped : field.records("skipped"))
        EXPECT_EQ(skipped, "occupancy block sizes cuda");
    std::size_t on_gpu = 0;
    const auto parsed = field.file.parsed();
    for (const auto& [none, record] : parsed.get_child("records")) {
        if (record.get<std::string>("kind") != "result") continue;
        on_gpu += record.get<std::string>("backend") == "cuda" ? 1 : 0;
        EXPECT_TRUE(record.get<bool>("checked") || record.get<std::string>("part") == "copy");
    }
    return on_gpu;
}

TEST(Runner, JobsOfBothBackendsAreRightInEveryMemoryClass) {
    const std::vector<std::string> all = {"copy", "operations", "occupancy", "scaling", "crossover"};
    EXPECT_GT(run_guarded(device::MemoryClass::A, all), 200u);
    for (const device::MemoryClass memory_class :
         {device::MemoryClass::B, device::MemoryClass::C, device::MemoryClass::Discrete})
        EXPECT_GT(run_guarded(memory_class, {"crossover"}), 100u);
}

}  // namespace
}  // namespace tegu::field
