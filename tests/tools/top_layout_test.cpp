// SPDX-License-Identifier: Apache-2.0
// The frames of `tegu top`, as golden files that were looked at; and that no size and no board draws outside
// of the screen.
#include "tools/tegu/top/layout.h"

#include <gtest/gtest.h>

#include "tests/tools/top_frames.h"

namespace tegu {
namespace cli {
namespace top {
namespace {

const char* const kBoards[] = {"nano", "tx2", "xavier-nx", "orin-nano", "agx-orin", "thor", "pc"};

class Frames : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!use_utf8()) GTEST_SKIP() << "no UTF-8 locale";
    }
    Grid draw(const View& view, int width, int height, const Choice& choice = {}, bool unicode = true) const {
        Screen screen;
        screen.width = width;
        screen.height = height;
        screen.unicode = unicode;
        return lay_out(view, history_, choice, screen, kFrameUnixSeconds);
    }
    const History history_ = make_history();
};

TEST_F(Frames, OfEveryBoard) {
    for (const std::string board : kBoards)
        expect_frame(board + "-80x24", draw(make_view(health_text(board, true)), 80, 24));
}

TEST_F(Frames, OfEverySize) {
    const View view = make_view(health_text("xavier-nx", true));
    expect_frame("size-40x10", draw(view, 40, 10));
    expect_frame("size-60x15", draw(view, 60, 15));
    expect_frame("size-100x32", draw(view, 100, 32));
    expect_frame("size-120x40", draw(view, 120, 40));
    expect_frame("size-200x60", draw(make_view(health_text("thor", true)), 200, 60));
    expect_frame("size-endless", draw(view, 80, 0));
}

// Of the documents: scripts/draw-top.py makes docs/top.svg of it.
TEST_F(Frames, Picture) {
    View view = make_view(health_text("xavier-nx", true, "degraded"));
    std::vector<Account> clients;
    for (Account& client : view.daemon->clients) {
        client.user = *client.uid == 0 ? "root" : *client.uid == 1000 ? "robot" : "fusion";
        const bool odd =
            client.name.empty() || client.name.find_first_of("\x1b\xcc\xe5") != std::string::npos;
        if (!odd) clients.push_back(client);
    }
    view.daemon->clients = clients;
    expect_frame("picture", draw(view, 100, 32));
}

TEST_F(Frames, WithReasons) {
    expect_frame("degraded-80x24", draw(make_view(health_text("nano", true, "degraded")), 80, 24));
    expect_frame("failing-80x24", draw(make_view(health_text("xavier-nx", true, "failing")), 80, 24));
    expect_frame("failing-120x40", draw(make_view(health_text("xavier-nx", true, "failing")), 120, 40));
}

TEST_F(Frames, OfADaemonThatTellsNothingOfItself) {
    expect_frame("old-daemon-80x24", draw(make_view(health_text("orin-nano", false)), 80, 24));
    expect_frame(
        "left-out-80x24",
        draw(make_view("{\"state\": \"ok\", \"reasons\": [], \"left_out\": \"all values\"}"), 80, 24));
}

TEST_F(Frames, InAsciiAlone) {
    const Grid grid = draw(make_view(health_text("nano", true)), 80, 24, {}, false);
    expect_frame("ascii-80x24", grid);
    for (const char c : grid.text()) EXPECT_TRUE((c >= 32 && c < 127) || c == '\n') << int{c};
}

TEST_F(Frames, AsTheUserWants) {
    const View view = make_view(health_text("tx2", true));
    Choice choice;
    choice.help = true;
    expect_frame("help-80x24", draw(view, 80, 24, choice));
    choice = {};
    choice.users = true;
    choice.paused = true;
    choice.order = {Column::User, false};
    expect_frame("users-80x24", draw(view, 80, 24, choice));
    choice = {};
    choice.first = 4;
    choice.order = {Column::Name, true};
    choice.notice = "the daemon has not answered for 12 s";
    choice.lost = true;
    expect_frame("lost-80x24", draw(view, 80, 24, choice));
}

TEST_F(Frames, FitEverySize) {
    for (const std::string board : {"agx-orin", "pc"}) {
        for (const bool daemon : {false, true}) {
            const View view = make_view(health_text(board, daemon, "failing"));
            for (int width = 1; width < 140; width += 13) {
                for (int height = 1; height < 60; height += 5) {
                    const Grid grid = draw(view, width, height);
                    ASSERT_EQ(grid.width(), width);
                    ASSERT_EQ(grid.height(), height);
                    int rows = 0;
                    for (int row = 0; row < height; ++row) {
                        int columns = 0;
                        for (const Grid::Run& run : grid.runs(row)) columns += columns_of(run.text, true);
                        ASSERT_EQ(columns, width) << board << " " << width << "x" << height << " row " << row;
                        ++rows;
                    }
                    ASSERT_EQ(rows, height);
                }
            }
        }
    }
}

TEST_F(Frames, ManyOfEverything) {
    View view = make_view(health_text("thor", true));
    for (int i = 0; i < 300; ++i) {
        view.board.cores.push_back({Number(i), Number(i % 100 / 100.0)});
        view.board.zones.push_back({"zone " + std::string(300, 'z'), Number(1e17), Number(), Number(-1e17)});
        view.daemon->executors.push_back(
            {std::string(200, 'x'), Number(1e18), Number(1e18), Number(1e18), Number(1e18)});
    }
    for (const int width : {40, 80, 132}) EXPECT_EQ(draw(view, width, 24).height(), 24);
}

}  // namespace
}  // namespace top
}  // namespace cli
}  // namespace tegu
