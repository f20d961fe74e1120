// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over the files of its corpus, without libFuzzer: `replay FOLDER`. Every cut of each file
// is run too; of one that is longer than 2048 bytes, as many cuts of it.
#include <dirent.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// Runs the target with copies of exactly the given length, so that a sanitizer sees a read beyond the end.
void run(const std::string& content) {
    const std::size_t step = 1 + content.size() / 2048;
    for (std::size_t size = content.size() % step; size <= content.size(); size += step) {
        const std::vector<std::uint8_t> exact(content.begin(),
                                              content.begin() + static_cast<std::ptrdiff_t>(size));
        LLVMFuzzerTestOneInput(exact.data(), exact.size());
    }
}

}  // namespace

int main(int count, char** arguments) {
    DIR* folder = count == 2 ? ::opendir(arguments[1]) : nullptr;
    if (folder == nullptr) {
        std::fprintf(stderr, "usage: replay FOLDER\n");
        return 64;
    }
    int files = 0;
    while (const dirent* entry = ::readdir(folder)) {
        const std::string name = entry->d_name;
        if (name[0] == '.') continue;
        std::ifstream file(std::string(arguments[1]) + "/" + name, std::ios::binary);
        run(std::string(std::istreambuf_iterator<char>(file), {}));
        ++files;
    }
    ::closedir(folder);
    std::printf("%d files\n", files);
    return files > 0 ? 0 : 1;  // an empty corpus checks nothing
}
