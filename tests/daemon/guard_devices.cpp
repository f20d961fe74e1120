// SPDX-License-Identifier: Apache-2.0
// The guarded devices of guard_tegud, in place of CUDA's: a touch of memory that a GPU owns ends the process.
//
// $TEGU_TEST_GPU is the memory class of the device, or "unusable", several with commas, "A,A"; or "none".
// $TEGU_TEST_FAULT, "oom:/tmp/x/now", makes calls fail as soon as the file exists: runs (oom, or lost), the
// registration of read-only mappings (readonly), the opening of a device (open); those of one device alone
// with its number, "lost1:/tmp/x/now". Others take their time: runs that never end (hang), kernels of
// entropy maps that do not end while the file exists (hold), six seconds to open (slow).
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/device/guard_gpu.h"

namespace tegu::device {
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool is_due(const std::string& fault) {
    static const std::string text = variable("TEGU_TEST_FAULT");
    return text.rfind(fault + ":", 0) == 0 && ::access(text.c_str() + fault.size() + 1, F_OK) == 0;
}

bool is_due(const std::string& fault, const DeviceInfo& device) {
    return is_due(fault) || is_due(fault + std::to_string(device.ordinal));
}

// One for each word of $TEGU_TEST_GPU.
std::vector<std::string> wanted() {
    std::vector<std::string> words;
    std::istringstream list(variable("TEGU_TEST_GPU"));
    for (std::string word; std::getline(list, word, ',');) words.push_back(word);
    return words;
}

GuardOptions options_of(const std::string& word) {
    GuardOptions options;
    const MemoryClass found = find_memory_class(word).value_or(MemoryClass::None);
    options.memory_class = found == MemoryClass::None ? MemoryClass::A : found;
    return options;
}

class FaultyGpu final : public GuardGpu {
  public:
    FaultyGpu(const DeviceInfo& device)
        : GuardGpu(device, options_of(std::string(memory_class_word(device.memory_class)))) {
        FaultyGpu::set_meanwhile({});  // what lets held kernels go, also where no job runs beside another
    }
    Result<kernels::RunReport> run(const cuda::JobRun& run, Stream stream,
                                   const cuda::JobPolicies& policies) override {
        while (is_due("hang", info())) ::sleep(1);
        if (is_due("oom", info()))
            fail_next(make_error(Status::OutOfMemory, "the device has no memory left"));
        if (is_due("lost", info())) fail_next(make_error(Status::DeviceLost, "the device fell off the bus"));
        if (operation_of(run.job) == Operation::EntropyMap && is_due("hold", info())) hold_kernels(1);
        return GuardGpu::run(run, stream, policies);
    }
    void set_meanwhile(const cuda::Meanwhile& meanwhile) override {
        wanted_ = meanwhile;
        GuardGpu::set_meanwhile({[](void* with) {
                                     FaultyGpu& gpu = *static_cast<FaultyGpu*>(with);
                                     if (!is_due("hold", gpu.info())) gpu.release_kernels();
                                     return gpu.wanted_();
                                 },
                                 this});
    }
    // More than one reply to KERNELS holds.
    Result<std::vector<cuda::KernelResources>> kernels() override {
        std::vector<cuda::KernelResources> list(200);
        for (std::size_t i = 0; i < list.size(); ++i) {
            list[i].name = "made_up<" + std::to_string(i) + ">";
            list[i].moves = "nothing";
            list[i].registers = 32;
            list[i].threads = 128;
            list[i].max_threads = 1024;
            list[i].blocks_per_multiprocessor = 1;
            list[i].architecture = info().limits.compute_capability;
        }
        return list;
    }
    Result<void*> register_mapping(void* data, std::size_t bytes, bool read_only) override {
        if (read_only && is_due("readonly", info()))
            return make_error(Status::Unsupported, "no read-only mappings here");
        return GuardGpu::register_mapping(data, bytes, read_only);
    }

  private:
    cuda::Meanwhile wanted_;
};

}  // namespace

Span<const unsigned> built_architectures() {
    static constexpr unsigned kBuilt[] = {53};
    return kBuilt;
}

bool may_have_gpus(const ModuleSearch&) {
    return true;
}

DeviceList probe_devices(const ModuleSearch&) {
    const std::vector<std::string> words = wanted();
    if (words == std::vector<std::string>{"none"}) return {{}, "no NVIDIA driver"};
    DeviceList list;
    list.built = {53};
    for (const std::string& word : words) {
        DeviceInfo device = guard_device(options_of(word));
        device.ordinal = static_cast<int>(list.devices.size());
        if (word == "unusable") device.unusable = missing_code_reason(built_architectures(), 110, true);
        list.devices.push_back(device);
    }
    return list;
}

Result<std::unique_ptr<Gpu>> open_gpu(const DeviceInfo& device, const GpuLimits&) {
    if (is_due("slow", device)) ::sleep(6);
    if (is_due("open", device)) return make_error(Status::Unavailable, "it does not answer");
    return std::unique_ptr<Gpu>(std::make_unique<FaultyGpu>(device));
}

}  // namespace tegu::device
