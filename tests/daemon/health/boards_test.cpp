// SPDX-License-Identifier: Apache-2.0
// The health of every board, and of every damaged one, against golden files that were read.
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "daemon/health/board/sampler.h"
#include "daemon/health/health_json.h"
#include "daemon/health/health_text.h"
#include "tests/daemon/health/board_tree.h"
#include "tests/daemon/health/golden.h"

namespace tegu::daemon::health {
namespace {

struct Health {
    Snapshot snapshot;
    Assessment assessment;
    Times now;
    std::string json() const { return pretty(health_json(snapshot, assessment, now)); }
};

// Two readings, three seconds apart.
Health health_of(BoardTree& tree) {
    const bool denies = tree.denies();
    Health health;
    health.now = {1'000'000'000'000, 1'750'000'000'000};
    Sampler sampler(tree.files(), "/var/lib/tegud", [&health] { return health.now; });
    const auto read = [&] {
        const AsNobody nobody(denies);
        health.snapshot = sampler.sample();
    };
    read();
    health.assessment = assess(health.snapshot, {}, health.now, {});
    tree.advance();
    health.now = {health.now.monotonic_ns + 3'000'000'000, health.now.unix_ms + 3000};
    read();
    health.assessment = assess(health.snapshot, {}, health.now, health.assessment);
    return health;
}

class Board : public testing::TestWithParam<std::string> {};

TEST_P(Board, ShowsWhatItsFilesSay) {
    BoardTree tree(GetParam());
    const Health health = health_of(tree);
    expect_golden(GetParam() + ".json", health.json());
    expect_golden(GetParam() + ".txt", health_text(health.snapshot, health.assessment, health.now));
    EXPECT_EQ(health.assessment.state, State::Ok);
}

TEST_P(Board, HasASourceForEachValue) {
    std::vector<std::vector<std::string>> sources;
    for (const std::string& line : file_lines(data_path("SOURCES.tsv"))) {
        if (line[0] == '#') continue;
        std::vector<std::string> row;
        for (const std::string_view part : split(line, '\t')) row.emplace_back(part);
        ASSERT_EQ(row.size(), 3u) << line;
        EXPECT_FALSE(row[2].empty()) << line;
        sources.push_back(row);
    }
    std::set<std::string> used;
    for (const std::string& path : board_paths(GetParam())) {
        bool found = false;
        for (const std::vector<std::string>& row : sources) {
            if (row[0] != GetParam() || ::fnmatch(row[1].c_str(), path.c_str(), 0) != 0) continue;
            found = true;
            used.insert(row[1]);
            break;
        }
        EXPECT_TRUE(found) << path << " has no source";
    }
    for (const std::vector<std::string>& row : sources)
        if (row[0] == GetParam()) {
            EXPECT_EQ(used.count(row[1]), 1u) << row[1] << " is the source of nothing";
        }
}

std::string test_name(const testing::TestParamInfo<std::string>& board) {
    std::string name = board.param;
    for (char& c : name) c = c == '-' ? '_' : c;
    return name;
}
INSTANTIATE_TEST_SUITE_P(All, Board, testing::ValuesIn(board_names()), test_name);

TEST(DamagedBoards, ChangeWhatTheirEditsTouchAndNothingElse) {
    const std::vector<Damage> all = all_damage();
    EXPECT_GE(all.size(), 30u);
    std::string text;
    std::set<std::string> names;
    std::map<std::string, std::string> whole;
    for (const std::string& board : board_names()) {
        BoardTree tree(board);
        whole[board] = health_of(tree).json();
    }
    for (const Damage& damage : all) {
        SCOPED_TRACE(damage.name);
        EXPECT_TRUE(names.insert(damage.name).second);
        BoardTree broken(damage.board);
        for (const std::string& edit : damage.edits) broken.edit(edit);
        const std::string changes = line_changes(whole[damage.board], health_of(broken).json());
        EXPECT_FALSE(changes.empty());
        text += "== " + damage.name + " (" + damage.board + "): " + damage.sentence + "\n" + changes + "\n";
    }
    expect_golden("damage.golden", text);
}

// Whatever one file holds, the rest of the board is read as before, and the state is one of the three.
TEST(DamagedBoards, SurviveAnyFileBeingSomethingElse) {
    for (const std::string& board : {std::string("nano"), std::string("orin-nano")}) {
        const std::vector<std::string> paths = board_paths(board);
        for (std::size_t i = 0; i < paths.size(); i += 5) {
            SCOPED_TRACE(board + " " + paths[i]);
            static const char* const kEdits[] = {"fifo ", "directory ", "remove ", "huge "};
            BoardTree tree(board);
            const std::string what = kEdits[(i / 5) % 4];
            tree.edit(what + paths[i] + (what == "huge " ? " 300000" : ""));
            EXPECT_LE(health_of(tree).assessment.state, State::Failing);
        }
    }
}

}  // namespace
}  // namespace tegu::daemon::health
