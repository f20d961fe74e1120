// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/placement/placement_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <random>

#include "tools/bench/placement/placement_daemon.h"
#include "tools/bench/report.h"

namespace tegu::bench {
namespace {

using client::Buffer;
using client::Expected;
using client::Request;
using client::Result;

constexpr int kMinTurns = 5, kMaxTurns = 25;
constexpr int kToldWarmUp = 6;
constexpr int kShortTrips = 5;
constexpr double kShortUs = 1000;
constexpr std::size_t kBlock = 64 << 10;  // numbers that differ; then they come again

// Values of one type: 0..99 for bytes, below 1e6 for integers, 0 to 1 for others.
template <class T>
void fill(void* memory, std::uint64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> block(std::min<std::uint64_t>(kBlock, count));
    for (T& value : block)
        value = std::is_floating_point<T>::value
                    ? static_cast<T>(random() * 0x1p-32)
                    : static_cast<T>(random() % (sizeof(T) == 1 ? 100 : 1'000'000));
    for (std::uint64_t at = 0; at < count; at += block.size())
        std::memcpy(static_cast<T*>(memory) + at, block.data(),
                    std::min<std::uint64_t>(block.size(), count - at) * sizeof(T));
}

void fill(void* memory, std::uint8_t type, std::uint64_t count, unsigned seed) {
    if (type == TEGU_U8) return fill<std::uint8_t>(memory, count, seed);
    if (type == TEGU_I32) return fill<std::int32_t>(memory, count, seed);
    if (type == TEGU_F64) return fill<double>(memory, count, seed);
    fill<float>(memory, count, seed);
}

// The arrays of all cases of one type and size, in one daemon. Inputs are frozen: a device may keep them.
struct Arrays {
    Buffer x, y, out;
};

// The requested backend of each daemon: one computes with the CPU, one with the GPU, and one chooses.
constexpr std::array<std::uint8_t, 3> kAsked = {TEGU_BACKEND_CPU, TEGU_BACKEND_GPU, TEGU_BACKEND_AUTO};
constexpr std::size_t kChooses = 2;
using Daemons = std::array<PlacementDaemon*, kAsked.size()>;

class Bench {
  public:
    Bench(const PlacementOptions& options, const Daemons& daemons) : options_(options), daemons_(daemons) {}

    tegu::Result<void> run(const std::function<void(const PlacementRow&)>& progress,
                           PlacementResult& result) {
        std::map<std::uint8_t, std::vector<PlacementKind>> by_type;
        for (PlacementKind& kind : placement_kinds()) by_type[kind.type].push_back(std::move(kind));
        for (const std::uint64_t size : placement_sizes())
            for (const auto& [type, kinds] : by_type) {
                if (size > options_.max_elements) continue;
                tegu::Result<void> done = run_group(type, size, kinds, progress, result);
                if (!done) return done;
            }
        return {};
    }

  private:
    bool wanted(const PlacementKind& kind, std::uint64_t size) const {
        return size >= kind.min && size <= kind.max && kind.name.find(options_.filter) != std::string::npos;
    }

    tegu::Result<void> run_group(std::uint8_t type, std::uint64_t size,
                                 const std::vector<PlacementKind>& kinds,
                                 const std::function<void(const PlacementRow&)>& progress,
                                 PlacementResult& result) {
        unsigned inputs = 0;
        std::uint64_t result_bytes = 0;
        for (const PlacementKind& kind : kinds) {
            if (!wanted(kind, size)) continue;
            inputs = std::max(inputs, kind.inputs);
            result_bytes = std::max(result_bytes, output_bytes(kind, size));
        }
        if (inputs == 0) return {};
        std::array<Arrays, kAsked.size()> arrays;
        for (std::size_t i = 0; i < daemons_.size(); ++i) {
            tegu::Result<void> made = make(*daemons_[i], type, size, inputs, result_bytes, arrays[i]);
            if (!made) return made;
        }
        for (const PlacementKind& kind : kinds) {
            if (!wanted(kind, size)) continue;
            std::optional<PlacementRow> row = run_case(kind, size, arrays);
            if (!row) {
                ++result.skipped;
                continue;
            }
            progress(*row);
            result.rows.push_back(std::move(*row));
        }
        return {};
    }

    static tegu::Result<void> make(PlacementDaemon& daemon, std::uint8_t type, std::uint64_t size,
                                   unsigned inputs, std::uint64_t result_bytes, Arrays& arrays) {
        const std::uint64_t bytes = size * tegu_element_bytes(type);
        for (Buffer* const input : {&arrays.x, &arrays.y}) {
            if (input == &arrays.y && inputs < 2) continue;
            Expected<Buffer> made = daemon.client().create_buffer(bytes);
            if (!made) return from(made.error());
            fill(made->data(), type, size, input == &arrays.x ? 1 : 2);
            if (const Expected<void> frozen = made->freeze(); !frozen) return from(frozen.error());
            *input = std::move(*made);
            // The GPU gets its copy now, because the choice is compared, not the cost of a copy.
            Request largest = Request::reduce(TEGU_STAT_ABSMAX);
            largest.input(*input, type, 1, size).backend = TEGU_BACKEND_GPU;
            const Expected<Result> copied = daemon.client().run(largest);
            if (!copied) return from(copied.error());
        }
        if (result_bytes == 0) return {};
        Expected<Buffer> made = daemon.client().create_buffer(result_bytes);
        if (!made) return from(made.error());
        arrays.out = std::move(*made);
        return {};
    }

