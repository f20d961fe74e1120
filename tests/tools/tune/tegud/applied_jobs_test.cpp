// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/tegud/applied_jobs.h"

#include <gtest/gtest.h>

namespace tegu::tune {
namespace {

TEST(AppliedJobs, RowIsReadFromThePolicyOfAReply) {
    EXPECT_EQ(row_in("cuda sm_90 threads=512 row=overlay/add-f32"), "overlay/add-f32");
    EXPECT_EQ(row_in("row=default more=1"), "default");
    EXPECT_EQ(row_in("arrow=3"), "");
    EXPECT_EQ(applied_line({"add", "tuned", "overlay/tuned", "gpu", ""}),
              "add          gpu  right  row overlay/tuned");
    EXPECT_EQ(applied_line({"add", "tuned", "default", "gpu", ""}),
              "add          gpu  right  row default, not tuned");
    EXPECT_EQ(applied_line({"add", "", "", "cpu", "values: element 3 differs"}),
              "add          cpu  WRONG (values: element 3 differs)  row unknown");
}

}  // namespace
}  // namespace tegu::tune
