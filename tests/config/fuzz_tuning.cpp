// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a tuning table. What is ignored must be said in single lines; what loads
// must write and load to the same table. With TEGU_FUZZ it is a fuzzer (clang); in every other build a replay
// of the corpus.
#include <cstddef>
#include <cstdint>
#include <string>

#include "config/tuning_load.h"
#include "config/tuning_write.h"
#include "tests/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tegu::config;
    using tegu::fuzz::require;
    const std::string text(data, data + size);
    const LoadedTuning loaded = parse_tuning(text, "fuzz", "fuzz");
    for (const tegu::IgnoredRow& ignored : loaded.ignored) {
        const std::string line = tegu::ignored_text(ignored);
        const bool is_one_line = line.find('\n') == std::string::npos;
        require(is_one_line && line.rfind("fuzz", 0) == 0, "a reason is not one line");
        require(!ignored.reason.empty(), "a reason says nothing");
    }
    require(loaded.table || !loaded.ignored.empty(), "nothing is loaded, and nobody says why");
    if (!loaded.table) return 0;
    const std::string written = tuning_toml(*loaded.table);
    const LoadedTuning again = parse_tuning(written, "written", "fuzz");
    require(again.table && again.ignored.empty(), "a written table does not load");
    require(tuning_toml(*again.table) == written, "a written table loads to another one");
    return 0;
}
