// SPDX-License-Identifier: Apache-2.0
#include "daemon/buffers/quota.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tegu::daemon {
namespace {

config::Settings::Limits small_limits() {
    config::Settings::Limits limits;
    limits.connections = 4;
    limits.connections_per_uid = 2;
    limits.jobs_per_uid = 3;
    limits.buffers_per_connection = 2;
    limits.buffers_per_uid = 3;
    limits.buffer_bytes = 1000;
    limits.buffer_bytes_per_uid = 1500;
    limits.buffer_bytes_total = 2000;
    return limits;
}

template <class T>
void expect_error(const Result<T>& result, Status status, const std::string& field) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(status, result.error().status) << result.error().message;
    EXPECT_EQ(field, result.error().field);
    EXPECT_FALSE(result.error().allowed.empty());
    EXPECT_EQ(status == Status::Busy, result.error().retry_after_ns > 0);
}

TEST(Quotas, ConnectionsOfOneUserThenOfAll) {
    Quotas quotas(small_limits(), 1000);
    EXPECT_TRUE(quotas.open_connection(1).ok());
    EXPECT_TRUE(quotas.open_connection(1).ok());
    expect_error(quotas.open_connection(1), Status::OverQuota, "limits.connections_per_uid");
    EXPECT_TRUE(quotas.open_connection(2).ok());
    EXPECT_TRUE(quotas.open_connection(3).ok());
    expect_error(quotas.open_connection(4), Status::Busy, "limits.connections");
    quotas.close_connection(1);
    EXPECT_TRUE(quotas.open_connection(4).ok());
    EXPECT_EQ(4u, quotas.all().connections);
}

TEST(Quotas, NoDescriptorLeftIsBusy) {
    Quotas quotas(small_limits(), 5);  // half of few are kept back
    EXPECT_TRUE(quotas.open_connection(1).ok());
    expect_error(quotas.open_connection(2), Status::Busy, "limits.connections");
    EXPECT_TRUE(quotas.charge_buffer(1, 0, 10).ok());  // and ends at once
    quotas.close_connection(1);
    EXPECT_TRUE(quotas.open_connection(2).ok());
}

// 285 are kept back; a connection counts for two, a buffer for one.
TEST(Quotas, DescriptorsAreCountedAtTheirMost) {
    for (std::uint64_t left = 0; left < 4; ++left) {
        config::Settings::Limits limits = small_limits();
        limits.connections = limits.connections_per_uid = 1000;
        Quotas one(limits, 600 + left);
        std::uint64_t connections = 0;
        while (one.open_connection(1).ok()) ++connections;
        EXPECT_EQ((600 + left - 285) / 2, connections);
        expect_error(one.open_connection(2), Status::Busy, "limits.connections");
        const Result<BufferCharge> last = one.charge_buffer(1, 0, 10);
        EXPECT_EQ((600 + left - 285) % 2 == 1, last.ok());
        if (last) expect_error(one.charge_buffer(1, 1, 10), Status::Busy, "limits.buffers_per_uid");
    }
}

TEST(Quotas, DescriptorsThatAreOpenElsewhereCountToo) {
    std::uint64_t others = 1000 - 285 - 4;
    Quotas quotas(small_limits(), 1000, [&] { return others; });
    EXPECT_TRUE(quotas.open_connection(1).ok());
    EXPECT_TRUE(quotas.open_connection(1).ok());
    expect_error(quotas.open_connection(2), Status::Busy, "limits.connections");
    expect_error(quotas.charge_buffer(1, 0, 10), Status::Busy, "limits.buffers_per_uid");
    others = 0;
    EXPECT_TRUE(quotas.open_connection(2).ok());
    EXPECT_TRUE(quotas.charge_buffer(1, 0, 10).ok());
}

TEST(Quotas, JobsOfOneConnectionAndOfOneUser) {
    Quotas quotas(small_limits(), 1000);
    EXPECT_TRUE(quotas.start_job(1, 0, 2).ok());
    EXPECT_TRUE(quotas.start_job(1, 1, 2).ok());
    expect_error(quotas.start_job(1, 2, 2), Status::OverQuota, "limits.jobs_in_flight_per_connection");
    EXPECT_TRUE(quotas.start_job(1, 0, 2).ok());
    expect_error(quotas.start_job(1, 0, 2), Status::OverQuota, "limits.jobs_per_uid");
    EXPECT_TRUE(quotas.start_job(2, 0, 2).ok());
    quotas.end_job(1);
    EXPECT_TRUE(quotas.start_job(1, 0, 2).ok());
    EXPECT_EQ(4u, quotas.all().jobs);
}

