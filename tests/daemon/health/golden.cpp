// SPDX-License-Identifier: Apache-2.0
#include "tests/daemon/health/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/daemon/health/board_tree.h"

namespace tegu::daemon::health {
namespace {

// Without a comma at the end, which says whether another line follows.
std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && line.back() == ',') line.pop_back();
        lines.push_back(line);
    }
    return lines;
}

// Where the object or list that starts at `begin` ends, and whether it has another one inside.
std::pair<std::size_t, bool> extent(const std::string& json, std::size_t begin) {
    int depth = 0;
    bool nested = false, quoted = false;
    for (std::size_t i = begin; i < json.size(); ++i) {
        const char c = json[i];
        if (quoted) {
            if (c == '\\') ++i;
            if (c == '"') quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            nested = nested || ++depth > 1;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return {i, nested};
        }
    }
    ADD_FAILURE() << "JSON that breaks off";
    return {json.size() - 1, false};
}

}  // namespace

std::string pretty(const std::string& json) {
    std::string out;
    std::size_t indent = 0;
    bool quoted = false;
    const auto new_line = [&] { out += "\n" + std::string(2 * indent, ' '); };
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (quoted) {
            out += c;
            if (c == '\\') out += json[++i];
            if (c == '"') quoted = false;
        } else if (c == '{' || c == '[') {
            const auto [end, nested] = extent(json, i);
            if (!nested) {
                out += json.substr(i, end + 1 - i);
                i = end;
                continue;
            }
            out += c;
            ++indent;
            new_line();
        } else if (c == '}' || c == ']') {
            --indent;
            new_line();
            out += c;
        } else if (c == ',') {
            out += c;
            new_line();
            ++i;  // the blank
        } else {
            out += c;
            quoted = c == '"';
        }
    }
    return out + "\n";
}

std::string line_changes(const std::string& before, const std::string& after) {
    const std::vector<std::string> a = lines_of(before), b = lines_of(after);
    // The longest common subsequence of a[i..] and b[j..].
    std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1));
    for (std::size_t i = a.size(); i-- > 0;)
        for (std::size_t j = b.size(); j-- > 0;)
            common[i][j] =
                a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    std::string out;
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i] == b[j])
            ++i, ++j;
        else if (i < a.size() && (j == b.size() || common[i + 1][j] >= common[i][j + 1]))
            out += "-" + a[i++] + "\n";
        else
            out += "+" + b[j++] + "\n";
    }
    return out;
}

void expect_golden(const std::string& name, const std::string& text) {
    const std::string path = data_path(name);
    if (std::getenv("TEGU_WRITE_GOLDEN") != nullptr) {
        std::ofstream(path, std::ios::binary) << text;
        return;
    }
    const std::string golden = file_text(path);
    EXPECT_TRUE(golden == text) << path << " differs:\n" << line_changes(golden, text);
}

}  // namespace tegu::daemon::health
