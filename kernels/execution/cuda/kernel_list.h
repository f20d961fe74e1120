// SPDX-License-Identifier: Apache-2.0
// The kernels by name, with the launch that the default policy makes of each on a device. Every .cu with
// kernels ends with the list of its own; kernel_report.h says what they take. C++14.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "kernels/execution/cuda/launch.h"

// X(stem): the .cu files that have kernels, each with a function list_<stem>_kernels().
#define TEGU_KERNEL_LISTS(X) \
    X(add)                   \
    X(dot)                   \
    X(entropy)               \
    X(entropy_map_columns)   \
    X(entropy_map_nans)      \
    X(entropy_map_pairs)     \
    X(entropy_map_plane)     \
    X(entropy_map_slide)     \
    X(histogram)             \
    X(levels)                \
    X(quantile)              \
    X(quantile_blocks)       \
    X(quantile_bracket)      \
    X(reduce)                \
    X(rowscale)              \
    X(sort)                  \
    X(sort_pairs)            \
    X(topk)                  \
    X(topk_cut)              \
    X(topk_distinct)         \
    X(topk_filter)           \
    X(topk_rows)

namespace tegu {
namespace cuda {

struct KernelEntry {
    std::string name;  // with its template arguments: "add_packs<f32, 2>"; at most 255 bytes
    const void* function;
    unsigned threads;          // of a block
    std::size_t shared_bytes;  // dynamic shared memory of a block
    std::string moves;         // the bytes that it reads and writes, in words; at most 255 bytes
};

class KernelLister {
  public:
    explicit KernelLister(const DeviceLimits& limits) : limits_(limits) {}
    const DeviceLimits& limits() const { return limits_; }
    const std::vector<KernelEntry>& entries() const { return entries_; }

    // `arguments`: of the template, if it is one.
    template <class... Parameters>
    void add(const char* stem, std::initializer_list<const char*> arguments, void (*kernel)(Parameters...),
             unsigned threads, std::size_t shared_bytes, const char* moves) {
        std::string name = stem;
        const char* separator = "<";
        for (const char* argument : arguments) {
            name += separator;
            name += argument;
            separator = ", ";
        }
        if (arguments.size() != 0) name += ">";
        entries_.push_back(
            KernelEntry{name, reinterpret_cast<const void*>(kernel), threads, shared_bytes, moves});
    }

  private:
    DeviceLimits limits_;
    std::vector<KernelEntry> entries_;
};

#define TEGU_X(stem) void list_##stem##_kernels(KernelLister& to);
TEGU_KERNEL_LISTS(TEGU_X)
#undef TEGU_X

}  // namespace cuda
}  // namespace tegu
