// SPDX-License-Identifier: Apache-2.0
#include "tools/board/data_sheet.h"

namespace tegu::board {
namespace {

struct Entry {
    const char* words;          // all of them, separated by '|', stand in the name
    std::uint64_t below_bytes;  // of boards with less memory than this; 0: any
    double gb_per_s;
};

constexpr std::uint64_t kGib = std::uint64_t{1} << 30;

// From NVIDIA's data sheets of the modules. The first match counts.
constexpr Entry kBoards[] = {
    {"Thor", 0, 273},
    {"AGX Orin", 0, 204.8},
    {"Orin NX", 0, 102.4},
    {"Orin Nano|Super", 5 * kGib, 51},
    {"Orin Nano|Super", 0, 102},
    {"Orin Nano", 5 * kGib, 34},
    {"Orin Nano", 0, 68},
    {"Xavier NX", 0, 59.7},
    {"AGX Xavier", 0, 136.5},
    {"Jetson-AGX", 0, 136.5},  // the AGX Xavier's device tree before JetPack 5
    {"TX2 NX", 0, 51.2},
    {"TX2", 0, 59.7},
    {"Jetson Nano", 0, 25.6},
};
// From the data sheets of the cards.
constexpr Entry kGpus[] = {
    {"H200", 0, 4800},      {"H100 80GB HBM3", 0, 3350}, {"H100 PCIe", 0, 2000}, {"H100 NVL", 0, 3900},
    {"A100|80GB", 0, 2039}, {"A100|40GB", 0, 1555},      {"L40S", 0, 864},
};

bool has_words(std::string_view name, std::string_view words) {
    while (!words.empty()) {
        const std::size_t bar = words.find('|');
        if (name.find(words.substr(0, bar)) == std::string_view::npos) return false;
        words = bar == std::string_view::npos ? std::string_view() : words.substr(bar + 1);
    }
    return true;
}

template <std::size_t N>
std::optional<double> find_in(const Entry (&entries)[N], std::string_view name, std::uint64_t memory_bytes) {
    for (const Entry& entry : entries)
        if (has_words(name, entry.words) && (entry.below_bytes == 0 || memory_bytes < entry.below_bytes))
            return entry.gb_per_s;
    return std::nullopt;
}

}  // namespace

std::optional<double> data_sheet_gb_per_s(std::string_view model, std::string_view gpu,
                                          std::uint64_t memory_bytes) {
    if (model.find("Jetson") != std::string_view::npos) return find_in(kBoards, model, memory_bytes);
    if (gpu.find("MIG") != std::string_view::npos) return std::nullopt;  // a share of the card
    return find_in(kGpus, gpu, memory_bytes);
}

}  // namespace tegu::board
