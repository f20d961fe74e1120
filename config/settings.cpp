// SPDX-License-Identifier: Apache-2.0
#include "config/settings.h"

#include <unistd.h>

#include <algorithm>

#include "config/setting_info.h"

namespace tegu::config {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

// Sets `member` to `share`, in whole MiB and inside the setting's range, if it is 0.
void derive(std::string_view key, std::uint64_t& member, std::uint64_t share) {
    if (member != 0) return;
    const SettingInfo& info = *find_setting(key);
    const std::uint64_t whole = share >= kMiB ? share / kMiB * kMiB : share;
    member = std::min(std::max(whole, info.lowest), info.highest);
}

}  // namespace

std::uint64_t physical_memory_bytes() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page_bytes = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_bytes <= 0) return 1024 * kMiB;
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

void derive_sizes(Settings& settings, std::uint64_t memory_bytes) {
    Settings::Limits& limits = settings.limits;
    derive("limits.buffer_bytes_total", limits.buffer_bytes_total, memory_bytes / 8 * 3);
    derive("limits.buffer_bytes_per_uid", limits.buffer_bytes_per_uid, limits.buffer_bytes_total / 2);
    derive("limits.buffer_bytes", limits.buffer_bytes, limits.buffer_bytes_per_uid);
    derive("limits.scratch_bytes", limits.scratch_bytes, memory_bytes / 8);
    derive("gpu.arena_bytes", settings.gpu.arena_bytes, memory_bytes / 16 * 3);
    derive("gpu.workspace_bytes", settings.gpu.workspace_bytes, memory_bytes / 16);
}

Settings default_settings(std::uint64_t memory_bytes) {
    Settings settings;
    derive_sizes(settings, memory_bytes);
    return settings;
}

}  // namespace tegu::config
