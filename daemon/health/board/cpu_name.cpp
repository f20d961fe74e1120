// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/cpu_name.h"

#include <cstdio>
#include <cstdlib>

#include "daemon/health/board/reader.h"

namespace tegu::daemon::health {
namespace {

struct ArmPart {
    unsigned long implementer, part;
    const char* name;
};
// Part numbers of Jetsons and of development servers, from the kernel's arch/arm64/include/asm/cputype.h.
constexpr ArmPart kArmParts[] = {
    {0x41, 0xd03, "Cortex-A53"},    {0x41, 0xd07, "Cortex-A57"},  {0x41, 0xd08, "Cortex-A72"},
    {0x41, 0xd0b, "Cortex-A76"},    {0x41, 0xd0c, "Neoverse-N1"}, {0x41, 0xd40, "Neoverse-V1"},
    {0x41, 0xd42, "Cortex-A78AE"},  {0x41, 0xd49, "Neoverse-N2"}, {0x41, 0xd4f, "Neoverse-V2"},
    {0x41, 0xd83, "Neoverse-V3AE"}, {0x41, 0xd84, "Neoverse-V3"}, {0x4e, 0x003, "Denver 2"},
    {0x4e, 0x004, "Carmel"},
};

// The value of a line "name\t: value"; empty for a line of another name.
std::string_view value_of(std::string_view line, std::string_view name) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || trimmed(line.substr(0, colon)) != name) return {};
    return trimmed(line.substr(colon + 1));
}

std::string arm_name(unsigned long implementer, unsigned long part) {
    for (const ArmPart& known : kArmParts)
        if (known.implementer == implementer && known.part == part) return known.name;
    char text[64];
    std::snprintf(text, sizeof text, "Arm CPU of implementer 0x%lx, part 0x%lx", implementer, part);
    return text;
}

unsigned long number_of(std::string_view text) {
    return std::strtoul(std::string(text).c_str(), nullptr, 0);
}

}  // namespace

std::string cpu_name(std::string_view cpuinfo) {
    std::string model, names, last;
    unsigned long implementer = 0;
    for (const std::string_view line : split(cpuinfo, '\n')) {
        if (model.empty()) model = value_of(line, "model name");
        if (const std::string_view value = value_of(line, "CPU implementer"); !value.empty())
            implementer = number_of(value);
        const std::string_view part = value_of(line, "CPU part");
        if (part.empty()) continue;
        const std::string name = arm_name(implementer, number_of(part));
        if (names.find(name) == std::string::npos) names += (names.empty() ? "" : " + ") + name;
    }
    return names.empty() ? model : names;  // on Arm "model name" is "ARMv8 Processor rev 1 (v8l)" for all
}

}  // namespace tegu::daemon::health
