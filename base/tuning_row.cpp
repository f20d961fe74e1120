// SPDX-License-Identifier: Apache-2.0
#include "base/tuning_row.h"

namespace tegu {

std::string ignored_text(const IgnoredRow& ignored) {
    std::string text = ignored.where.file;
    if (ignored.where.line != 0)
        text += ":" + std::to_string(ignored.where.line) + ":" + std::to_string(ignored.where.column);
    if (!text.empty()) text += ": ";
    text += ignored.row.empty() ? "table " + ignored.table : "row " + ignored.row;
    text += " is ignored: " + ignored.reason;
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return text;
}

}  // namespace tegu
