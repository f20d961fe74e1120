// SPDX-License-Identifier: Apache-2.0
// Target: where a job can run. CostResource: what the cost model predicts times for. The io thread and the
// express lane share one resource, because both compute with one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tegu::daemon {

enum class Target : std::uint8_t {
    Inline = 0,   // on the io thread, without a queue
    Express = 1,  // the executor with one thread, for short jobs beside a long one
    Pool = 2,     // the executor with the pool of the CPU
    Gpu = 3,      // the executor of a GPU
};
inline constexpr std::size_t kTargets = 4;

constexpr std::string_view target_word(Target target) {
    constexpr std::string_view kWords[kTargets] = {"inline", "express", "pool", "gpu"};
    return kWords[static_cast<std::size_t>(target)];
}

// One thread of the CPU, its pool, or a kind of GPU. GPUs of one name and size are one kind.
using CostResource = std::size_t;
inline constexpr CostResource kOneThread = 0;
inline constexpr CostResource kPool = 1;
inline constexpr CostResource kFirstGpu = 2;

constexpr CostResource resource_of(Target target, std::size_t gpu_kind) {
    if (target == Target::Gpu) return kFirstGpu + gpu_kind;
    return target == Target::Pool ? kPool : kOneThread;
}

}  // namespace tegu::daemon
