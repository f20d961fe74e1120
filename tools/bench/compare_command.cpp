// SPDX-License-Identifier: Apache-2.0
// tegu-bench compare starts a Python program, because it needs libraries for pages and plots that boards
// lack. The program is in libexec, or in the sources of a build folder.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tools/bench/commands.h"
#include "tools/bench/programs.h"

namespace tegu::bench {
namespace {

constexpr int kUnavailable = 69;
constexpr char kProgram[] = "tegu-bench-compare";

// Its path; empty: it is in none of the places.
std::string find_compare() {
    for (const std::string& folder :
         {folder_of_this_program() + TEGU_COMPARE_FROM_BIN, std::string(TEGU_COMPARE_SOURCE)})
        if (access((folder + "/" + kProgram).c_str(), R_OK) == 0) return folder + "/" + kProgram;
    return {};
}

}  // namespace

int compare_command(char** argv) {
    std::string program = find_compare();
    if (program.empty()) {
        std::fprintf(stderr,
                     "tegu-bench compare: %s is neither in %s%s nor in %s: it is not installed here\n",
                     kProgram, folder_of_this_program().c_str(), TEGU_COMPARE_FROM_BIN, TEGU_COMPARE_SOURCE);
        return kUnavailable;
    }
    const char* const wanted = std::getenv("TEGU_PYTHON");
    std::string python = wanted != nullptr ? wanted : "python3";
    std::vector<char*> words = {python.data(), program.data()};
    for (char** word = argv + 1; *word != nullptr; ++word) words.push_back(*word);
    words.push_back(nullptr);
    execvp(python.c_str(), words.data());
    std::fprintf(stderr, "tegu-bench compare: cannot run %s, which it needs: %s\n", python.c_str(),
                 std::strerror(errno));
    return kUnavailable;
}

}  // namespace tegu::bench
