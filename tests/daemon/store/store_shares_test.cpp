// SPDX-License-Identifier: Apache-2.0
// Places in the descriptor store: they are shared until nobody could have one more but from a user who would
// then have fewer.
#include "daemon/store/store_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tegu::daemon {
namespace {

using Numbers = std::vector<std::uint64_t>;

// A store of `places` that takes what comes next and makes room, as the daemon does.
class Store {
  public:
    explicit Store(std::size_t places) : places_(places) {}
    void want(uid_t uid, std::size_t count) {
        for (; count > 0; --count) {
            shares_.add_waiting(uid, ++last_);
            uids_[last_] = uid;
        }
    }
    void drop(std::uint64_t number) {
        shares_.remove(uids_.at(number), number);
        uids_.erase(number);
        kept_.erase(number);
    }
    // Rounds of `step` until nothing moves; returns how many.
    std::size_t settle(std::size_t step) {
        for (std::size_t rounds = 0;; ++rounds) {
            if (!fill() && !make_room(step)) return rounds;
            EXPECT_LE(kept_.size(), places_);
            EXPECT_EQ(kept_.size(), shares_.kept());
            EXPECT_EQ(uids_.size(), shares_.kept() + shares_.waiting());
        }
    }
    std::size_t kept(uid_t uid) const {
        return static_cast<std::size_t>(std::count_if(
            kept_.begin(), kept_.end(), [&](std::uint64_t number) { return uids_.at(number) == uid; }));
    }
    const StoreShares& shares() const { return shares_; }
    const std::set<std::uint64_t>& numbers() const { return kept_; }

  private:
    bool fill() {
        bool any = false;
        while (kept_.size() < places_) {
            const std::optional<std::uint64_t> next = shares_.next();
            if (!next) break;
            shares_.keep(uids_.at(*next), *next);
            kept_.insert(*next);
            any = true;
        }
        return any;
    }
    bool make_room(std::size_t most) {
        const Numbers numbers = shares_.to_give_up(most);
        EXPECT_LE(numbers.size(), most);
        for (const std::uint64_t number : numbers) {
            EXPECT_EQ(1u, kept_.erase(number)) << "given up twice, or not kept";
            shares_.wait_again(uids_.at(number), number);
        }
        return !numbers.empty();
    }

    StoreShares shares_;
    std::size_t places_;
    std::uint64_t last_ = 0;
    std::map<std::uint64_t, uid_t> uids_;
    std::set<std::uint64_t> kept_;
};

TEST(StoreSharesTest, OneUserAloneHasThemAll) {
    Store store(10);
    store.want(1, 30);
    store.settle(4);
    EXPECT_EQ(10u, store.kept(1));
    EXPECT_EQ(20u, store.shares().waiting());
    EXPECT_EQ(10u, store.shares().fewest_kept());
    EXPECT_EQ(11u, store.shares().next());
    EXPECT_EQ(Numbers(), store.shares().to_give_up(10));
}

TEST(StoreSharesTest, WhoeverComesLaterGetsHisShareFromTheNewest) {
    Store store(10);
    store.want(1, 30);
    store.settle(4);
    store.want(2, 3);
    EXPECT_EQ((Numbers{10, 9, 8}), store.shares().to_give_up(64));
    store.settle(64);
    EXPECT_EQ(7u, store.kept(1));
    EXPECT_EQ(3u, store.kept(2));
    EXPECT_EQ(7u, *std::next(store.numbers().begin(), 6)) << "the oldest stay";
    store.want(3, 100);
    store.settle(2);
    EXPECT_EQ(4u, store.kept(1));
    EXPECT_EQ(3u, store.kept(2)) << "all that he wants";
    EXPECT_EQ(3u, store.kept(3));
}

TEST(StoreSharesTest, WhatIsFreeAgainGoesBack) {
    Store store(4);
    store.want(1, 4);
    store.want(2, 2);
    store.settle(64);
    EXPECT_EQ(2u, store.kept(1));
    store.drop(5);
    store.drop(6);
    store.settle(64);
    EXPECT_EQ(4u, store.kept(1));
    EXPECT_EQ(std::nullopt, store.shares().next());
    EXPECT_EQ(std::nullopt, store.shares().fewest_kept());
}

TEST(StoreSharesTest, OneAfterAnotherIsRemoved) {
    StoreShares shares;
    shares.add_waiting(1, 1);
    shares.add_kept(1, 2);
    shares.remove(1, 3);
    shares.remove(2, 1);
    EXPECT_EQ(1u, shares.waiting());
    EXPECT_EQ(1u, shares.kept());
    shares.remove(1, 1);
    shares.remove(1, 2);
    EXPECT_EQ(0u, shares.waiting() + shares.kept());
    EXPECT_EQ(Numbers(), shares.to_give_up(1));
}

TEST(StoreSharesTest, AnyUsersEndAtFairShares) {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int round = 0; round < 200; ++round) {
        const std::size_t places = random() % 40, users = 1 + random() % 6;
        Store store(places);
        std::vector<std::size_t> wanted(users);
        for (int step = 0; step < 4; ++step) {
            for (uid_t uid = 0; uid < users; ++uid) {
                const std::size_t more = random() % 20;
                wanted[uid] += more;
                store.want(uid, more);
            }
            store.settle(1 + random() % 8);
            std::size_t all = 0, most = 0;
            for (uid_t uid = 0; uid < users; ++uid) {
                all += wanted[uid];
                most = std::max(most, store.kept(uid));
            }
            EXPECT_EQ(std::min(all, places), store.shares().kept());
            for (uid_t uid = 0; uid < users; ++uid)
                if (store.kept(uid) < wanted[uid]) {
                    EXPECT_LE(most, store.kept(uid) + 1);
                }
        }
    }
}

}  // namespace
}  // namespace tegu::daemon
