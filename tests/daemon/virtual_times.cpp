// SPDX-License-Identifier: Apache-2.0
#include "tests/daemon/virtual_times.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "kernels/operation.h"

namespace tegu::test {
namespace {

constexpr std::uint64_t kLaunchNs = 10000;  // of a job on a device, and of a copy
constexpr std::uint64_t kCopiedPerNs = 8;   // bytes

const char* speed() {
    static const char* const text = std::getenv("TEGU_TEST_SPEED");
    return text == nullptr ? "" : text;
}

// 1 without the part.
std::uint64_t slowness(const std::string& part) {
    std::string text = speed(), word;
    if (text[0] == '/') {
        std::ifstream file(text);
        std::getline(file, text);
    }
    std::istringstream words(text);
    for (std::uint64_t times = 1; words >> word >> times;)
        if (word == part) return std::max<std::uint64_t>(times, 1);
    return 1;
}

}  // namespace

bool has_virtual_times() {
    return *speed() != '\0';
}

std::uint64_t virtual_ns(const std::string& part, const Job& job) {
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    const std::uint64_t ns = plan ? plan->predicted_ns * slowness(part) : 1;
    return part == "device" ? kLaunchNs + ns : ns;
}

std::uint64_t virtual_copy_ns(std::uint64_t bytes) {
    return bytes == 0 ? 0 : kLaunchNs + bytes / kCopiedPerNs * slowness("copy");
}

}  // namespace tegu::test
