// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: `replay FOLDER` takes the files of its corpus. Every cut of each file
// is run too, at most 2048 of them. Files with random changes follow.
#include <dirent.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kMaxChanged = 4096;  // bytes of a changed input

// Runs the target with a copy of exactly the first `size` bytes: a sanitizer sees a read beyond the end.
void run(const std::string& content, std::size_t size) {
    const std::vector<std::uint8_t> exact(content.begin(),
                                          content.begin() + static_cast<std::ptrdiff_t>(size));
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

void run_cuts(const std::string& content) {
    const std::size_t step = 1 + content.size() / 2048;
    for (std::size_t size = content.size() % step; size <= content.size(); size += step) run(content, size);
}

// A byte that is often at the edge of something.
char edge_byte(std::mt19937& random) {
    constexpr unsigned char kEdges[] = {0x00, 0x01, 0x7f, 0x80, 0xff, '0', '9', '-', '.', '\n', '"', '/'};
    const std::uint32_t draw = random();
    return static_cast<char>(draw % 2 != 0 ? kEdges[draw / 2 % sizeof kEdges] : draw >> 24);
}

// Changes, inserts, removes or repeats a few bytes, or lets the input go on as `other` does.
std::string changed(std::string content, const std::string& other, std::mt19937& random) {
    for (std::uint32_t left = 1 + random() % 4; left > 0; --left) {
        const std::size_t at = random() % (content.size() + 1);
        const std::size_t bytes = std::min<std::size_t>(1 + random() % 8, content.size() - at);
        switch (random() % 6) {
            case 0:
                if (bytes > 0) content[at] = static_cast<char>(content[at] ^ (1 << random() % 8));
                break;
            case 1:
                if (bytes > 0) content[at] = edge_byte(random);
                break;
            case 2: content.insert(at, 1, edge_byte(random)); break;
            case 3: content.erase(at, bytes); break;
            case 4: content.insert(at, content.substr(at, bytes)); break;
            default: content = content.substr(0, at) + other.substr(std::min(at, other.size())); break;
        }
    }
    if (content.size() > kMaxChanged) content.resize(kMaxChanged);
    return content;
}

// The same changes in each run: the seed is $TEGU_REPLAY_SEED, else 1. $TEGU_REPLAY_INPUTS says how many
// inputs. Without it there are 10000, or as many as fit in two seconds. Returns how many ran.
unsigned long run_changed(const std::vector<std::string>& files) {
    const char* seed = std::getenv("TEGU_REPLAY_SEED");
    const char* inputs = std::getenv("TEGU_REPLAY_INPUTS");
    std::mt19937 random(seed == nullptr ? 1u : static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10)));
    const unsigned long count = inputs == nullptr ? 10000 : std::strtoul(inputs, nullptr, 10);
    const std::clock_t until = std::clock() + 2 * CLOCKS_PER_SEC;
    unsigned long done = 0;
    for (; done < count && (inputs != nullptr || std::clock() < until); ++done) {
        const std::string& file = files[random() % files.size()];
        const std::string input = changed(file, files[random() % files.size()], random);
        run(input, input.size());
    }
    return done;
}

}  // namespace

int main(int count, char** arguments) {
    DIR* folder = count == 2 ? ::opendir(arguments[1]) : nullptr;
    if (folder == nullptr) {
        std::fprintf(stderr, "usage: replay FOLDER\n");
        return 64;
    }
    std::vector<std::string> names;  // sorted: a folder's own order differs between machines
    while (const dirent* entry = ::readdir(folder)) {
        const std::string name = entry->d_name;
        if (name[0] != '.') names.push_back(name);
    }
    ::closedir(folder);
    std::sort(names.begin(), names.end());
    std::vector<std::string> files;
    for (const std::string& name : names) {
        std::ifstream file(std::string(arguments[1]) + "/" + name, std::ios::binary);
        files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        run_cuts(files.back());
    }
    if (files.empty()) return 1;  // an empty corpus checks nothing
    const unsigned long inputs = run_changed(files);
    std::printf("%zu files, %lu changed inputs\n", files.size(), inputs);
    return 0;
}
