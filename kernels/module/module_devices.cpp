// SPDX-License-Identifier: Apache-2.0
// The devices of tegud: those of the newest module that has one that can be used. The thread that lists them
// loads the modules.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "kernels/module/device_record.h"
#include "kernels/module/loader.h"
#include "kernels/module/module_file.h"
#include "kernels/module/module_gpu.h"

namespace tegu::device {
namespace {

using module::ModuleFile;

std::string folder_of_program() {
    char path[4096];
    const ssize_t bytes = ::readlink("/proc/self/exe", path, sizeof path);
    if (bytes <= 0) return "";
    const std::string program(path, static_cast<std::size_t>(bytes));
    return program.substr(0, program.rfind('/') + 1);
}

// Beside the program first: a build folder, or an installation that was moved.
std::vector<std::string> folders_of(const ModuleSearch& search) {
    if (!search.folder.empty()) return {search.folder};
    std::vector<std::string> folders;
    if (const std::string program = folder_of_program(); !program.empty())
        folders = {program + "../lib/tegu", program + TEGU_MODULES_FROM_PROGRAM};
    folders.emplace_back(TEGU_MODULES_FOLDER);
    std::vector<std::string> different;
    for (const std::string& folder : folders) {
        const std::unique_ptr<char, void (*)(void*)> real(::realpath(folder.c_str(), nullptr), &::free);
        const std::string name = real == nullptr ? folder : std::string(real.get());
        if (std::find(different.begin(), different.end(), name) == different.end()) different.push_back(name);
    }
    return different;
}

void add(std::string& list, const std::string& text) {
    list += (list.empty() ? "" : "; ") + text;
}

// The devices that the module finds, or the reason why none of them can be used.
DeviceList probe_module(const ModuleFile& file) {
    DeviceList list;
    Result<const tegu_module*> loaded = module::load_module(file.path);
    if (!loaded) {
        list.reason = loaded.error().message;
        return list;
    }
    const tegu_module& table = **loaded;
    list.module = file.path;
    list.built.assign(table.built, table.built + table.built_count);
    std::vector<tegu_module_device> records(TEGU_MODULE_DEVICES);
    std::uint32_t count = 0;
    tegu_module_error error{};
    const std::int32_t outcome = table.probe(records.data(), TEGU_MODULE_DEVICES, &count, &error);
    if (outcome != TEGU_MODULE_DONE) {
        list.reason = module::error_of(outcome, error).message;
        return list;
    }
    for (std::uint32_t i = 0; i < std::min(count, TEGU_MODULE_DEVICES); ++i) {
        list.devices.push_back(module::device_of(records[i]));
        list.devices.back().module = &table;
    }
    if (list.devices.empty()) list.reason = "it finds no device";
    return list;
}

bool is_usable(const DeviceInfo& device) {
    return device.unusable.empty();
}

// Why the module is not used. REQUIRES: no device of the list can be used.
std::string reason_of(const DeviceList& list) {
    if (list.devices.empty()) return list.reason;
    const DeviceInfo& first = list.devices.front();
    return "GPU " + std::to_string(first.ordinal) + " (" + first.name + "): " + first.unusable;
}

}  // namespace

Span<const unsigned> built_architectures() {
    return {};  // the code is in the modules
}

bool may_have_gpus(const ModuleSearch& search) {
    return !module::find_modules(folders_of(search)).empty();
}

DeviceList probe_devices(const ModuleSearch& search) {
    const std::vector<std::string> folders = folders_of(search);
    DeviceList none;
    for (const ModuleFile& file : module::find_modules(folders)) {
        DeviceList list = probe_module(file);
        list.refused = none.reason;
        if (std::any_of(list.devices.begin(), list.devices.end(), is_usable)) return list;
        add(none.reason, file.name() + ": " + reason_of(list));
        none.built.insert(none.built.end(), list.built.begin(), list.built.end());
    }
    if (!none.reason.empty()) return none;
    for (const std::string& folder : folders) none.reason += (none.reason.empty() ? "" : " and ") + folder;
    none.reason = "there is no tegu-cuda-*.so in " + none.reason;
    return none;
}

Result<std::unique_ptr<Gpu>> open_gpu(const DeviceInfo& device, const GpuLimits& limits) {
    if (device.module == nullptr) return make_error(Status::Unavailable, "no module has this device");
    return module::ModuleGpu::open(*device.module, device, limits);
}

}  // namespace tegu::device
