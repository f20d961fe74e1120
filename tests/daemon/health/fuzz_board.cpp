// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reading of whole boards. The input is a tree in memory: lines "path<TAB>content", in the content
// \n, \0 and \\ as in tests/data/boards, or "path!" for a file that cannot be read; after a line "@" come
// files as they are at the second reading, ten seconds later. Checked: whatever a board says, its judgement
// can be told as JSON, text and metrics, all printable.
#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "daemon/health/assessment.h"
#include "daemon/health/board/sampler.h"
#include "daemon/health/exposition.h"
#include "daemon/health/health_json.h"
#include "daemon/health/health_metrics.h"
#include "daemon/health/health_text.h"
#include "tests/fuzz.h"

namespace {

using namespace tegu::daemon::health;
using tegu::fuzz::require;

std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '\\' && i + 1 < text.size();
        if (escape) ++i;
        out += !escape ? text[i] : text[i] == 'n' ? '\n' : text[i] == '0' ? '\0' : text[i];
    }
    return out;
}

bool is_printable(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

class MemoryFiles final : public Files {
  public:
    void put(std::string_view line) {
        const std::size_t end = line.find('\t');
        if (end != std::string_view::npos) {
            files_[std::string(line.substr(0, end))] = unescaped(line.substr(end + 1));
        } else if (!line.empty() && line.back() == '!') {
            files_.erase(std::string(line.substr(0, line.size() - 1)));
            unreadable_.insert(std::string(line.substr(0, line.size() - 1)));
        }
    }
    Value<std::string> read(const std::string& path, std::size_t limit, Longer longer) override {
        if (unreadable_.count(path) != 0) return unknown_of(path, EIO);
        const auto found = files_.find(path);
        if (found == files_.end()) return unknown_of(path, ENOENT);
        if (found->second.size() > limit && longer == Longer::Refuse)
            return Unknown{Cause::Garbage, path + ": is longer than it may be"};
        return found->second.substr(0, limit);
    }
    std::vector<std::string> list(const std::string& path) override {
        const std::string folder = path + "/";
        std::vector<std::string> names;
        for (auto file = files_.lower_bound(folder);
             file != files_.end() && file->first.rfind(folder, 0) == 0; ++file) {
            const std::string rest = file->first.substr(folder.size());
            const std::string name = rest.substr(0, rest.find('/'));
            if (!name.empty() && is_printable(name) && (names.empty() || names.back() != name))
                names.push_back(name);
        }
        return names;
    }
    Value<DiskSpace> space(const std::string&) override { return DiskSpace{UINT64_MAX, files_.size()}; }

  private:
    std::map<std::string, std::string> files_;
    std::set<std::string> unreadable_;
};

// Puts the lines up to "@" and takes them off; false: there is no second part.
bool put_lines(std::string_view& text, MemoryFiles& files) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line == "@") return true;
        files.put(line);
    }
    return false;
}

void check(const Snapshot& snapshot, const Assessment& assessment, Times now) {
    Exposition metrics;
    add_health_metrics(snapshot, assessment, now, metrics);
    for (const std::string& text :
         {health_json(snapshot, assessment, now), health_text(snapshot, assessment, now), metrics.text()})
        for (const char c : text)
            require(c == '\n' || (c >= ' ' && c <= '~'), "what is told would harm a terminal");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    MemoryFiles files;
    Times now{1'000'000'000'000, 1'750'000'000'000};
    Sampler sampler(files, "/var/lib/tegud", [&now] { return now; });
    Assessment assessment;
    for (bool more = true; more;) {
        more = put_lines(text, files);
        const Snapshot snapshot = sampler.sample();
        assessment = assess(snapshot, {}, now, assessment);
        check(snapshot, assessment, now);
        now.monotonic_ns += 10'000'000'000;
        now.unix_ms += 10'000;
    }
    return 0;
}
