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

constexpr int kLeastTurns = 5, kMostTurns = 25;
constexpr double kLongUs = 2000;
constexpr std::size_t kBlock = 64 << 10;  // numbers that differ; then they come again

// Of one type: 0..99 of bytes, below 1e6 of whole numbers, 0 to 1 of others.
template <class T>
void fill(void* memory, std::uint64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> block(std::min<std::uint64_t>(kBlock, count));
    for (T& value : block)
        value = std::is_floating_point<T>::value ? static_cast<T>(random() * 0x1p-32)
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

class Bench {
  public:
    Bench(const PlacementOptions& options, PlacementDaemon& told, PlacementDaemon& choosing)
        : options_(options), told_(told), choosing_(choosing) {}

    tegu::Result<void> run(const std::function<void(const PlacementRow&)>& progress, PlacementResult& result) {
        std::map<std::uint8_t, std::vector<PlacementKind>> by_type;
        for (PlacementKind& kind : placement_kinds()) by_type[kind.type].push_back(std::move(kind));
        for (const std::uint64_t size : placement_sizes())
            for (const auto& [type, kinds] : by_type) {
                if (size > options_.most_elements) continue;
                tegu::Result<void> done = run_group(type, size, kinds, progress, result);
                if (!done) return done;
            }
        return {};
    }

  private:
    bool wanted(const PlacementKind& kind, std::uint64_t size) const {
        return size >= kind.least && size <= kind.most && kind.name.find(options_.filter) != std::string::npos;
    }

    tegu::Result<void> run_group(std::uint8_t type, std::uint64_t size, const std::vector<PlacementKind>& kinds,
                                 const std::function<void(const PlacementRow&)>& progress, PlacementResult& result) {
        unsigned inputs = 0;
        std::uint64_t result_bytes = 0;
        for (const PlacementKind& kind : kinds) {
            if (!wanted(kind, size)) continue;
            inputs = std::max(inputs, kind.inputs);
            result_bytes = std::max(result_bytes, output_bytes(kind, size));
        }
        if (inputs == 0) return {};
        Arrays told, choosing;
        for (const auto& [daemon, arrays] : {std::pair(&told_, &told), std::pair(&choosing_, &choosing)}) {
            tegu::Result<void> made = make(*daemon, type, size, inputs, result_bytes, *arrays);
            if (!made) return made;
        }
        for (const PlacementKind& kind : kinds) {
            if (!wanted(kind, size)) continue;
            std::optional<PlacementRow> row = run_case(kind, size, told, choosing);
            if (!row) {
                ++result.skipped;
                continue;
            }
            progress(*row);
            result.rows.push_back(std::move(*row));
        }
        return {};
    }

    static tegu::Result<void> make(PlacementDaemon& daemon, std::uint8_t type, std::uint64_t size, unsigned inputs,
                                   std::uint64_t result_bytes, Arrays& arrays) {
        const std::uint64_t bytes = size * tegu_element_bytes(type);
        for (Buffer* const input : {&arrays.x, &arrays.y}) {
            if (input == &arrays.y && inputs < 2) continue;
            Expected<Buffer> made = daemon.client().create_buffer(bytes);
            if (!made) return from(made.error());
            fill(made->data(), type, size, input == &arrays.x ? 1 : 2);
            if (const Expected<void> frozen = made->freeze(); !frozen) return from(frozen.error());
            *input = std::move(*made);
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
    // A round trip right behind another one of the same kind, as one of a client that has more to ask; a long one by itself.
    double warm_trip(PlacementDaemon& daemon, const Request& request, int* backend) {
        const double us = trip(daemon, request, backend);
        return us < 0 || us > kLongUs ? us : trip(daemon, request, backend);
    }

    // A round trip; less than 0: it was refused.
    double trip(PlacementDaemon& daemon, const Request& request, int* backend) {
        const Clock::time_point begin = Clock::now();
        const Expected<Result> result = daemon.client().run(request);
        const double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
        if (!result) return -1;
        if (backend != nullptr) *backend = result->backend();
        return us;
    }

    std::optional<PlacementRow> run_case(const PlacementKind& kind, std::uint64_t size, const Arrays& told,
                                         const Arrays& choosing) {
        const Request cpu = request_of(kind, size, told, TEGU_BACKEND_CPU);
        const Request gpu = request_of(kind, size, told, TEGU_BACKEND_GPU);
        const Request any = request_of(kind, size, choosing, TEGU_BACKEND_AUTO);
        double cpu_us = 0, gpu_us = 0, auto_us = 0;
        for (int i = 0; i < 3; ++i) {
            cpu_us = trip(told_, cpu, nullptr);
            gpu_us = trip(told_, gpu, nullptr);
            if (cpu_us < 0 || gpu_us < 0) return std::nullopt;
        }
        // The copies of the data are there in both daemons: what is compared is the choice, not who paid for a copy.
        if (trip(choosing_, request_of(kind, size, choosing, TEGU_BACKEND_GPU), nullptr) < 0) return std::nullopt;
        const Clock::time_point begin = Clock::now();
        for (int i = 0; i < options_.warm_up && (i < 6 || seconds_since(begin) < options_.case_seconds); ++i)
            if ((auto_us = trip(choosing_, any, nullptr)) < 0) return std::nullopt;
        const double turns = options_.case_seconds * 1e6 / (cpu_us + gpu_us + auto_us);
        return measure(kind, size, std::clamp(static_cast<int>(turns), kLeastTurns, kMostTurns), {&cpu, &gpu, &any});
    }

    std::optional<PlacementRow> measure(const PlacementKind& kind, std::uint64_t size, int turns,
                                        const std::array<const Request*, 3>& requests) {
        std::array<std::vector<double>, 3> times;
        int on_gpu = 0;
        for (int turn = 0; turn < turns; ++turn)
            for (std::size_t step = 0; step < requests.size(); ++step) {
                const std::size_t which = (step + static_cast<std::size_t>(turn)) % requests.size();
                int backend = 0;
                const double us = warm_trip(which == 2 ? choosing_ : told_, *requests[which], &backend);
                if (us < 0) return std::nullopt;
                times[which].push_back(us);
                on_gpu += which == 2 && backend == TEGU_BACKEND_GPU;
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
        row.on_gpu = static_cast<double>(on_gpu) / turns;
        row.turns = turns;
        return row;
    }

    using Clock = std::chrono::steady_clock;
    static double seconds_since(Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }

    const PlacementOptions& options_;
    PlacementDaemon& told_;
    PlacementDaemon& choosing_;
};

}  // namespace

tegu::Result<PlacementResult> run_placement(const PlacementOptions& options,
                                            const std::function<void(const PlacementRow&)>& progress) {
    tegu::Result<PlacementDaemon> told = PlacementDaemon::start(options);
    if (!told) return std::move(told).error();
    tegu::Result<PlacementDaemon> choosing = PlacementDaemon::start(options);
    if (!choosing) return std::move(choosing).error();
    PlacementResult result;
    result.gpu = choosing->text("gpu_name");
    result.cpu_isa = choosing->text("cpu_isa");
    result.memory_class = choosing->text("memory_class");
    result.cpu_source = choosing->text("placement_cpu");
    result.gpu_source = choosing->text("placement_gpu");
    tegu::Result<void> done = Bench(options, *told, *choosing).run(progress, result);
    if (!done) return std::move(done).error();
    result.placed = choosing->placed();
    return result;
}

}  // namespace tegu::bench
