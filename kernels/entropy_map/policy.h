// SPDX-License-Identifier: Apache-2.0
// The policy of entropy_map on the CPU, for kernels/cpu_policies.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tegu::kernels {

// All give the same bits; docs/entropy-map.md describes them.
enum class CpuEntropyMethod : std::uint8_t {
    Chosen,   // the fastest as measured, for window and levels
    Slide,    // histogram of the window that follows by single pixels; any window, any levels
    Planes,   // one plane of counts per level, vectors along the row; small windows, few levels
    Columns,  // window histogram that moves by whole columns; the cost does not grow with the window
    Prefix,   // sums of one plane per level along the row; large windows, very few levels
};
inline constexpr std::string_view kCpuEntropyMethods[] = {"chosen", "slide", "planes", "columns", "prefix"};
constexpr std::string_view entropy_method_word(CpuEntropyMethod method) {
    return kCpuEntropyMethods[static_cast<std::size_t>(method)];
}

struct CpuEntropyMapPolicy {
    // A method that cannot compute the map is replaced by the automatic choice.
    CpuEntropyMethod method = CpuEntropyMethod::Chosen;
    std::uint32_t tile_rows = 0;  // results that a thread takes at a time; 0: 64
    std::uint32_t tile_cols = 0;  // 0: by method
};

}  // namespace tegu::kernels
