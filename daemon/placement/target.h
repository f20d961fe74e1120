// SPDX-License-Identifier: Apache-2.0
// Target: where a job can run. The cost model predicts times for backends. The io thread and the express lane
// share one backend, because both compute with one thread.
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

// The computing resource: one thread of the CPU, its pool, or a kind of GPU. GPUs of one name and size are
// one kind.
using Backend = std::size_t;
inline constexpr Backend kOneThread = 0;
inline constexpr Backend kPool = 1;
inline constexpr Backend kFirstGpu = 2;

constexpr Backend backend_of(Target target, std::size_t gpu_kind) {
    if (target == Target::Gpu) return kFirstGpu + gpu_kind;
    return target == Target::Pool ? kPool : kOneThread;
}

}  // namespace tegu::daemon
