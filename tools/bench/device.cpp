// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/device.h"

#include <sys/utsname.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

#include "kernels/operation.h"
#include "tools/bench/commit.h"

namespace tegu::bench {
namespace {

std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.compare(0, 10, "model name") == 0 && line.find(": ") != std::string::npos)
            return line.substr(line.find(": ") + 2);
    std::ifstream board("/proc/device-tree/model");
    std::string model;
    std::getline(board, model, '\0');
    return model.empty() ? "unknown" : model;
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
    return text;
}

}  // namespace

Device describe_device(int argc, const char* const* argv) {
    Device device;
    for (int i = 0; i < argc; ++i)
        device.command += (i == 0 ? "" : " ") + std::string(i == 0 ? "tegu-bench" : argv[i]);
    device.commit = TEGU_COMMIT;
    device.date = utc_now();
    device.cpu = cpu_model();
    device.isa = kernels::cpu_isa();
    device.cores = std::thread::hardware_concurrency();
    utsname system{};
    device.kernel = uname(&system) == 0 ? system.release : "unknown";
#ifdef NDEBUG
    device.build = "gcc " __VERSION__ ", release";
#else
    device.build = "gcc " __VERSION__ ", debug";
#endif
    double loads[1] = {0};
    if (getloadavg(loads, 1) == 1) device.load = loads[0];
    return device;
}

}  // namespace tegu::bench
