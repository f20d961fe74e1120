// SPDX-License-Identifier: Apache-2.0
// The places where a job can run, and the backends whose times are predicted. Two places share a backend: the
// io thread and the express lane both compute with one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tegu::daemon {

enum class Place : std::uint8_t {
    Inline = 0,   // on the io thread, at once
    Express = 1,  // the executor with one thread, for short jobs beside a long one
    Pool = 2,     // the executor with the pool of the CPU
    Gpu = 3,      // the executor of a GPU
};
inline constexpr std::size_t kPlaces = 4;

constexpr std::string_view place_word(Place place) {
    constexpr std::string_view kWords[kPlaces] = {"inline", "express", "pool", "gpu"};
    return kWords[static_cast<std::size_t>(place)];
}

// What computes: one thread of the CPU, its pool, or a kind of GPU. GPUs of one name and size are one kind.
using Backend = std::size_t;
inline constexpr Backend kOneThread = 0;
inline constexpr Backend kPool = 1;
inline constexpr Backend kFirstGpu = 2;

constexpr Backend backend_of(Place place, std::size_t gpu_kind) {
    if (place == Place::Gpu) return kFirstGpu + gpu_kind;
    return place == Place::Pool ? kPool : kOneThread;
}

}  // namespace tegu::daemon
