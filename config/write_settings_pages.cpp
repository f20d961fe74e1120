// SPDX-License-Identifier: Apache-2.0
// Writes the pages generated from the table of settings into a source tree: write_settings_pages <root>.
#include <cstdio>
#include <fstream>
#include <string>

#include "config/settings_pages.h"

namespace {

bool write_page(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text << std::flush;
    if (!file) std::fprintf(stderr, "write_settings_pages: cannot write %s\n", path.c_str());
    return static_cast<bool>(file);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: write_settings_pages SOURCE_ROOT\n", stderr);
        return 64;
    }
    const std::string root = argv[1];
    const bool written = write_page(root + "/docs/settings.md", tegu::config::settings_markdown()) &&
                         write_page(root + "/docs/man/tegud.toml.5", tegu::config::settings_man_page()) &&
                         write_page(root + "/config/tegud.toml", tegu::config::settings_template());
    return written ? 0 : 74;
}
