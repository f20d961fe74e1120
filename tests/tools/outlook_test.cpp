// SPDX-License-Identifier: Apache-2.0
// What is said of a job that runs: never more than the daemon's prediction holds.
#include "tools/tegu/outlook.h"

#include <gtest/gtest.h>

namespace tegu {
namespace cli {
namespace {

std::vector<client::Field> fields(std::uint64_t jobs, std::uint64_t waiting_ns, std::uint64_t running_ns) {
    return {{"jobs_in_flight", jobs},
            {"predicted_work_waiting_ns", waiting_ns},
            {"predicted_work_running_ns", running_ns}};
}

TEST(Outlook, ReadsTheFieldsOfTheDaemon) {
    const std::optional<Outlook> one = outlook_of(fields(1, 0, 5000000000));
    ASSERT_TRUE(one);
    EXPECT_TRUE(one->alone);
    EXPECT_EQ(one->expected_seconds, 5);
    const std::optional<Outlook> many = outlook_of(fields(3, 4000000000, 2000000000));
    ASSERT_TRUE(many);
    EXPECT_FALSE(many->alone);
    EXPECT_EQ(many->expected_seconds, 6);
    EXPECT_FALSE(outlook_of(fields(1, 0, 0)));
    EXPECT_FALSE(outlook_of(fields(0, 0, 7)));
    EXPECT_FALSE(outlook_of({}));
}

TEST(Outlook, SaysWhatIsKnown) {
    EXPECT_EQ(waiting_text(3, {}), "waiting 3 s");
    EXPECT_EQ(waiting_text(3, Outlook{4, true}), "computing 3 s: about 75 % of the expected 4 s, 1 s left");
    EXPECT_EQ(waiting_text(5, Outlook{4, true}), "computing 5 s, longer than the expected 4 s");
    EXPECT_EQ(waiting_text(3, Outlook{9, false}),
              "waiting 3 s; the work of all clients is expected to take 9 s");
}

}  // namespace
}  // namespace cli
}  // namespace tegu
