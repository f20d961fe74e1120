// SPDX-License-Identifier: Apache-2.0
#include "tools/formats/library.h"

#include <dlfcn.h>

namespace tegu {
namespace formats {

Expected<Library> Library::open(const std::vector<const char*>& names, const Package& package) {
    for (const char* name : names)
        if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return Library(handle, name, package);
    return Error{TEGU_UNAVAILABLE,
                 0,
                 "library",
                 {},
                 package.format + " needs " + names.front() + ": apt install " + package.name};
}

Error Library::too_old() const {
    return Error{TEGU_UNAVAILABLE,
                 0,
                 "library",
                 {},
                 package_.format + ": " + name_ + " is too old: apt install " + package_.name};
}

void* Library::symbol(const char* name) const {
    return dlsym(handle_, name);
}

}  // namespace formats
}  // namespace tegu
