// SPDX-License-Identifier: Apache-2.0
// A shared library that is opened when a file needs it. So one build of the command serves every version of
// the library, and a machine without it lacks one format only.
#pragma once

#include <string>
#include <vector>

#include "tools/formats/array_header.h"

namespace tegu {
namespace formats {

// What a format needs, for the error of a machine without it.
struct Package {
    std::string format, name;  // ".jpg", "libturbojpeg0"
};

class Library {
  public:
    // Opens the first of `names` that loads, once per process: it stays open. Errors: TEGU_UNAVAILABLE, which
    // names the package.
    static Expected<Library> open(const std::vector<const char*>& names, const Package& package);

    // Sets `function` to the symbol; false if the library has none of that name.
    template <class Function>
    bool find(const char* name, Function*& function) const {
        function = reinterpret_cast<Function*>(symbol(name));
        return function != nullptr;
    }
    // The error of a library that lacks a function.
    Error too_old() const;

  private:
    Library(void* handle, std::string name, Package package)
        : handle_(handle), name_(std::move(name)), package_(std::move(package)) {}
    void* symbol(const char* name) const;

    void* handle_;
    std::string name_;
    Package package_;
};

}  // namespace formats
}  // namespace tegu
