// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/tegud/tegud_process.h"

#include <dirent.h>

#include <cctype>
#include <cstdlib>
#include <fstream>

namespace tegu::tune {
namespace {

template <class T>
T value_in(const std::vector<client::Field>& fields, const std::string& name) {
    for (const client::Field& field : fields)
        if (field.name == name)
            if (const T* const value = std::get_if<T>(&field.value)) return *value;
    return T();
}

}  // namespace

bool is_tegud_running(const std::string& sysroot) {
    DIR* const folder = ::opendir((sysroot + "/proc").c_str());
    if (folder == nullptr) return false;
    bool found = false;
    while (const dirent* entry = found ? nullptr : ::readdir(folder))
        if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) != 0)
            found = process_name(sysroot, std::strtoull(entry->d_name, nullptr, 10)) == "tegud";
    ::closedir(folder);
    return found;
}

std::string process_name(const std::string& sysroot, std::uint64_t pid) {
    std::ifstream file(sysroot + "/proc/" + std::to_string(pid) + "/comm");
    std::string name;
    std::getline(file, name);
    return name;
}

std::uint64_t number_in(const std::vector<client::Field>& fields, const std::string& name) {
    return value_in<std::uint64_t>(fields, name);
}

std::string text_in(const std::vector<client::Field>& fields, const std::string& name) {
    return value_in<std::string>(fields, name);
}

client::Expected<client::Client> connect_tegud(const std::string& socket, const std::string& sysroot) {
    if (socket.empty() && std::getenv("TEGU_SOCKET") == nullptr && !is_tegud_running(sysroot)) {
        client::Error error;
        error.status = TEGU_NOT_FOUND;
        error.message = "tegud does not run";
        return error;
    }
    client::Options options;
    options.socket_path = socket;
    options.name = "tegu-tune";
    options.reconnect_ms = 0;
    return client::Client::connect(options);
}

}  // namespace tegu::tune
