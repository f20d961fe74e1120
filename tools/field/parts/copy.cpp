// SPDX-License-Identifier: Apache-2.0
// Upper bounds of all other results: read and copy bandwidth on the CPU, on the GPU and between them.
// Measured in the same run as the results that are compared with them.
#include <atomic>
#include <cstring>
#include <memory>

#include "tools/bench/read_floor.h"
#include "tools/field/parts/gpu_read.h"
#include "tools/field/parts/parts.h"

namespace tegu::field {
namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
constexpr std::uint64_t kLargest = 512 * kMib, kSmallest = 16 * kMib, kQuick = 2 * kMib;

// Beyond the caches, as far as memory goes; a power of two, so that boards of one size have cases of one
// name.
std::uint64_t copied_bytes(const PartContext& context, std::uint64_t limit) {
    if (context.options.quick) return kQuick;
    std::uint64_t bytes = kLargest;
    while (bytes > kSmallest && 2 * bytes > limit) bytes /= 2;
    return bytes;
}

Case described(const std::string& what, const char* backend, std::uint64_t bytes, std::uint64_t moved) {
    Case one;
    one.name = what;
    one.operation = "copy";
    one.backend = backend;
    one.axes = {{"elements", static_cast<std::int64_t>(bytes)}, {"type", std::string("u8")}};
    one.bytes = moved;
    one.priority = 0;
    one.energy = true;
    return one;
}

struct HostMemory {
    std::vector<std::byte> from, to;
};

void add_cpu_cases(PartContext& context, CaseList& cases) {
    const std::uint64_t bytes = copied_bytes(context, context.memory_bytes);
    constexpr std::uint64_t kPieces = 64;
    const auto memory = std::make_shared<HostMemory>();
    const auto make = [memory, bytes](Case&) -> Result<void> {
        if (memory->from.size() == bytes) return {};
        memory->from.assign(bytes, std::byte{1});
        memory->to.assign(bytes, std::byte{2});  // written, so that no page is new when the clock runs
        return {};
    };
    for (const unsigned threads : {context.threads, 1u}) {
        if (threads == 1 && context.threads == 1) break;
        kernels::ThreadPool& pool = context.pool;
        const std::string with = threads == 1 ? " on one thread" : "";
        Case read = described("read" + with, "cpu", bytes, bytes);
        read.axes.emplace_back("threads", static_cast<std::int64_t>(threads));
        read.prepare = make;
        read.run = [&pool, &context, memory, bytes, threads](std::size_t) -> Result<void> {
            pool.limit(threads);
            std::atomic<std::uint64_t> all{0};
            pool.parallel_for(kPieces, [&](std::uint64_t piece, unsigned) {
                all += bench::read_all(memory->from.data() + bytes / kPieces * piece, bytes / kPieces);
            });
            pool.limit(context.threads);
            // A piece has an even number of equal words, whose XOR is 0.
            return all == 0 ? Result<void>() : make_error(Status::Internal, "the memory has changed");
        };
        cases.add(std::move(read));
        Case copy = described("copy" + with, "cpu", bytes, 2 * bytes);
        copy.axes.emplace_back("threads", static_cast<std::int64_t>(threads));
        copy.prepare = make;
        copy.run = [&pool, &context, memory, bytes, threads](std::size_t) -> Result<void> {
            pool.limit(threads);
            pool.parallel_for(kPieces, [&](std::uint64_t piece, unsigned) {
                const std::uint64_t begin = bytes / kPieces * piece;
                std::memcpy(memory->to.data() + begin, memory->from.data() + begin, bytes / kPieces);
            });
            pool.limit(context.threads);
            return {};
        };
        copy.check = [memory, run = copy.run]() -> Result<void> {
            Result<void> done = run(0);
            if (done && memory->to != memory->from) return make_error(Status::Internal, "the copy differs");
            return done;
        };
        cases.add(std::move(copy));
    }
}

struct DeviceMemory {
    DeviceArray from, to;
    std::vector<std::byte> host;
};

Result<void> make_device_memory(GpuLab& lab, DeviceMemory& memory, std::uint64_t bytes) {
    if (memory.host.size() == bytes) return {};
    Result<DeviceArray> from = DeviceArray::create(lab, bytes);
    if (!from) return std::move(from).error();
    Result<DeviceArray> to = DeviceArray::create(lab, bytes);
    if (!to) return std::move(to).error();
    memory.from = std::move(*from);
    memory.to = std::move(*to);
    memory.host.assign(bytes, std::byte{1});
    Result<void> done = memory.from.upload(memory.host.data(), bytes);
    return done ? memory.to.upload(memory.host.data(), bytes) : done;
}

void add_gpu_cases(PartContext& context, CaseList& cases) {
    GpuLab& lab = *context.gpu;
    const std::uint64_t bytes = copied_bytes(context, context.device_bytes);
    const auto memory = std::make_shared<DeviceMemory>();
    const auto make = [&lab, memory, bytes](Case&) { return make_device_memory(lab, *memory, bytes); };

    Case copy = described("copy", "cuda", bytes, 2 * bytes);
    copy.clock = Clock::Stream;
    copy.prepare = make;
    copy.run = [&lab, memory, bytes](std::size_t) {
        return lab.gpu().copy(memory->to.data(), memory->from.data(), bytes, lab.stream());
    };
    cases.add(std::move(copy));
    if (has_gpu_read() && lab.has_kernels()) {
        Case read = described("read", "cuda", bytes, bytes);
        read.clock = Clock::Stream;
        read.prepare = make;
        read.run = [&lab, memory, bytes](std::size_t) {
            return gpu_read(lab, memory->from.data(), bytes, memory->to.data());
        };
        cases.add(std::move(read));
    }
    const std::uint64_t moved = std::min(bytes, 256 * kMib);
    for (const bool up : {true, false}) {
        Case move = described(up ? "host to device" : "device to host", "cuda", moved, moved);
        move.note = "pageable memory of the host";
        move.prepare = make;
        move.run = [memory, moved, up](std::size_t) {
            return up ? memory->from.upload(memory->host.data(), moved)
                      : memory->from.download(memory->host.data(), moved);
        };
        cases.add(std::move(move));
    }
}

}  // namespace

void add_copy_cases(PartContext& context, CaseList& cases) {
    add_cpu_cases(context, cases);
    if (context.gpu != nullptr) add_gpu_cases(context, cases);
}

}  // namespace tegu::field
