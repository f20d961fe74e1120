// SPDX-License-Identifier: Apache-2.0
#include "config/tuning_write.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/ascii.h"
#include "base/fd.h"
#include "base/number_text.h"
#include "config/setting_info.h"
#include "config/tuning_load.h"

namespace tegu::config {
namespace {

constexpr std::size_t kPointsPerLine = 8;

std::string quoted(const std::string& text) {
    return quoted_text(text, text.size());
}

// A name as a key: quoted unless it has only letters, digits, "_" and "-".
std::string toml_key(const std::string& name) {
    const bool bare = std::all_of(name.begin(), name.end(), [](char c) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return is_letter || is_digit(c) || c == '_' || c == '-';
    });
    return bare && !name.empty() ? name : quoted(name);
}

void add_text(const char* key, const std::string& text, std::string* page) {
    if (!text.empty()) *page += std::string(key) + " = " + quoted(text) + "\n";
}
void add_count(const char* key, unsigned count, std::string* page) {
    if (count != 0) *page += std::string(key) + " = " + std::to_string(count) + "\n";
}
// A default range contains all numbers and is not written.
void add_range(const char* key, const TuningRange& range, std::string* page) {
    if (range == TuningRange()) return;
    *page += std::string(key) + " = [" + std::to_string(range.begin);
    if (range.end != UINT64_MAX) *page += ", " + std::to_string(range.end);
    *page += "]\n";
}

void add_class(const TuningClass& jobs, unsigned revision, std::string* page) {
    add_text("backend", jobs.backend == TuningBackend::Cuda ? "cuda" : "cpu", page);
    *page += "operation = " + quoted(jobs.operation) + "\n";
    *page += "revision = " + std::to_string(revision) + "\n";
    add_count("width", jobs.width, page);
    add_text("type", jobs.type, page);
    add_text("variant", jobs.variant, page);
    add_range("sequences", jobs.sequences, page);
    add_range("elements", jobs.elements, page);
    add_range("detail", jobs.detail, page);
    add_range("levels", jobs.levels, page);
}

std::string evidence_text(const TuningEvidence& evidence) {
    std::string text = "evidence = { provenance = " + quoted(evidence.provenance);
    const auto number = [&](const char* key, double value) {
        if (value != 0) text += ", " + std::string(key) + " = " + number_text(value);
    };
    const auto words = [&](const char* key, const std::string& value) {
        if (!value.empty()) text += ", " + std::string(key) + " = " + quoted(value);
    };
    number("time_us", evidence.time_us);
    number("default_us", evidence.default_us);
    number("noise", evidence.noise);
    words("date", evidence.date);
    words("driver", evidence.driver);
    words("toolkit", evidence.toolkit);
    words("power_mode", evidence.power_mode);
    number("clock_mhz", evidence.clock_mhz);
    return text + " }\n";
}

void add_row(const TuningRow& row, std::string* page) {
    *page += "\n[[row]]\nid = " + quoted(row.id) + "\n";
    add_class(row.jobs, row.revision, page);
    *page += "policy = {";
    for (const TuningValue& value : row.policy)
        *page += (&value == &row.policy.front() ? " " : ", ") + toml_key(value.name) + " = " +
                 (value.word.empty() ? std::to_string(value.number) : quoted(value.word));
    *page += row.policy.empty() ? "}\n" : " }\n";
    *page += evidence_text(row.evidence);
}

void add_cost(const CostRow& cost, std::string* page) {
    *page += "\n[[cost]]\n";
    add_class(cost.jobs, cost.revision, page);
    add_count("threads", cost.threads, page);
    *page += "points = [";
    for (std::size_t i = 0; i < cost.points.size(); ++i) {
        *page += i == 0 ? "" : i % kPointsPerLine == 0 ? ",\n    " : ", ";
        const CostPoint& point = cost.points[i];
        *page += "[" + number_text(point.elements) + ", " + number_text(point.time_us) + "]";
    }
    *page += "]\n" + evidence_text(cost.evidence);
}

Result<void> write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return io_error("cannot be written", errno);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(fd) != 0) return io_error("cannot be synced", errno);
    return {};
}

Result<void> write_file(const std::string& path, std::string_view text) {
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd.valid()) return io_error("cannot be created", errno);
    return write_all(fd.get(), text);
}

void sync_folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.valid()) (void)::fsync(fd.get());
}

}  // namespace

std::string tuning_toml(const TuningTable& table) {
    const TuningDevice& device = table.device;
    std::string page = "format = " + std::to_string(kTuningFormat) + "\n\n[device]\n";
    add_text("name", device.name, &page);
    if (device.compute_capability != 0)
        page += "compute_capability = \"" + std::to_string(device.compute_capability / 10) + "." +
                std::to_string(device.compute_capability % 10) + "\"\n";
    add_count("multiprocessors", device.multiprocessors, &page);
    add_count("cpu_threads", device.cpu_threads, &page);
    for (const TuningRow& row : table.rows) add_row(row, &page);
    for (const CostRow& cost : table.costs) add_cost(cost, &page);
    return page;
}

Result<void> write_tuning(const std::string& path, const TuningTable& table) {
    struct stat status;
    if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        return make_error(Status::BadRequest, path + " is not a regular file");
    const std::string beside = path + ".new";
    Result<void> done = write_file(beside, tuning_toml(table));
    if (done && ::rename(beside.c_str(), path.c_str()) != 0) done = io_error("cannot be renamed", errno);
    if (!done) {
        (void)::unlink(beside.c_str());
        done.error().message = path + " " + done.error().message;
        return done;
    }
    sync_folder_of(path);
    return {};
}

}  // namespace tegu::config
