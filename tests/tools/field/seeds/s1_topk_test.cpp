// SPDX-License-Identifier: Apache-2.0
// The extremes and the lists of S1 against the host, exactly.
#include "tools/field/seeds/topk/topk.h"

#include <algorithm>
#include <set>

#include "tests/tools/field/seeds/seeds_test.h"
#include "tools/field/seeds/topk/first.h"

namespace tegu::seeds {
namespace {

class ListTest : public SeedsTest {
  protected:
    std::vector<std::int32_t> topk(ListMethod method, unsigned k, const ListPolicy& policy,
                                   const std::vector<std::int32_t>& values) {
        const DeviceArray<std::int32_t> x(values), out(std::size_t{k}), lists(std::size_t{policy.blocks} * k);
        EXPECT_EQ(launch_list_topk(method, k, x.data(), values.size(), out.data(), lists.data(), policy,
                                   context_.stream),
                  0);
        wait();
        return out.download(k);
    }
};

constexpr ListMethod kMethods[] = {ListMethod::Search, ListMethod::Threshold, ListMethod::Merge};

std::vector<std::int32_t> expected_of(const std::vector<std::int32_t>& values, unsigned k) {
    const std::set<std::int32_t, std::greater<>> distinct(values.begin(), values.end());
    std::vector<std::int32_t> expected(distinct.begin(), distinct.end());
    expected.resize(k, INT32_MIN);
    return expected;
}

TEST_F(ListTest, ExtremesAreThoseOfTheHost) {
    for (const std::uint64_t n : kSizes) {
        const std::vector<std::int32_t> values = random_integers(n, n + 7);
        const DeviceArray<std::int32_t> x(values);
        const DeviceArray<std::uint32_t> keys(
            std::vector<std::uint32_t>{extreme_key(INT32_MAX), extreme_key(INT32_MIN)});
        ASSERT_EQ(launch_plain_extremes(x.data(), n, keys.data(), ListPolicy{128, 3}, context_.stream), 0);
        wait();
        const std::vector<std::uint32_t> found = keys.download(2);
        EXPECT_EQ(extreme_value(found[0]),
                  n == 0 ? INT32_MAX : *std::min_element(values.begin(), values.end()))
            << n;
        EXPECT_EQ(extreme_value(found[1]),
                  n == 0 ? INT32_MIN : *std::max_element(values.begin(), values.end()))
            << n;
    }
}

TEST_F(ListTest, HoldsTheLargestDistinctValuesAtEverySize) {
    for (const unsigned k : {5u, 48u})
        for (const std::uint64_t n : {0u, 1u, 4u, 5u, 6u, 47u, 48u, 49u, 127u, 1000u, 5001u})
            for (const std::int32_t modulus : {0, 5, 30}) {  // 0: any value
                std::vector<std::int32_t> values = random_integers(n, n + k);
                if (modulus != 0)
                    for (std::int32_t& value : values) value %= modulus;
                if (n > 10) values[3] = INT32_MIN, values[7] = INT32_MAX;
                for (const ListMethod method : kMethods)
                    EXPECT_EQ(topk(method, k, ListPolicy{k == 5 ? 128u : 32u, 3}, values),
                              expected_of(values, k))
                        << "method " << static_cast<int>(method) << ", k = " << k << ", n = " << n
                        << ", modulus " << modulus;
            }
}

TEST_F(ListTest, EveryListSizeHasItsKernel) {
    std::vector<std::int32_t> values = random_integers(3000, 1);
    for (std::size_t i = 1000; i < 1500; ++i) values[i] = values[i - 1000];
#define TEGU_X(k) k,
    for (const unsigned k : {TEGU_SEED_LIST_SIZES(TEGU_X)}) {
#undef TEGU_X
        ASSERT_TRUE(has_list_size(k));
        if (list_topk_shared_bytes(k, 32) > context_.limits.shared_bytes_per_block) continue;
        for (const ListMethod method : kMethods)
            EXPECT_EQ(topk(method, k, ListPolicy{32, 2}, values), expected_of(values, k))
                << "method " << static_cast<int>(method) << ", k = " << k;
    }
    EXPECT_FALSE(has_list_size(49));
}

TEST_F(ListTest, OrderOfTheValuesDoesNotMatter) {
    std::vector<std::int32_t> values = random_integers(2000, 3);
    for (const bool ascending : {true, false}) {
        std::sort(values.begin(), values.end());
        if (!ascending) std::reverse(values.begin(), values.end());
        for (const ListMethod method : kMethods)
            EXPECT_EQ(topk(method, 20, ListPolicy{64, 2}, values), expected_of(values, 20));
    }
}

TEST_F(ListTest, FirstDistinctOfSortedValues) {
    for (const std::uint64_t n : kSizes)
        for (const std::int32_t modulus : {0, 1, 7}) {  // 0: any value
            std::vector<std::int32_t> sorted = random_integers(n, n + 3);
            if (modulus != 0)
                for (std::int32_t& value : sorted) value %= modulus;
            std::sort(sorted.begin(), sorted.end(), std::greater<>());
            const DeviceArray<std::int32_t> x(sorted);
            for (const unsigned k : {1u, 10u, 1500u}) {
                const DeviceArray<std::int32_t> out(std::size_t{k});
                ASSERT_EQ(launch_first_distinct(x.data(), n, k, out.data(), context_.stream), 0);
                wait();
                EXPECT_EQ(out.download(k), expected_of(sorted, k)) << "n = " << n << ", k = " << k;
            }
        }
}

TEST_F(ListTest, EntrySaysWhatABlockTakes) {
    const cuda::KernelEntry entry = list_topk_kernel(ListMethod::Merge, 96, 128);
    EXPECT_EQ(entry.name, "list_topk<merge, 96>");
    EXPECT_EQ(entry.threads, 128u);
    EXPECT_EQ(entry.shared_bytes, 48u << 10);
}

}  // namespace
}  // namespace tegu::seeds
