// SPDX-License-Identifier: Apache-2.0
// Keys and samples: what each changes on the screen.
#include "tools/tegu/top/app.h"

#include <gtest/gtest.h>

#include "tests/tools/top_frames.h"
#include "tools/tegu/top/key.h"

namespace tegu {
namespace cli {
namespace top {
namespace {

class TopApp : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!use_utf8()) GTEST_SKIP() << "no UTF-8 locale";
        app_.add({100, parse_view(health_text("nano", true))});
    }
    bool press(int key) { return app_.press(key, screen_); }
    std::string text(double time = 100) { return app_.frame(screen_, time, kFrameUnixSeconds).text(); }
    bool shows(const std::string& what, double time = 100) {
        return text(time).find(what) != std::string::npos;
    }
    // The name in the first row of the table.
    std::string first_row() {
        const std::string all = text();
        const std::size_t begin = all.find('\n', all.find("PID")) + 1;
        return all.substr(begin, all.find('\n', begin) - begin);
    }
    void fill_table(int clients) {
        View view = *parse_view(health_text("nano", true));
        const Account one = view.daemon->clients[0];
        view.daemon->clients.clear();
        for (int i = 0; i < clients; ++i) {
            view.daemon->clients.push_back(one);
            view.daemon->clients.back().pid = 1000 + i;
        }
        app_.add({101, std::move(view)});
        press('P');
    }

    App app_{Order{}, 1};
    Screen screen_{80, 24, true};
};

TEST_F(TopApp, LeavesByItsKeys) {
    for (const int key : {int{'q'}, int{'Q'}, 3, 27}) EXPECT_FALSE(press(key)) << key;
    for (int key = 32; key < 400; ++key) EXPECT_EQ(press(key), key != 'q' && key != 'Q') << key;
}

TEST_F(TopApp, HelpGoesByAnyKey) {
    press('?');
    EXPECT_TRUE(shows("this page; any key leaves it"));
    EXPECT_TRUE(press('q'));
    EXPECT_FALSE(shows("this page"));
}

TEST_F(TopApp, PauseKeepsTheScreenAndSaysSo) {
    press('p');
    View other = *parse_view(health_text("thor", true));
    app_.add({101, std::move(other)});
    EXPECT_TRUE(shows(" paused "));
    EXPECT_TRUE(shows("Jetson Nano"));
    press(' ');
    EXPECT_FALSE(shows(" paused "));
    EXPECT_TRUE(shows("Jetson AGX Thor"));
}

TEST_F(TopApp, Sorts) {
    press('P');
    EXPECT_TRUE(shows("PID▴"));
    EXPECT_NE(first_row().find("    977 "), std::string::npos);
    press('r');
    EXPECT_TRUE(shows("PID▾"));
    EXPECT_NE(first_row().find("  40200 "), std::string::npos);  // 40201 has left
    press('M');
    EXPECT_TRUE(shows("MEMORY▾"));
    EXPECT_NE(first_row().find("camera-"), std::string::npos);
    press('N');
    EXPECT_TRUE(shows("NAME▴"));
    press('s');
    EXPECT_TRUE(shows("MEMORY▾"));  // what has no place is passed over
    press(kKeyLeft);
    EXPECT_TRUE(shows("NAME▴"));
    press('u');
    press('s');
    EXPECT_TRUE(shows("USER▴"));
}

TEST_F(TopApp, ScrollsAndStopsAtBothEnds) {
    fill_table(100);
    const auto starts = [&](const std::string& range) { return shows(range + " of 100"); };
    EXPECT_TRUE(starts("1-7"));
    press(kKeyUp);
    EXPECT_TRUE(starts("1-7"));
    press(kKeyDown);
    EXPECT_TRUE(starts("2-8"));
    press(kKeyPageDown);
    EXPECT_TRUE(starts("9-15"));
    press(kKeyEnd);
    press(kKeyDown);
    EXPECT_TRUE(starts("94-100"));
    press(kKeyPageUp);
    EXPECT_TRUE(starts("87-93"));
    press(kKeyHome);
    EXPECT_TRUE(starts("1-7"));
    // Fewer clients, and a larger screen: nothing is scrolled out of sight.
    press(kKeyEnd);
    fill_table(10);
    EXPECT_TRUE(shows("4-10 of 10"));
    screen_.height = 60;
    EXPECT_TRUE(shows("   1000 "));
}

TEST_F(TopApp, ClientsThatLeftAreHidden) {
    View view = *parse_view(health_text("nano", true));
    const Account one = view.daemon->clients[0];
    view.daemon->clients.assign(3, one);
    for (int i = 0; i < 3; ++i) {
        view.daemon->clients[static_cast<std::size_t>(i)].pid = 7001 + i;
        view.daemon->clients[static_cast<std::size_t>(i)].connections = i == 0 ? 1 : 0;
    }
    app_.add({101, view});
    EXPECT_TRUE(shows("7001"));
    EXPECT_FALSE(shows("7002"));
    // One that worked since the frame before is shown once more.
    View before = view;
    for (Account& client : before.daemon->clients) client.connections = 1;
    app_.add({102, std::move(before)});
    view.daemon->clients[2].jobs = *view.daemon->clients[2].jobs + 5;
    app_.add({103, std::move(view)});
    EXPECT_FALSE(shows("7002"));
    EXPECT_TRUE(shows("7003"));
}

TEST_F(TopApp, IntervalHasSteps) {
    EXPECT_EQ(app_.interval(), 1);
    press('-');
    EXPECT_EQ(app_.interval(), 0.5);
    EXPECT_TRUE(shows("0.5 s"));
    for (int i = 0; i < 20; ++i) press('-');
    EXPECT_EQ(app_.interval(), 0.1);
    for (int i = 0; i < 20; ++i) press('+');
    EXPECT_EQ(app_.interval(), 60);
    App odd({}, 0.3);
    odd.press('+', screen_);
    EXPECT_EQ(odd.interval(), 0.5);
}

TEST_F(TopApp, SaysThatTheDaemonIsGoneAndBack) {
    EXPECT_FALSE(shows("no answer"));
    EXPECT_TRUE(shows("the daemon has not answered for 4 s", 104));  // it hangs: no sample comes
    app_.add({105, Error{TEGU_UNAVAILABLE, 0, {}, {}, "no daemon answers"}});
    EXPECT_TRUE(shows("trying again for 6 s: no daemon answers", 106));
    EXPECT_TRUE(shows(" no answer ", 106));
    EXPECT_TRUE(shows("Jetson Nano", 106));  // the last values stay
    View restarted = *parse_view(health_text("nano", true));
    restarted.daemon->pid = 4711;
    app_.add({110, std::move(restarted)});
    EXPECT_TRUE(shows("the daemon was restarted, after 10 s", 110));
    EXPECT_FALSE(shows("was restarted", 116));
}

TEST_F(TopApp, HistoryIsBounded) {
    for (int i = 0; i < 2000; ++i) app_.add({101.0 + i, Error{TEGU_UNAVAILABLE, 0, {}, {}, "gone"}});
    EXPECT_TRUE(shows("gone", 2200));
}

}  // namespace
}  // namespace top
}  // namespace cli
}  // namespace tegu
