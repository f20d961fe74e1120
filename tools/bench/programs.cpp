// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/programs.h"

#include <unistd.h>

namespace tegu::bench {

std::string this_program() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length <= 0 ? "tegu-bench" : std::string(path, static_cast<std::size_t>(length));
}

std::string folder_of_this_program() {
    const std::string self = this_program();
    return self.substr(0, self.rfind('/') + 1);
}

std::string find_tegud() {
    const std::string folder = folder_of_this_program();
    for (const char* const place : {"tegud", "../sbin/tegud"})
        if (access((folder + place).c_str(), X_OK) == 0) return folder + place;
    return folder + "tegud";
}

}  // namespace tegu::bench
