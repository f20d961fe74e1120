// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a settings file. Errors must be single lines; what loads must print and load
// to the same. With TEGU_FUZZ it is a fuzzer (clang); in every other build a replay of the corpus.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/settings_load.h"
#include "config/settings_pages.h"
#include "config/settings_reload.h"
#include "tests/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tegu::config;
    using tegu::fuzz::require;
    constexpr std::uint64_t kMemory = 4ull << 30;
    const std::string text(data, data + size);
    const LoadedSettings loaded = parse_settings(text, "fuzz", kMemory);
    for (const Diagnostic& error : loaded.errors) {
        const std::string line = diagnostic_text(error);
        require(line.find('\n') == std::string::npos && line.rfind("fuzz:", 0) == 0,
                "an error is not one line");
        require(!error.text.empty(), "an error says nothing");
    }
    if (!loaded.ok()) return 0;
    const LoadedSettings again = parse_settings(settings_toml(loaded.settings), "printed", kMemory);
    require(again.ok(), "printed settings do not load");
    require(plan_reload(loaded.settings, again.settings).changes.empty(),
            "printed settings load to other values");
    return 0;
}