    static Request request_of(const PlacementKind& kind, std::uint64_t size, const Arrays& arrays,
                              std::uint8_t backend) {
        const PlacementShape shape = shape_of(kind, size);
        Request request = kind.request();
        request.input(arrays.x, kind.type, shape.rows, shape.cols);
        if (kind.inputs > 1) request.second_input(arrays.y);
        if (output_bytes(kind, size) > 0) request.into(arrays.out);
        request.backend = backend;
        return request;
    }
    // A round trip; less than 0: it was refused.
    static double trip(PlacementDaemon& daemon, const Request& request, int* backend) {
        const Clock::time_point begin = Clock::now();
        const Expected<Result> result = daemon.client().run(request);
        const double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
        if (!result) return -1;
        if (backend != nullptr) *backend = result->backend();
        return us;
    }

    // Round trips one after another, as of a client that has more to ask. The first one of short jobs wakes
    // the daemon and does not count; the median of the others does.
    bool trips(std::size_t which, const Request& request, std::vector<double>& times, int& on_gpu) const {
        int backend = 0;
        std::vector<double> block{trip(*daemons_[which], request, &backend)};
        if (block[0] >= 0 && block[0] < kShortUs) {
            block.clear();
            for (int i = 0; i < kShortTrips; ++i) block.push_back(trip(*daemons_[which], request, &backend));
        }
        if (std::any_of(block.begin(), block.end(), [](double us) { return us < 0; })) return false;
        times.push_back(median(block));
        on_gpu += backend == TEGU_BACKEND_GPU;
        return true;
    }

    std::optional<PlacementRow> run_case(const PlacementKind& kind, std::uint64_t size,
                                         const std::array<Arrays, kAsked.size()>& arrays) const {
        std::vector<Request> requests;
        for (std::size_t i = 0; i < kAsked.size(); ++i)
            requests.push_back(request_of(kind, size, arrays[i], kAsked[i]));
        double all_us = 0;
        for (std::size_t which = 0; which < kAsked.size(); ++which) {
            const Clock::time_point begin = Clock::now();
            const int max = which == kChooses ? options_.warm_up : kToldWarmUp;
            double us = 0;
            for (int i = 0; i < max && (i < kToldWarmUp || seconds_since(begin) < options_.case_seconds); ++i)
                if ((us = trip(*daemons_[which], requests[which], nullptr)) < 0) return std::nullopt;
            all_us += us;
        }
        const double turns = options_.case_seconds * 1e6 / all_us;
        return measure(kind, size, std::clamp(static_cast<int>(turns), kMinTurns, kMaxTurns), requests);
    }

    std::optional<PlacementRow> measure(const PlacementKind& kind, std::uint64_t size, int turns,
                                        const std::vector<Request>& requests) const {
        std::array<std::vector<double>, kAsked.size()> times;
        std::array<int, kAsked.size()> on_gpu{};
        for (int turn = 0; turn < turns; ++turn)
            for (std::size_t step = 0; step < requests.size(); ++step) {
                const std::size_t which = (step + static_cast<std::size_t>(turn)) % requests.size();
                if (!trips(which, requests[which], times[which], on_gpu[which])) return std::nullopt;
            }
        PlacementRow row;
        row.name = kind.name + "/n=" + std::to_string(shape_of(kind, size).elements());
        row.operation = kind.operation;
        row.type = tegu_element_word(kind.type);
        row.elements = shape_of(kind, size).elements();
        row.cpu_us = median(times[0]);
        row.gpu_us = median(times[1]);
        row.auto_us = median(times[2]);
        std::vector<double> deviations;
        for (const double us : times[2]) deviations.push_back(std::abs(us - row.auto_us));
        row.noise = median(deviations) / row.auto_us;
        row.on_gpu = static_cast<double>(on_gpu[kChooses]) / turns;
        row.turns = turns;
        return row;
    }

    using Clock = std::chrono::steady_clock;
    static double seconds_since(Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }

    const PlacementOptions& options_;
    const Daemons daemons_;
};

}  // namespace

tegu::Result<PlacementResult> run_placement(const PlacementOptions& options,
                                            const std::function<void(const PlacementRow&)>& progress) {
    std::vector<PlacementDaemon> started;
    for (std::size_t i = 0; i < kAsked.size(); ++i) {
        tegu::Result<PlacementDaemon> daemon = PlacementDaemon::start(options);
        if (!daemon) return std::move(daemon).error();
        started.push_back(std::move(*daemon));
    }
    pin_threads(started);
    PlacementDaemon& chooses = started[kChooses];
    PlacementResult result;
    result.gpu = chooses.text("gpu_name");
    result.cpu_isa = chooses.text("cpu_isa");
    result.memory_class = chooses.text("memory_class");
    result.cpu_source = chooses.text("placement_cpu");
    result.gpu_source = chooses.text("placement_gpu");
    tegu::Result<void> done = Bench(options, {&started[0], &started[1], &chooses}).run(progress, result);
    if (!done) return std::move(done).error();
    result.placed = chooses.placed();
    return result;
}

}  // namespace tegu::bench
