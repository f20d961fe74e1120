// SPDX-License-Identifier: Apache-2.0
// A GPU for tests of tools/board: what a probe would tell of it, and a management library that tells what the
// test says.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "kernels/device/device_info.h"
#include "tools/board/source.h"

namespace tegu::board {

inline device::DeviceInfo discrete_gpu() {
    device::DeviceInfo gpu;
    gpu.name = "NVIDIA H200";
    gpu.limits.compute_capability = 90;
    gpu.limits.multiprocessors = 132;
    gpu.memory_bytes = std::uint64_t{141} << 30;
    gpu.memory_class = device::MemoryClass::Discrete;
    gpu.memory_clock_khz = 3201000;
    return gpu;
}

inline device::DeviceInfo integrated_gpu() {
    device::DeviceInfo gpu;
    gpu.name = "NVIDIA Tegra X1";
    gpu.limits.compute_capability = 53;
    gpu.limits.multiprocessors = 1;
    gpu.attributes.integrated = true;
    gpu.memory_class = device::MemoryClass::A;
    gpu.core_clock_khz = 921600;
    gpu.memory_clock_khz = 13000;
    return gpu;
}

// The lines that tests/tools/board/fake_nvml.c reads; gone with the object.
class FakeNvml {
  public:
    explicit FakeNvml(const std::string& lines)
        : path_(testing::TempDir() + "/fake_nvml_" + std::to_string(getpid())) {
        tell(lines);
        ::setenv("TEGU_FAKE_NVML", path_.c_str(), 1);
    }
    ~FakeNvml() {
        ::unsetenv("TEGU_FAKE_NVML");
        ::unlink(path_.c_str());
    }
    FakeNvml(const FakeNvml&) = delete;
    FakeNvml& operator=(const FakeNvml&) = delete;

    void tell(const std::string& lines) const { std::ofstream(path_) << lines; }

  private:
    std::string path_;
};

inline BoardSource source_of(const std::string& root, const std::string& nvml = "") {
    BoardSource source;
    source.root = root;
    source.nvml = nvml;
    return source;
}

}  // namespace tegu::board
