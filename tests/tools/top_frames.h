// SPDX-License-Identifier: Apache-2.0
// Frames of `tegu top` for tests: views of the boards in tests/data/boards with a daemon that has clients,
// and golden files of what is drawn.
#pragma once

#include <string>

#include "tools/tegu/top/layout.h"

namespace tegu {
namespace cli {
namespace top {

constexpr double kFrameUnixSeconds = 1700001000;  // when the frames of tests are drawn

// Sets a locale in whose characters wide ones are drawn. False: the system has none.
bool use_utf8();

std::string file_text(const std::string& path);  // in tests/data
// The JSON of a board's health; with the object of daemon.json if `daemon`, with these reasons unless empty:
// "degraded", "failing".
std::string health_text(const std::string& board, bool daemon, const std::string& reasons = {});

// The view of that JSON, with rates.
View make_view(const std::string& json);
// A minute of waves.
History make_history();

// The grid as characters, then as letters of styles.
std::string picture(const Grid& grid);
// Compares with tests/data/top/<name>.txt; TEGU_WRITE_GOLDEN=1 writes it again.
void expect_frame(const std::string& name, const Grid& grid);

}  // namespace top
}  // namespace cli
}  // namespace tegu
