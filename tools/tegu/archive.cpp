// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/archive.h"

#include <sys/stat.h>
#include <algorithm>

#include "tools/formats/zip.h"
#include "tools/tegu/input_format.h"

namespace tegu {
namespace cli {
namespace {

constexpr const char* kSuffix = ".npy";
constexpr std::size_t kMaxNames = 20;  // of members in a message

// "x.npz:name" as file and member, unless there is a file of the whole name.
void split_path(const std::string& path, std::string& file, std::string& member) {
    file = path;
    struct stat status;
    const std::size_t colon = path.find(".npz:");
    if (colon == std::string::npos || stat(path.c_str(), &status) == 0) return;
    file = path.substr(0, colon + 4);
    member = path.substr(colon + 5);
}

bool is_array(const formats::ZipMember& member) {
    return member.name.size() > 4 && member.name.compare(member.name.size() - 4, 4, kSuffix) == 0;
}
std::string short_name(const formats::ZipMember& member) {
    return member.name.substr(0, member.name.size() - 4);
}

Expected<formats::ZipMember> choose(const std::vector<formats::ZipMember>& members, const std::string& file,
                                    const std::string& wanted) {
    std::vector<const formats::ZipMember*> arrays;
    std::string names;
    for (const formats::ZipMember& member : members) {
        if (!is_array(member)) continue;
        if (!wanted.empty() && (wanted == short_name(member) || wanted == member.name)) return member;
        arrays.push_back(&member);
        if (arrays.size() <= kMaxNames) names += (names.empty() ? "" : " ") + short_name(member);
    }
    if (arrays.size() > kMaxNames) names += " ...";
    if (arrays.empty()) return failure(kDataError, file + ": an archive without arrays", "input", ".npz");
    if (!wanted.empty()) return failure(kDataError, file + " holds no '" + wanted + "'", "input", names);
    if (arrays.size() == 1) return *arrays.front();
    return failure(kDataError,
                   file + " holds " + std::to_string(arrays.size()) + " arrays; name one, as " +
                       (file == "stdin" ? "x.npz" : file) + ":" + short_name(*arrays.front()),
                   "input", names);
}

Expected<Source> open_member(Source archive, const std::string& wanted, Progress& progress) {
    const formats::Reader reader = reader_of(archive);
    Expected<std::vector<formats::ZipMember>> members = formats::list_zip(reader);
    if (!members) return input_error(archive.name(), members.error());
    Expected<formats::ZipMember> member = choose(*members, archive.name(), wanted);
    if (!member) return member.error();
    Expected<std::uint64_t> offset = formats::data_offset(reader, *member);
    if (!offset) return input_error(archive.name(), offset.error());
    const std::string name = archive.name() + ":" + short_name(*member);
    if (!member->deflated) return Source::part(std::move(archive), name, *offset, member->bytes);
    const auto fill = [&](const Source::Sink& sink) {
        return formats::inflate_member(reader, *member, sink);
    };
    Expected<Source> inflated = Source::in_memory(name, member->bytes, fill, progress);
    if (!inflated) return input_error(archive.name(), inflated.error());
    return inflated;
}

}  // namespace

Expected<Source> open_input(const std::string& path, bool raw, Progress& progress) {
    if (raw) return Source::open(path, progress);
    std::string file, member;
    split_path(path, file, member);
    Expected<Source> source = Source::open(file, progress);
    if (!source) return source;
    std::string prefix(std::min<std::uint64_t>(source->bytes(), 4), '\0');
    Expected<void> read = source->read_at(0, prefix.data(), prefix.size());
    if (!read) return read.error();
    if (formats::looks_like_zip(prefix)) return open_member(std::move(*source), member, progress);
    if (!member.empty())
        return failure(kDataError, file + " is no archive: it has no member '" + member + "'", "input",
                       "a .npz");
    return source;
}

}  // namespace cli
}  // namespace tegu
