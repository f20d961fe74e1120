// SPDX-License-Identifier: Apache-2.0
// The kernels by name, with the launch that the default policy makes of each. Every .cu with kernels ends with the list of its own; kernel_report.h
// says what they take of a device. C++14.
#pragma once

#include "kernels/cuda/launch.h"

// X(stem): the .cu files that have kernels, each with a function stem_kernels().
#define TEGU_KERNEL_LISTS(X) X(add)

namespace tegu {
namespace cuda {

struct KernelEntry {
    const char* name;          // with its template arguments in the words of base/element_type.h: "add_packs<f32, 2>"
    const void* function;
    unsigned threads;          // of a block
    std::size_t shared_bytes;  // dynamic shared memory of a block
    const char* moves;         // the bytes that it reads and writes, in words; n: elements of the input
};

struct KernelList {
    const KernelEntry* entries;
    std::size_t count;
};

#define TEGU_X(stem) KernelList stem##_kernels();
TEGU_KERNEL_LISTS(TEGU_X)
#undef TEGU_X

template <class... Parameters>
KernelEntry kernel_entry(const char* name, void (*kernel)(Parameters...), unsigned threads, std::size_t shared_bytes, const char* moves) {
    return KernelEntry{name, reinterpret_cast<const void*>(kernel), threads, shared_bytes, moves};
}

template <std::size_t Count>
KernelList kernel_list(const KernelEntry (&entries)[Count]) {
    return KernelList{entries, Count};
}

}  // namespace cuda
}  // namespace tegu
