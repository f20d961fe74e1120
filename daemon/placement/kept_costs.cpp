// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/kept_costs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "base/fd.h"
#include "base/file_start.h"
#include "base/result.h"

namespace tegu::daemon {
namespace {

constexpr char kHeading[] = "tegud costs 1";
constexpr std::size_t kMaxFileBytes = 256 * 1024;
constexpr std::size_t kMaxLines = 2000;
constexpr double kLongestKeptNs = 1e12;
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 40;

std::string resource_text(CostResource resource) {
    if (resource == kOneThread) return "one";
    return resource == kPool ? "pool" : "gpu" + std::to_string(resource - kFirstGpu);
}

// The name of a device may contain any byte.
std::string plain(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x21; }, '_');
    return text;
}

bool find_resource(const std::string& text, std::size_t resources, CostResource& found) {
    for (found = 0; found < resources; ++found)
        if (resource_text(found) == text) return true;
    return false;
}

// "time BACKEND NS SAMPLE"
bool parse_time(std::istringstream& line, std::size_t resources, KeptCosts::Time& time) {
    std::string resource, rest;
    if (!(line >> resource >> time.probed.ns) || !std::getline(line, rest)) return false;
    const std::optional<Sample> sample = sample_from(rest);
    if (!sample || !find_resource(resource, resources, time.resource)) return false;
    if (sample->rows > kMaxElements || sample->cols > kMaxElements || !class_of(*sample)) return false;
    time.probed.sample = *sample;
    return time.probed.ns >= 1 && time.probed.ns <= kLongestKeptNs;
}

// "copy GPU BYTES NS"
bool parse_copy(std::istringstream& line, std::size_t resources, KeptCosts::Copy& copy) {
    CostResource resource = 0;
    std::string text;
    if (!(line >> text >> copy.bytes >> copy.ns) || !find_resource(text, resources, resource) ||
        resource < kFirstGpu)
        return false;
    copy.gpu_kind = resource - kFirstGpu;
    return copy.bytes > 0 && copy.bytes <= kMaxElements && copy.ns > 0 &&
           static_cast<double>(copy.ns) <= kLongestKeptNs;
}

}  // namespace

std::string machine_key(const std::string& version, unsigned threads,
                        const std::vector<device::DeviceInfo>& devices) {
    std::string key = plain(version) + " " + kernels::cpu_isa() + " threads=" + std::to_string(threads);
    for (const device::DeviceInfo& device : devices)
        key += " gpu=" + plain(device.name) + "/" + std::to_string(device.limits.compute_capability) + "/" +
               std::to_string(device.limits.multiprocessors) + "/" + std::to_string(device.core_clock_khz) +
               "/" + std::string(device::memory_class_word(device.memory_class));
    return key;
}

std::string kept_costs_text(const std::string& key, const KeptCosts& costs) {
    std::ostringstream text;
    text << kHeading << "\nmachine " << key << '\n';
    for (const KeptCosts::Time& time : costs.times)
        text << "time " << resource_text(time.resource) << ' '
             << static_cast<std::uint64_t>(std::max(time.probed.ns, 1.0)) << ' '
             << text_of(time.probed.sample) << '\n';
    for (const KeptCosts::Copy& copy : costs.copies)
        text << "copy " << resource_text(kFirstGpu + copy.gpu_kind) << ' ' << copy.bytes << ' ' << copy.ns
             << '\n';
    text << "end\n";
    return text.str();
}

KeptCosts parse_kept_costs(const std::string& text, const std::string& key, std::size_t resources) {
    std::istringstream lines(text);
    std::string line;
    if (!std::getline(lines, line) || line != kHeading) return {};
    if (!std::getline(lines, line) || line != "machine " + key) return {};
    KeptCosts costs;
    for (std::size_t count = 0; count < kMaxLines && std::getline(lines, line); ++count) {
        if (line == "end") return costs;
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        KeptCosts::Time time;
        KeptCosts::Copy copy;
        if (kind == "time" && parse_time(words, resources, time)) costs.times.push_back(time);
        if (kind == "copy" && parse_copy(words, resources, copy)) costs.copies.push_back(copy);
    }
    return {};  // the file is cut off
}

std::string state_directory(const std::string& setting) {
    if (!setting.empty()) return setting;
    const char* const named = std::getenv("STATE_DIRECTORY");
    std::string directory = named != nullptr ? named : "";
    directory.resize(std::min(directory.find(':'), directory.size()));
    return directory.empty() || directory[0] != '/' ? std::string() : directory;
}

std::string kept_costs_file(const std::string& directory) {
    return directory.empty() ? std::string() : directory + "/costs";
}

std::string read_kept_costs(const std::string& file) {
    return file.empty() ? std::string() : read_start(file, kMaxFileBytes);
}

Result<void> write_kept_costs(const std::string& file, const std::string& text) {
    const std::string part = file + ".new";
    (void)::unlink(part.c_str());
    const Fd fd(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return io_error(part, errno);
    const ssize_t written = ::write(fd.get(), text.data(), text.size());
    if (written >= 0 && written < static_cast<ssize_t>(text.size())) errno = ENOSPC;
    if (written != static_cast<ssize_t>(text.size()) || ::fsync(fd.get()) != 0 ||
        ::rename(part.c_str(), file.c_str()) != 0) {
        Error error = io_error(file, errno);
        (void)::unlink(part.c_str());
        return error;
    }
    return {};
}

}  // namespace tegu::daemon
