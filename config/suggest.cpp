// SPDX-License-Identifier: Apache-2.0
#include "config/suggest.h"

#include <algorithm>
#include <vector>

#include "config/setting_info.h"

namespace tegu::config {
namespace {

constexpr std::size_t kLongestName = 64;  // longer than any key: longer names have no near key

// Maximum edits for which `name` is still a typo of a key.
std::size_t tolerance(std::string_view name) {
    return std::max<std::size_t>(1, name.size() / 3);
}

// The edit distance between two names; a missing last part ("hello" for "hello_ms") counts as one edit.
std::size_t name_distance(std::string_view name, std::string_view known, std::size_t limit) {
    const bool is_head =
        known.size() > name.size() && known.substr(0, name.size()) == name && known[name.size()] == '_';
    return is_head ? 1 : edit_distance(name, known, limit);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
    if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
    // Three rows of the distance table between the first i of `a` and the first j of `b`.
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, above);
        std::swap(above, row);
    }
    return std::min(above[b.size()], limit + 1);
}

std::string_view suggest_key(std::string_view table, std::string_view name) {
    if (name.size() > kLongestName) return {};
    const std::size_t limit = tolerance(name);
    std::size_t best = limit + 1;
    std::string_view key;
    for (const SettingInfo& info : setting_infos()) {
        // Among equal names the one in the same table wins; the same name in another table wins over any
        // typo.
        const std::size_t distance =
            name == info.name ? 0 : name_distance(name, info.name, limit) + (info.table == table ? 0 : 1);
        if (distance < best) {
            best = distance;
            key = info.key;
        }
    }
    return key;
}

std::string_view suggest_table(std::string_view name) {
    if (name.size() > kLongestName) return {};
    std::size_t best = tolerance(name) + 1;
    std::string_view nearest;
    for (const SettingTable& table : setting_tables()) {
        const std::size_t distance = name_distance(name, table.name, best);
        if (distance < best) {
            best = distance;
            nearest = table.name;
        }
    }
    return nearest;
}

}  // namespace tegu::config
