// SPDX-License-Identifier: Apache-2.0
#include "config/settings_reload.h"

#include <gtest/gtest.h>

#include "config/setting_info.h"

namespace tegu::config {
namespace {

TEST(ReloadPlan, NothingChanged) {
    EXPECT_TRUE(plan_reload(default_settings(), default_settings()).changes.empty());
}

TEST(ReloadPlan, AppliesWhatCanBeAppliedAndKeepsWhatNeedsARestart) {
    const Settings running = default_settings(4ull << 30);
    Settings loaded = running;
    loaded.socket.path = "/run/other.sock";
    loaded.log.level = LogLevel::Debug;
    loaded.executor.threads = 3;
    loaded.limits.buffer_bytes = 64 << 20;
    loaded.limits.jobs_in_flight_per_connection = 8;
    const ReloadPlan plan = plan_reload(running, loaded);
    EXPECT_EQ(plan.settings.socket.path, "/run/tegud/tegud.sock");
    EXPECT_EQ(plan.settings.executor.threads, 0u);
    EXPECT_EQ(plan.settings.log.level, LogLevel::Debug);
    EXPECT_EQ(plan.settings.limits.buffer_bytes, 64u << 20);
    EXPECT_EQ(plan.settings.limits.jobs_in_flight_per_connection, 8u);
    std::string texts;
    for (const SettingChange& change : plan.changes) texts += change_text(change) + "\n";
    EXPECT_EQ(texts,
              "socket.path: \"/run/tegud/tegud.sock\" -> \"/run/other.sock\" (needs a restart)\n"
              "log.level: \"info\" -> \"debug\" (is applied at once)\n"
              "executor.threads: 0 -> 3 (needs a restart)\n"
              "limits.jobs_in_flight_per_connection: 64 -> 8 (is applied to new connections)\n"
              "limits.buffer_bytes: \"768MiB\" -> \"64MiB\" (is applied at once)\n");
}

// The value that waits for a restart is reported by every reload until then, and gone when the file takes it
// back.
TEST(ReloadPlan, ComparesWithWhatIsInForce) {
    const Settings running = default_settings();
    Settings loaded = running;
    loaded.executor.threads = 3;
    const Settings in_force = plan_reload(running, loaded).settings;
    EXPECT_EQ(plan_reload(in_force, loaded).changes.size(), 1u);
    EXPECT_TRUE(plan_reload(in_force, running).changes.empty());
}

TEST(ReloadPlan, EverySettingIsComparedAndDoesWhatItsRowSays) {
    const Settings running = default_settings();
    for (const SettingInfo& info : setting_infos()) {
        Settings loaded = running;
        const SettingValue before = info.get(running);
        if (const auto* number = std::get_if<std::uint64_t>(&before))
            info.set(loaded, *number + 1);
        else if (info.kind == SettingKind::Path || info.kind == SettingKind::Place)
            info.set(loaded, std::string("/other"));
        else if (info.kind == SettingKind::Listen)
            info.set(loaded, std::string("[::1]:9469"));
        else if (info.kind == SettingKind::Devices)
            info.set(loaded, std::string("1,0"));
        else {
            const std::string first(setting_words(info.kind)[0]);
            info.set(loaded,
                     before == SettingValue(first) ? std::string(setting_words(info.kind)[1]) : first);
        }
        const ReloadPlan plan = plan_reload(running, loaded);
        ASSERT_EQ(plan.changes.size(), 1u) << info.key;
        EXPECT_EQ(plan.changes[0].key, info.key);
        const bool kept = info.get(plan.settings) == before;
        EXPECT_EQ(kept, info.reload == Reload::Restart) << info.key;
    }
}

}  // namespace
}  // namespace tegu::config
