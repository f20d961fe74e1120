// SPDX-License-Identifier: Apache-2.0
#include "daemon/gpus/gpu_record.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "base/fd.h"
#include "base/file_start.h"
#include "base/log.h"
#include "base/result.h"

namespace tegu::daemon {
namespace {

constexpr std::size_t kMaxFileBytes = 16 * 1024;
constexpr std::size_t kMaxWhatBytes = 200;

std::uint64_t seconds_since_boot() {
    timespec now{};
    (void)::clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<std::uint64_t>(now.tv_sec);
}

std::string one_line(std::string text) {
    if (text.size() > kMaxWhatBytes) text.resize(kMaxWhatBytes);
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return text;
}

// Parses "BOOT SECONDS WHAT"; false if malformed.
bool parse_line(const std::string& line, const std::string& boot, GpuFailure& failure) {
    const std::string start = boot + " ";
    if (boot.empty() || line.compare(0, start.size(), start) != 0) return false;
    const char* begin = line.data() + start.size();
    const char* end = line.data() + line.size();
    const auto [rest, error] = std::from_chars(begin, end, failure.seconds);
    if (error != std::errc() || rest == begin || rest == end || *rest != ' ') return false;
    failure.what = one_line(std::string(rest + 1, end));
    return true;
}

}  // namespace

std::vector<GpuFailure> parse_gpu_failures(const std::string& text, const std::string& boot,
                                           std::size_t max) {
    std::vector<GpuFailure> failures;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        GpuFailure failure;
        if (parse_line(text.substr(begin, end - begin), boot, failure))
            failures.push_back(std::move(failure));
        begin = end + 1;
    }
    if (failures.size() > max)
        failures.erase(failures.begin(), failures.end() - static_cast<std::ptrdiff_t>(max));
    return failures;
}

std::string reason_against_gpu(const std::vector<GpuFailure>& failures, std::uint64_t now_seconds) {
    const auto is_recent = [now_seconds](const GpuFailure& failure) {
        return failure.seconds <= now_seconds && now_seconds - failure.seconds <= kGpuFailureSeconds;
    };
    const auto count = std::count_if(failures.begin(), failures.end(), is_recent);
    if (static_cast<std::size_t>(count) < kGpuFailures) return {};
    return "it ended the daemon " + std::to_string(count) + " times within " +
           std::to_string(kGpuFailureSeconds / 60) + " minutes, the last time: " + failures.back().what +
           "; systemctl restart tegud tries it again";
}

GpuRecord::GpuRecord(std::string directory, std::string boot)
    : file_(directory.empty() ? "" : std::move(directory) + "/gpu-failures"), boot_(std::move(boot)) {
    if (!file_.empty()) failures_ = parse_gpu_failures(read_start(file_, kMaxFileBytes), boot_, kGpuFailures);
}

GpuRecord GpuRecord::of_environment() noexcept try {
    const char* named = std::getenv("STATE_DIRECTORY");
    std::string directory = named != nullptr ? named : "";
    directory.resize(std::min(directory.find(':'), directory.size()));
    if (directory.empty() || directory[0] != '/') directory.clear();
    std::string boot = read_start("/proc/sys/kernel/random/boot_id", kMaxFileBytes);
    boot.resize(std::min(boot.find('\n'), boot.size()));
    return GpuRecord(std::move(directory), std::move(boot));
} catch (const std::bad_alloc&) {
    return GpuRecord({}, {});
}

std::string GpuRecord::reason() const {
    return reason_against_gpu(failures_, seconds_since_boot());
}

void GpuRecord::begin(const std::string& what) {
    std::vector<GpuFailure> with_this = failures_;
    with_this.push_back({seconds_since_boot(), one_line(what)});
    write(with_this);
}

void GpuRecord::opened() {
    write(failures_);
}

void GpuRecord::add(const std::string& what) {
    failures_.push_back({seconds_since_boot(), one_line(what)});
    if (failures_.size() > kGpuFailures) failures_.erase(failures_.begin());
    write(failures_);
}

void GpuRecord::forget() noexcept {
    failures_.clear();
    write(failures_);  // removes the file, and allocates nothing
}

// Writes the whole file or nothing; without failures removes it.
void GpuRecord::write(const std::vector<GpuFailure>& failures) const {
    if (file_.empty() || boot_.empty()) return;
    if (failures.empty()) {
        (void)::unlink(file_.c_str());
        return;
    }
    std::string text;
    for (const GpuFailure& failure : failures)
        text += boot_ + " " + std::to_string(failure.seconds) + " " + failure.what + "\n";
    const std::string part = file_ + ".new";
    (void)::unlink(part.c_str());
    const Fd fd(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        ::rename(part.c_str(), file_.c_str()) != 0)
        log(LogLevel::Notice, "failures of the GPU are not remembered: " + io_error(file_, errno).message);
}

}  // namespace tegu::daemon
