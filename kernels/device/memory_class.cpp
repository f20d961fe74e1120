// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/memory_class.h"

#include <iterator>
#include <string>

namespace tegu::device {
namespace {

constexpr std::string_view kWords[] = {
#define TEGU_X(Name, word, sentence) #word,
    TEGU_MEMORY_CLASSES(TEGU_X)
#undef TEGU_X
};

bool can_copy_to_managed(const MemoryAttributes& attributes) {
    return attributes.managed_memory;
}

// Results of jobs without an output buffer also lie in managed memory there.
bool can_register(const MemoryAttributes& attributes) {
    return attributes.managed_memory && attributes.host_register_supported && attributes.can_map_host_memory;
}

}  // namespace

std::string_view memory_class_word(MemoryClass memory_class) {
    return kWords[static_cast<std::size_t>(memory_class)];
}

std::optional<MemoryClass> find_memory_class(std::string_view word) {
    for (std::size_t i = 0; i < std::size(kWords); ++i)
        if (kWords[i] == word) return static_cast<MemoryClass>(i);
    return std::nullopt;
}

MemoryClass choose_memory_class(const MemoryAttributes& attributes) {
    if (!attributes.integrated) return MemoryClass::Discrete;
    if (attributes.pageable_memory_access) return MemoryClass::C;
    if (can_register(attributes)) return MemoryClass::B;
    return can_copy_to_managed(attributes) ? MemoryClass::A : MemoryClass::Discrete;
}

Result<MemoryClass> force_memory_class(MemoryClass wanted, const MemoryAttributes& attributes) {
    const char* missing = nullptr;
    switch (wanted) {
        case MemoryClass::None: missing = "a GPU that is not used: switch it off instead"; break;
        case MemoryClass::A:
            if (!can_copy_to_managed(attributes)) missing = "managed memory";
            break;
        case MemoryClass::B:
            if (!can_register(attributes))
                missing = "managed memory, and host memory that can be registered and mapped";
            break;
        case MemoryClass::C:
            if (!attributes.pageable_memory_access) missing = "access to pageable memory";
            break;
        case MemoryClass::Discrete: break;
    }
    if (missing == nullptr) return wanted;
    const std::string found(memory_class_word(choose_memory_class(attributes)));
    return bad_range("gpu.memory_class", "auto, " + found,
                     "memory class " + std::string(memory_class_word(wanted)) + " needs " + missing +
                         ", which this device does not have");
}

}  // namespace tegu::device
