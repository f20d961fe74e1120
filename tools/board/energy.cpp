// SPDX-License-Identifier: Apache-2.0
#include "tools/board/energy.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tegu::board {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPeriod{50};

}  // namespace

struct EnergyMeter::Sampling {
    std::mutex mutex;
    std::condition_variable changed;
    bool stopped = false;
    bool failed = false;
    double joules = 0;
    std::thread thread;
};

EnergyMeter::EnergyMeter(BoardWatch& watch) : watch_(watch), source_(watch.energy_source()) {}

EnergyMeter::~EnergyMeter() {
    if (sampling_ != nullptr) (void)stop();
}

// Power between two readings is taken as their mean.
void EnergyMeter::sample() {
    std::optional<double> before = watch_.power_watts();
    Clock::time_point at = Clock::now();
    std::unique_lock<std::mutex> lock(sampling_->mutex);
    while (true) {
        const bool last = sampling_->changed.wait_for(lock, kPeriod, [this] { return sampling_->stopped; });
        lock.unlock();
        const std::optional<double> watts = watch_.power_watts();
        const Clock::time_point now = Clock::now();
        lock.lock();
        if (before && watts)
            sampling_->joules += (*before + *watts) / 2 * std::chrono::duration<double>(now - at).count();
        else
            sampling_->failed = true;
        before = watts;
        at = now;
        if (last) return;
    }
}

void EnergyMeter::start() {
    if (sampling_ != nullptr) (void)stop();
    if (source_ == EnergySource::GpuCounter) counter_ = watch_.gpu_energy_joules();
    if (source_ != EnergySource::BoardRails) return;
    sampling_ = std::make_unique<Sampling>();
    sampling_->thread = std::thread([this] { sample(); });
}

std::optional<double> EnergyMeter::stop() {
    if (source_ == EnergySource::GpuCounter) {
        const std::optional<double> now = watch_.gpu_energy_joules();
        if (!counter_ || !now || *now < *counter_) return std::nullopt;
        return *now - *counter_;
    }
    if (sampling_ == nullptr) return std::nullopt;
    {
        const std::lock_guard<std::mutex> lock(sampling_->mutex);
        sampling_->stopped = true;
    }
    sampling_->changed.notify_all();
    sampling_->thread.join();
    const std::unique_ptr<Sampling> done = std::move(sampling_);
    if (done->failed) return std::nullopt;
    return done->joules;
}

}  // namespace tegu::board
