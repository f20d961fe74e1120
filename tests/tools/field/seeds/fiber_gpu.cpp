// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/field/seeds/fiber_gpu.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "tests/kernels/cuda/fiber_gpu.h"
#include "tools/field/gpu_meter.h"

namespace tegu::device {
namespace {

enum class Owner { Device, Host, Stream };
struct Piece {
    Owner owner;
    std::size_t bytes;
};
std::map<void*, Piece> pieces;
bool corrupting = false;

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "fiber GPU: %s\n", what);
    std::abort();
}

void* allocate(Owner owner, std::size_t bytes) {
    require(bytes > 0, "an allocation of nothing");
    void* const memory = std::malloc(bytes);
    std::memset(memory, 0xa5, bytes);
    pieces[memory] = {owner, bytes};
    return memory;
}
void release(void* memory, Owner owner) {
    const auto found = pieces.find(memory);
    require(found != pieces.end() && found->second.owner == owner,
            "free of memory that is not there, or not the host's");
    pieces.erase(found);
    std::free(memory);
}
void give(void* memory, Owner owner) {
    const auto found = pieces.find(memory);
    require(found != pieces.end() && found->second.owner != Owner::Device,
            "attach of memory that is not managed");
    found->second.owner = owner;
}
void flip_bit(void* memory) {
    if (corrupting) *static_cast<unsigned char*>(memory) ^= 0x40;
}
bool is_of_device(const void* memory) {
    auto after = pieces.upper_bound(const_cast<void*>(memory));
    if (after == pieces.begin()) return false;
    const auto& [begin, piece] = *--after;
    return static_cast<const char*>(memory) < static_cast<const char*>(begin) + piece.bytes;
}

class CheckedGpu final : public FiberGpu {
  public:
    using FiberGpu::FiberGpu;
    Result<void*> allocate_managed(std::size_t bytes) override { return allocate(Owner::Host, bytes); }
    void free_managed(void* memory) override { release(memory, Owner::Host); }
    Result<void> attach_to_stream(void* memory, Stream) override {
        give(memory, Owner::Stream);
        return {};
    }
    Result<void> attach_to_host(void* memory, Stream) override {
        give(memory, Owner::Host);
        flip_bit(memory);
        return {};
    }
    Result<void*> allocate_device(std::size_t bytes) override { return allocate(Owner::Device, bytes); }
    void free_device(void* memory) override { release(memory, Owner::Device); }
    Result<void> copy(void* to, const void* from, std::size_t bytes, Stream stream) override {
        const Result<void> copied = FiberGpu::copy(to, from, bytes, stream);
        if (!is_of_device(to)) flip_bit(to);
        return copied;
    }
};

}  // namespace

DeviceInfo fiber_device(int ordinal) {
    DeviceInfo device = describe_fibers();
    device.ordinal = ordinal;
    device.attributes.integrated = true;
    device.attributes.managed_memory = true;
    device.memory_class = choose_memory_class(device.attributes);
    return device;
}
void corrupt_results(bool corrupt) {
    corrupting = corrupt;
}
std::size_t fiber_allocations() {
    return pieces.size();
}

// All that a build without CUDA defines, too: one of them alone would bring the others of that file along.
Span<const unsigned> built_architectures() {
    return {};
}

bool may_have_gpus(const ModuleSearch&) {
    return true;
}

DeviceList probe_devices(const ModuleSearch&) {
    return {{}, "devices of the tests are made by hand"};
}

Result<std::unique_ptr<Gpu>> open_gpu(const DeviceInfo& device, const GpuLimits&) {
    return std::unique_ptr<Gpu>(std::make_unique<CheckedGpu>(device));
}

}  // namespace tegu::device

namespace tegu::field {
namespace {

using Clock = std::chrono::steady_clock;

class FiberMeter final : public GpuMeter {
  public:
    Result<void> begin(cuda::Stream) override {
        began_ = Clock::now();
        return {};
    }
    Result<double> end(cuda::Stream) override {
        return std::chrono::duration<double>(Clock::now() - began_).count();
    }
    Result<KernelFacts> facts(const void* function, unsigned threads,
                              std::size_t dynamic_shared_bytes) override {
        EXPECT_NE(function, nullptr);
        KernelFacts facts;
        facts.registers = 32;
        facts.occupancy = static_cast<double>(2 * threads) / 512;  // two blocks
        facts.shared_bytes = dynamic_shared_bytes;
        return facts;
    }
    Result<KernelFacts> facts(const std::string&, unsigned) override {
        return make_error(Status::Unsupported, "no kernels by name");
    }

  private:
    Clock::time_point began_;
};

}  // namespace

Result<std::unique_ptr<GpuMeter>> GpuMeter::create(const cuda::DeviceLimits&) {
    return std::unique_ptr<GpuMeter>(std::make_unique<FiberMeter>());
}

}  // namespace tegu::field
