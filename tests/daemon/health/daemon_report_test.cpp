// SPDX-License-Identifier: Apache-2.0
// What the daemon says of itself, in each form, of values that are made up: the text of a reply is bounded
// whatever clients do, and says what it left out.
#include "daemon/health/daemon_report.h"

#include <gtest/gtest.h>

#include "daemon/health/board/busy_shares.h"
#include "daemon/health/board/text.h"
#include "daemon/health/health_json.h"
#include "daemon/health/health_text.h"
#include "tests/daemon/health/golden.h"

namespace tegu::daemon::health {
namespace {

constexpr std::size_t kReplyBytes = 72 * 1024;  // of HEALTH
const Times kNow{5'000'000'000, 1'750'000'010'000};

UseReport use(uid_t uid, pid_t pid, const std::string& name) {
    UseReport use;
    use.uid = uid;
    use.pid = pid;
    use.name = name;
    use.connections = 1;
    use.buffers = 2;
    use.buffer_bytes = 3 << 20;
    use.jobs_in_flight = 1;
    use.jobs_total = 1234;
    use.device_seconds_total = 1.5;
    use.cpu_seconds_total = 0.25;
    use.bytes_total = 123'456'789;
    return use;
}

DaemonReport some_report() {
    DaemonReport report;
    report.version = "0.1.0";
    report.pid = 4242;
    report.uptime_seconds = 12'345.5;
    report.backend = "gpu";
    report.memory_class = "B";
    report.connections = 2;
    report.counters = {{"connections_total", 12}, {"results_dropped_total", 1}};
    report.measures = {{"start_us", {{"express", 12.5}, {"pool", 20.0}}},
                       {"predicted_jobs_total", {{"reduce", std::uint64_t{500}}}}};
    report.closed = {{"peer_closed", 9}, {"idle", 1}};
    report.queue = {1, 2, 0, 1, 0.0125};
    report.executors = {
        {"inline", 0, 0, 1000, 0.5, 0.03}, {"CPU", 1, 0, 20, 2, 0}, {"GPU 0", 2, 1, 300, 60.5, 0.55}};
    report.jobs = {{"reduce", "OK", 1300}, {"reduce", "CANCELLED", 2}, {"topk", "DEADLINE_EXCEEDED", 18}};
    report.refused = {{"BUSY", 7}};
    report.times = {{"queue", 1320, 1e-6, 2e-6, 1e-3, 2e-3, 0.02},
                    {"copy", 0, 0, 0, 0, 0, 0},
                    {"compute", 1320, 12e-6, 14e-6, 5e-3, 0.1, 1.25},
                    {"whole", 1320, 13e-6, 16e-6, 6e-3, 0.1025, 1.27}};
    report.users = {use(1000, 0, ""), use(1001, 0, "")};
    report.other_users = use(0, 0, "");
    report.clients = {use(1000, 11, "camera"), use(1001, 12, "hostile\n\"\xff\033[2J")};
    report.clients_left_out = 3;
    report.costs = {500, 1.1, 0.35};
    report.operation_costs = {{"reduce", {500, 1.1, 0.35}}};
    report.errors = {
        {7, 1'749'999'000'000, 1'750'000'005'000, "BUSY", "reduce", 1001, 12,
         "limits.queued_jobs: too many jobs wait"},
        {1, 1'750'000'000'000, 1'750'000'000'000, "BAD_REQUEST", "", 1001, 12, "what\" is\\this"}};
    report.reloads = {{1'750'000'001'000, false, "tegud.toml:2:1: nonsense: unknown key"},
                      {1'749'000'001'000, true, "0 changes"}};
    report.tuning = {
        {"overlay", "jetson-orin-nano"},
        12,
        5,
        2,
        1,
        {"/etc/tegud/tuning.toml:9:1: row a\033 is ignored: policy.waves: waves is 0; allowed: 1 to 64"}};
    report.watchdog = WatchdogReport{30, 10.2};
    report.descriptor_store = StoreReport{5, "ok", ""};
    return report;
}

std::string text_of(const DaemonReport& report) {
    return health_text(Snapshot(), Assessment(), kNow, &report);
}

TEST(DaemonReport, IsOneObjectOfTheHealth) {
    const DaemonReport report = some_report();
    const std::string json = health_json(Snapshot(), Assessment(), kNow, &report);
    const std::size_t begin = json.find("\"daemon\": "), end = json.find(", \"reading\"");
    ASSERT_LT(begin, end);
    expect_golden("daemon.json", pretty(json.substr(begin + 10, end - begin - 10)));
    EXPECT_EQ(health_json(Snapshot(), Assessment(), kNow).find("\"daemon\""), std::string::npos)
        << "a board alone";
}

TEST(DaemonReport, IsAFewLinesForAPerson) {
    const DaemonReport report = some_report();
    const std::string text = text_of(report);
    const std::size_t end = text.find("board ");
    ASSERT_NE(end, std::string::npos);
    expect_golden("daemon.txt", text.substr(0, end));
    EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST(DaemonReport, SaysNothingOfWhatHasNoNews) {
    DaemonReport report;
    report.version = "0.1.0";
    report.backend = "cpu";
    const std::string text = text_of(report);
    for (const char* word :
         {"latency", "users", "errors", "reload", "tuning", "watchdog", "store", "refused", "class"})
        EXPECT_EQ(text.find(word), std::string::npos) << word;
    report.descriptor_store = StoreReport{0, "off", "not asked for"};
    EXPECT_EQ(text_of(report).find("store"), std::string::npos);
    report.descriptor_store = StoreReport{3, "full", "the service manager takes 3"};
    EXPECT_NE(text_of(report).find("3 buffers are kept over a restart; full: the service manager takes 3"),
              std::string::npos);
}

TEST(DaemonReport, LeavesOutWhatClientsMakeLongAndThenAllValues) {
    DaemonReport report = some_report();
    report.clients.assign(64, use(4'000'000'000, 4'000'000, std::string(64, '\1')));
    report.users.assign(48, use(4'000'000'000, 0, ""));
    ErrorReport error = report.errors[1];
    error.message = std::string(160, '\\');
    report.errors.assign(32, error);
    report.tuning.tables.assign(8, std::string(64, 't'));
    report.tuning.reasons.assign(8, std::string(256, 'r'));
    const std::string all = health_json(Snapshot(), Assessment(), kNow, &report);
    EXPECT_LE(all.size(), kReplyBytes) << "the longest lists fit beside a board without values";
    const std::string shorter = health_json(Snapshot(), Assessment(), kNow, &report, 20'000);
    EXPECT_LE(shorter.size(), 20'000u);
    EXPECT_NE(shorter.find("users, clients and errors\"}"), std::string::npos);
    EXPECT_NE(shorter.find("\"clients\": [], \"clients_left_out\": 67"), std::string::npos);
    EXPECT_NE(shorter.find("\"latency_seconds\""), std::string::npos);
    const std::string least = health_json(Snapshot(), Assessment(), kNow, &report, 200);
    EXPECT_EQ(least.find("daemon"), std::string::npos);
    EXPECT_NE(least.find("\"left_out\": \"all values\""), std::string::npos);
}

TEST(BusyShares, AreOfTheLastInterval) {
    BusyShares shares;
    EXPECT_EQ(shares.ratio("CPU"), 0);
    shares.refresh("CPU", 500, 1000);
    EXPECT_EQ(shares.ratio("CPU"), 0) << "one look says nothing";
    shares.refresh("CPU", 750, 2000);
    EXPECT_EQ(shares.ratio("CPU"), 0.25);
    shares.refresh("CPU", 750, 2000);
    EXPECT_EQ(shares.ratio("CPU"), 0.25) << "no time has passed";
    shares.refresh("CPU", 1850, 3000);
    EXPECT_EQ(shares.ratio("CPU"), 1) << "clocks that were read a moment apart";
    shares.refresh("GPU 0", 1, 3000);
    shares.refresh("CPU", 1850, 4000);
    EXPECT_EQ(shares.ratio("CPU"), 0);
}

TEST(Text, HasTheUnitThatFits) {
    EXPECT_EQ(time_text(0), "0 s");
    EXPECT_EQ(time_text(12.34e-6), "12.3 us");
    EXPECT_EQ(time_text(0.5e-9), "0.00 us");
    EXPECT_EQ(time_text(999.4e-6), "999 us");
    EXPECT_EQ(time_text(0.0042), "4.20 ms");
    EXPECT_EQ(time_text(123), "123 s");
    EXPECT_EQ(bytes_text(1023), "1023 B");
    EXPECT_EQ(bytes_text(1536), "1.50 KiB");
    EXPECT_EQ(bytes_text(std::uint64_t{5} << 40), "5.00 TiB");
    EXPECT_EQ(age_text(119), "119 s");
    EXPECT_EQ(age_text(200'000), "2.3 days");
    EXPECT_EQ(plain_text("a\x7f\xc3\xa4"), "a???");
}

}  // namespace
}  // namespace tegu::daemon::health
