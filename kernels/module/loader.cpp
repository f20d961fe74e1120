// SPDX-License-Identifier: Apache-2.0
#include "kernels/module/loader.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstring>

#include "kernels/module/layout.h"
#include "kernels/module/module_file.h"

namespace tegu::module {
namespace {

Error refused(std::string reason) {
    return make_error(Status::Unavailable, std::move(reason));
}

// The words of dlerror() without the path, which every message starts with anyway.
std::string loader_words(const std::string& path) {
    const char* const said = ::dlerror();
    std::string words = said == nullptr ? "it cannot be loaded" : said;
    if (words.compare(0, path.size() + 2, path + ": ") == 0) words.erase(0, path.size() + 2);
    return words;
}

std::string hexadecimal(std::uint64_t number) {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> shift & 15];
    return text;
}

// All members from probe() on are functions.
bool has_all_functions(const tegu_module& table) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&table);
    for (std::size_t at = offsetof(tegu_module, probe); at < sizeof table; at += sizeof(void*)) {
        const void* function = nullptr;
        std::memcpy(&function, bytes + at, sizeof function);
        if (function == nullptr) return false;
    }
    return true;
}

bool is_complete(const tegu_module& table) {
    return table.version != nullptr && table.toolkit != nullptr &&
           (table.built != nullptr || table.built_count == 0) && has_all_functions(table);
}

Result<const tegu_module*> checked(const tegu_module* table) {
    if (table == nullptr) return refused("it gives no table: the host has no memory");
    if (table->abi != TEGU_MODULE_ABI || table->table_bytes != sizeof *table)
        return refused("its interface has version " + std::to_string(table->abi) + " (" +
                       std::to_string(table->table_bytes) + " bytes), this program needs version " +
                       std::to_string(TEGU_MODULE_ABI) + " (" + std::to_string(sizeof *table) + " bytes)");
    if (!is_complete(*table)) return refused("its table has gaps");
    if (table->revision != layout_revision())
        return refused("it is of another build: tegu " + std::string(table->version) + ", revision " +
                       hexadecimal(table->revision) + "; this program is tegu " TEGU_VERSION ", revision " +
                       hexadecimal(layout_revision()));
    return table;
}

}  // namespace

Result<const tegu_module*> load_module(const std::string& path) {
    Result<void> file = check_module_file(path);
    if (!file) return std::move(file).error();
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return refused(loader_words(path));
    void* const symbol = ::dlsym(library, TEGU_MODULE_SYMBOL);
    Result<const tegu_module*> table =
        symbol == nullptr ? refused("it is not a module: it has no symbol " TEGU_MODULE_SYMBOL)
                          : checked(reinterpret_cast<tegu_module_entry>(symbol)());
    if (!table) (void)::dlclose(library);
    return table;
}

}  // namespace tegu::module