TEST(Quotas, BuffersByCountAndByBytesAtEachLevel) {
    Quotas quotas(small_limits(), 1000);
    expect_error(quotas.charge_buffer(1, 0, 1001), Status::TooLarge, "bytes");
    expect_error(quotas.charge_buffer(1, 2, 1), Status::OverQuota, "limits.buffers_per_connection");
    Result<BufferCharge> first = quotas.charge_buffer(1, 0, 1000);
    ASSERT_TRUE(first.ok());
    expect_error(quotas.charge_buffer(1, 1, 501), Status::OverQuota, "limits.buffer_bytes_per_uid");
    Result<BufferCharge> second = quotas.charge_buffer(1, 1, 500);
    Result<BufferCharge> other = quotas.charge_buffer(2, 0, 500);
    ASSERT_TRUE(second.ok() && other.ok());
    expect_error(quotas.charge_buffer(3, 0, 1), Status::Busy, "limits.buffer_bytes_total");
    {
        const BufferCharge ended = std::move(second).value();
        EXPECT_EQ(1500u, quotas.user(1).buffer_bytes);
    }
    EXPECT_EQ(1000u, quotas.user(1).buffer_bytes);
    EXPECT_TRUE(quotas.charge_buffer(3, 0, 500).ok());  // and ends at once
    EXPECT_EQ(1500u, quotas.all().buffer_bytes);
    EXPECT_EQ(2u, quotas.all().buffers);
}

TEST(Quotas, SumsThatWouldWrapAreRefused) {
    config::Settings::Limits limits = small_limits();
    limits.buffer_bytes = limits.buffer_bytes_per_uid = limits.buffer_bytes_total = UINT64_MAX;
    Quotas quotas(limits, 1000);
    Result<BufferCharge> first = quotas.charge_buffer(1, 0, UINT64_MAX - 1);
    ASSERT_TRUE(first.ok());
    expect_error(quotas.charge_buffer(1, 1, 2), Status::OverQuota, "limits.buffer_bytes_per_uid");
    EXPECT_TRUE(quotas.charge_buffer(1, 1, 1).ok());
}

TEST(Quotas, ALoweredLimitKeepsWhatIsHeldAndRefusesMore) {
    Quotas quotas(small_limits(), 1000);
    Result<BufferCharge> held = quotas.charge_buffer(1, 0, 1000);
    config::Settings::Limits lower = small_limits();
    lower.buffer_bytes_per_uid = 500;
    quotas.set_limits(lower);
    EXPECT_EQ(1000u, quotas.all().buffer_bytes);
    expect_error(quotas.charge_buffer(1, 1, 1), Status::OverQuota, "limits.buffer_bytes_per_uid");
}

TEST(Quotas, UsersAreForgottenWithTheirLastThing) {
    Quotas quotas(small_limits(), 1000);
    EXPECT_TRUE(quotas.open_connection(1).ok());
    {
        Result<BufferCharge> charge = quotas.charge_buffer(1, 0, 10);
        quotas.close_connection(1);
        EXPECT_EQ(1u, quotas.users());
    }
    EXPECT_EQ(0u, quotas.users());
    expect_error(quotas.start_job(5, 3, 3), Status::OverQuota, "limits.jobs_in_flight_per_connection");
    EXPECT_EQ(0u, quotas.users());
}

TEST(Quotas, MovedChargesAreGivenBackOnce) {
    Quotas quotas(small_limits(), 1000);
    BufferCharge kept;
    {
        BufferCharge charge = quotas.charge_buffer(1, 0, 700).value();
        kept = std::move(charge);
    }
    EXPECT_EQ(700u, quotas.all().buffer_bytes);
    kept = quotas.charge_buffer(1, 1, 100).value();
    EXPECT_EQ(100u, quotas.all().buffer_bytes);
    kept = BufferCharge();
    EXPECT_EQ(0u, quotas.all().buffer_bytes);
    EXPECT_EQ(0u, quotas.all().buffers);
}

TEST(Quotas, RandomChargesNeverPassALimitAndEndAtZero) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        std::mt19937 random(seed);
        Quotas quotas(small_limits(), 1000);
        std::vector<BufferCharge> held;
        for (int step = 0; step < 1000; ++step) {
            if (random() % 2 == 0) {
                Result<BufferCharge> charge =
                    quotas.charge_buffer(static_cast<uid_t>(random() % 3), 0, 1 + random() % 1200);
                if (charge) held.push_back(std::move(charge).value());
            } else if (!held.empty()) {
                held.erase(held.begin() + static_cast<std::ptrdiff_t>(random() % held.size()));
            }
            ASSERT_LE(quotas.all().buffer_bytes, 2000u) << "seed " << seed;
            ASSERT_EQ(held.size(), quotas.all().buffers) << "seed " << seed;
            for (uid_t uid = 0; uid < 3; ++uid)
                ASSERT_LE(quotas.user(uid).buffer_bytes, 1500u) << "seed " << seed;
        }
        held.clear();
        EXPECT_EQ(0u, quotas.all().buffer_bytes);
        EXPECT_EQ(0u, quotas.users());
    }
}

}  // namespace
}  // namespace tegu::daemon
