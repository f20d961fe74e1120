// SPDX-License-Identifier: Apache-2.0
#include "config/tuning_load.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>

#include "base/fd.h"
#include "config/toml_text.h"
#include "config/tuning_reader.h"

namespace tegu::config {
namespace {

constexpr std::string_view kSuffix = ".toml";

bool has_suffix(std::string_view name) {
    return name.size() > kSuffix.size() && name.substr(name.size() - kSuffix.size()) == kSuffix;
}

std::string key_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    if (has_suffix(name)) name.resize(name.size() - kSuffix.size());
    return name;
}

LoadedTuning nothing(const std::string& file, const std::string& key, std::string reason) {
    LoadedTuning loaded;
    loaded.ignored.push_back({key, "", {file, 0, 0}, std::move(reason)});
    return loaded;
}

// True if the text before the first row names a device that is not needed.
bool is_unwanted(const std::string& text, const WantsTable& wants) {
    const std::size_t rows = text.find("\n[[");
    if (!wants || rows == std::string::npos) return false;
    const LoadedTuning head = parse_tuning(std::string_view(text).substr(0, rows), "", "");
    return head.table && head.ignored.empty() && !wants(head.table->device);
}

LoadedTuning load(const std::string& path, const std::string& key, const WantsTable& wants = nullptr) {
    const Result<std::string> text = read_toml_file(path, kMaxTuningFileBytes);
    if (!text) return nothing(path, key, text.error().message);
    if (is_unwanted(*text, wants)) return {};
    return parse_tuning(*text, path, key);
}

// The names of the tables in a directory, sorted. Errors: those of opendir.
Result<std::vector<std::string>> list_tables(const std::string& directory) {
    const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(directory.c_str()), ::closedir);
    if (opened == nullptr) return io_error("cannot be opened", errno);
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(opened.get())) {
        const std::string_view name = entry->d_name;
        if (has_suffix(name) && name[0] != '.') names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

void load_directory(const std::string& directory, const WantsTable& wants, TuningFiles* files) {
    Result<std::vector<std::string>> names = list_tables(directory);
    if (!names) {
        if (names.error().status != Status::NotFound)
            files->ignored.push_back({key_of(directory), "", {directory, 0, 0}, names.error().message});
        return;
    }
    if (names->size() > kMaxTuningTables) {
        const std::string found = std::to_string(names->size()), allowed = std::to_string(kMaxTuningTables);
        files->ignored.push_back(
            {(*names)[kMaxTuningTables],
             "",
             {directory, 0, 0},
             "found " + found + " tables, allowed " + allowed + "; it is the first of those left out"});
        names->resize(kMaxTuningTables);
    }
    for (const std::string& name : *names) {
        const std::string path = directory + "/" + name;
        LoadedTuning loaded = load(path, key_of(path), wants);
        if (loaded.table) files->tables.push_back(std::move(*loaded.table));
        std::move(loaded.ignored.begin(), loaded.ignored.end(), std::back_inserter(files->ignored));
    }
}

bool is_directory(const std::string& path) {
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

LoadedTuning parse_tuning(std::string_view text, const std::string& file, const std::string& key) {
    const TomlText parsed = parse_toml(text, kMaxTuningFileBytes);
    if (!parsed.error) return read_tuning(parsed.table, file, key);
    LoadedTuning loaded = nothing(file, key, parsed.error->text);
    loaded.ignored[0].where = {file, parsed.error->line, parsed.error->column};
    return loaded;
}

LoadedTuning load_tuning(const std::string& path) {
    return load(path, key_of(path));
}

TuningFiles load_tuning_files(const std::string& dir, const std::string& overlay, const WantsTable& wants) {
    TuningFiles files;
    if (!dir.empty()) load_directory(dir, wants, &files);
    if (overlay.empty() || ::access(overlay.c_str(), F_OK) != 0) return files;
    LoadedTuning loaded = load(overlay, kOverlayKey);
    files.overlay = std::move(loaded.table);
    std::move(loaded.ignored.begin(), loaded.ignored.end(), std::back_inserter(files.ignored));
    return files;
}

std::string installed_tuning_directory() {
    constexpr std::string_view kBeside = "/share/tegu/devices";
    char program[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", program, sizeof program);
    std::string path(program, length > 0 ? static_cast<std::size_t>(length) : 0);
    for (int levels = 0; levels < 2; ++levels) path.resize(std::min(path.rfind('/'), path.size()));
    path += kBeside;
    return is_directory(path) ? path : std::string(TEGU_DEVICES_DIR);
}

}  // namespace tegu::config
