// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/top_frames.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tegu {
namespace cli {
namespace top {

bool use_utf8() {
    return std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr ||
           std::setlocale(LC_CTYPE, "en_US.UTF-8") != nullptr;
}

std::string file_text(const std::string& path) {
    std::ifstream in(TEGU_SOURCE_DIR "/tests/data/" + path, std::ios::binary);
    EXPECT_TRUE(in) << path;
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string health_text(const std::string& board, bool daemon, const std::string& reasons) {
    std::string json = file_text("boards/" + board + ".json");
    const std::string none = "\"state\": \"ok\",\n  \"reasons\": []";
    EXPECT_EQ(json.find(none), 4u) << board;
    if (!reasons.empty())
        json.replace(4, none.size(),
                     "\"state\": \"" + reasons + "\", \"reasons\": " + file_text("top/" + reasons + ".json"));
    if (daemon) json.insert(1, "\"daemon\": " + file_text("top/daemon.json") + ",");
    return json;
}

View make_view(const std::string& json) {
    Expected<View> now = parse_view(json);
    EXPECT_TRUE(now) << now.error().message;
    View before = *now;
    if (before.daemon) {
        double rate = 1600;
        for (Operation& operation : before.daemon->operations) {
            operation.ok -= std::min(operation.ok, rate);
            rate /= 4;
        }
        double share = 0.5;
        for (std::vector<Account>* accounts : {&before.daemon->clients, &before.daemon->users}) {
            for (Account& account : *accounts) {
                *account.jobs -= std::min(*account.jobs, 1300 * share);
                *account.device_seconds -= std::min(*account.device_seconds, share);
                *account.cpu_seconds -= std::min(*account.cpu_seconds, share / 10);
                *account.bytes -= std::min(*account.bytes, 4e9 * share);
                share /= 2;
            }
            share = 0.5;
        }
    }
    add_rates(*now, before, 2);
    return *now;
}

History make_history() {
    History history;
    for (int i = 0; i < 200; ++i) {
        history.gpu_share.push_back(i % 50 == 7 ? Number() : Number(0.5 + 0.45 * std::sin(i / 4.0)));
        history.jobs_per_second.push_back(
            std::round(900 + 400 * std::sin(i / 4.0 + 1) + 100 * std::sin(i * 1.3)));
    }
    return history;
}

std::string picture(const Grid& grid) {
    std::string styles;
    for (int row = 0; row < grid.height(); ++row) {
        for (const Grid::Run& run : grid.runs(row))
            styles += std::string(static_cast<std::size_t>(columns_of(run.text, grid.unicode())),
                                  style_letter(run.style));
        styles += "\n";
    }
    return grid.text() + "----\n" + styles;
}

void expect_frame(const std::string& name, const Grid& grid) {
    const std::string path = "top/" + name + ".txt", text = picture(grid);
    if (std::getenv("TEGU_WRITE_GOLDEN") != nullptr) {
        std::ofstream(TEGU_SOURCE_DIR "/tests/data/" + path, std::ios::binary) << text;
        return;
    }
    EXPECT_EQ(text, file_text(path)) << "TEGU_WRITE_GOLDEN=1 writes it again: read what changed";
}

}  // namespace top
}  // namespace cli
}  // namespace tegu
