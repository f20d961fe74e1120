// SPDX-License-Identifier: Apache-2.0
// tegu-tune diff A B: prints the different rows of two tables. Rows are matched by their classes, because ids
// are only names.
#include <cstdio>

#include "tools/tune/commands.h"
#include "tools/tune/measure/policy_text.h"
#include "tools/tune/table/row_text.h"
#include "tools/tune/tables.h"

namespace tegu::tune {
namespace {

const TuningRow* find_class(const TuningTable& table, const TuningRow& row) {
    for (const TuningRow& other : table.rows)
        if (class_text(other.jobs) == class_text(row.jobs)) return &other;
    return nullptr;
}

}  // namespace

int diff_command(const std::string& before, const std::string& after) {
    const Result<TuningTable> a = load_table(before);
    if (!a) return fail(a.error());
    const Result<TuningTable> b = load_table(after);
    if (!b) return fail(b.error());
    std::size_t same = 0, different = 0;
    if (device_text(a->device) != device_text(b->device))
        std::printf("devices differ: %s; %s\n", device_text(a->device).c_str(),
                    device_text(b->device).c_str());
    for (const TuningRow& row : a->rows) {
        const TuningRow* const other = find_class(*b, row);
        const bool is_same = other != nullptr && changes_text(other->policy) == changes_text(row.policy);
        ++(is_same ? same : different);
        if (!is_same) std::printf("- %s\n", row_line(row).c_str());
        if (!is_same && other != nullptr) std::printf("+ %s\n", row_line(*other).c_str());
    }
    for (const TuningRow& row : b->rows) {
        if (find_class(*a, row) != nullptr) continue;
        ++different;
        std::printf("+ %s\n", row_line(row).c_str());
    }
    std::printf("%zu rows differ, %zu are the same\n", different, same);
    return different == 0 ? kDone : kDifferent;
}

}  // namespace tegu::tune
