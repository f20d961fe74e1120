// SPDX-License-Identifier: Apache-2.0
#include "base/account_name.h"

#include <grp.h>
#include <pwd.h>

#include <cerrno>
#include <vector>

namespace tegu {
namespace {

constexpr std::size_t kMinEntryBytes = 4096, kMaxEntryBytes = 1 << 20;  // the line of a large group is long

// `find` is getpwuid_r or getgrgid_r; `name` is the member of the entry that has the name.
template <class Entry, class Id>
std::optional<std::string> name_of(Id id, int (*find)(Id, Entry*, char*, std::size_t, Entry**),
                                   char* Entry::*name) {
    std::vector<char> memory(kMinEntryBytes);
    for (;;) {
        Entry entry;
        Entry* found = nullptr;
        const int error = find(id, &entry, memory.data(), memory.size(), &found);
        if (error == 0 && found != nullptr) return std::string(found->*name);
        if (error != ERANGE || memory.size() >= kMaxEntryBytes) return std::nullopt;
        memory.resize(2 * memory.size());
    }
}

}  // namespace

std::optional<std::string> user_name(uid_t uid) {
    return name_of(uid, getpwuid_r, &passwd::pw_name);
}

std::optional<std::string> group_name(gid_t gid) {
    return name_of(gid, getgrgid_r, &group::gr_name);
}

}  // namespace tegu
