// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/sampler.h"

#include <chrono>
#include <limits>
#include <utility>

namespace tegu::daemon::health {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kFindAgainNs = 60 * kSecondNs;
constexpr std::uint64_t kFindVanishedNs = 5 * kSecondNs;  // shortest interval, however often files change

Value<std::int64_t> bytes(std::uint64_t count) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(count < kMax ? count : kMax);
}

}  // namespace

Times system_times() {
    using namespace std::chrono;
    return {static_cast<std::uint64_t>(
                duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count()),
            duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()};
}

Sampler::Sampler(Files& files, std::string state_directory, TimeSource times)
    : files_(files), state_directory_(std::move(state_directory)), times_(std::move(times)) {
    state_directory_.erase(0, state_directory_.find_first_not_of('/'));
}

Sampler::Layout Sampler::find(Reader& reader) const {
    const std::vector<HwmonDevice> hwmon = find_hwmon(reader);
    return {find_board(reader),        find_cpu(reader),        find_gpu(reader),
            find_emc(reader),          find_memory(reader),     find_thermal(reader, hwmon),
            find_power(reader, hwmon), find_fans(reader, hwmon)};
}

bool Sampler::find_again(std::uint64_t now_ns) const {
    const std::uint64_t age_ns = now_ns - found_ns_;
    return !found_ || age_ns >= kFindAgainNs || (vanished_ && age_ns >= kFindVanishedNs);
}

Disk Sampler::sample_disk(Reader& reader) const {
    if (state_directory_.empty()) {
        const Unknown none{Cause::Missing, "no state directory is set"};
        return {none, none};
    }
    const Value<DiskSpace> space = reader.space(state_directory_);
    if (!space.known()) return {space.unknown(), space.unknown()};
    return {bytes(space->total_bytes), bytes(space->available_bytes)};
}

Snapshot Sampler::sample() {
    Snapshot now;
    now.number = previous_.number + 1;
    now.taken = times_();
    Reader reader(files_);
    if (find_again(now.taken.monotonic_ns)) {
        layout_ = find(reader);
        found_ns_ = now.taken.monotonic_ns;
        found_ = true;
    }
    Reader sampling(files_);
    const bool has_previous = previous_.number != 0;
    now.board = sample_board(sampling, layout_.board);
    now.cpu = sample_cpu(sampling, layout_.cpu, has_previous ? &previous_.cpu : nullptr);
    now.gpu = sample_gpu(sampling, layout_.gpu);
    now.emc = sample_emc(sampling, layout_.emc);
    now.memory = sample_memory(sampling, layout_.memory);
    now.thermal = sample_thermal(sampling, layout_.thermal);
    now.power = sample_power(sampling, layout_.power, has_previous ? &previous_.power : nullptr,
                             now.taken.monotonic_ns);
    now.fans = sample_fans(sampling, layout_.fans);
    now.disk = sample_disk(sampling);
    now.files_read = sampling.files_read();
    now.seconds_taken = static_cast<double>(times_().monotonic_ns - now.taken.monotonic_ns) / 1e9;
    vanished_ = sampling.vanished();
    previous_ = now;
    return now;
}

}  // namespace tegu::daemon::health
