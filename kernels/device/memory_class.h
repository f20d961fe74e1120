// SPDX-License-Identifier: Apache-2.0
// Memory classes: how the CPU and the GPU of a board share memory. The class follows from the device's
// attributes, never from a board's name. It determines how a client's buffer reaches a kernel
// (client_memory.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

// X(Name, word, sentence)
#define TEGU_MEMORY_CLASSES(X)                                                                    \
    X(None, none, "no GPU: the CPU works in place")                                               \
    X(A, A, "no coherence: buffers are copied into managed memory, once for each generation")     \
    X(B, B, "the GPU sees the caches of the CPU: mappings of clients are registered, not copied") \
    X(C, C, "full coherence: buffers are used in place")                                          \
    X(Discrete, discrete, "memory of its own: buffers are copied to it, once for each generation")

namespace tegu::device {

enum class MemoryClass : std::uint8_t {
#define TEGU_X(Name, word, sentence) Name,
    TEGU_MEMORY_CLASSES(TEGU_X)
#undef TEGU_X
};

std::string_view memory_class_word(MemoryClass memory_class);
std::optional<MemoryClass> find_memory_class(std::string_view word);

// The device attributes that determine the class, with CUDA's names.
struct MemoryAttributes {
    bool integrated = false;
    bool managed_memory = false;
    bool concurrent_managed_access = false;
    bool pageable_memory_access = false;
    bool host_register_supported = false;
    bool can_map_host_memory = false;
};

// Never returns None. An integrated device without managed memory counts as discrete: explicit copies work on
// every device.
MemoryClass choose_memory_class(const MemoryAttributes& attributes);

// Uses `wanted` instead of the chosen class. Errors: BadRange, where the device lacks what its data path
// needs.
Result<MemoryClass> force_memory_class(MemoryClass wanted, const MemoryAttributes& attributes);

}  // namespace tegu::device
