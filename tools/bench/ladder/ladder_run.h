// SPDX-License-Identifier: Apache-2.0
// Shared by the parts of `tegu-bench ladder`: the timer, the report, inputs that are equal on every machine,
// and the launches of tegu's reduce. Needs CUDA.
#pragma once

#include <initializer_list>
#include <type_traits>

#include "base/job.h"
#include "base/random.h"
#include "kernels/statistics/cuda/reduce.h"
#include "tools/bench/gpu_timer.h"
#include "tools/bench/ladder/ladder_bench.h"

namespace tegu::bench {

class LadderRun {
  public:
    explicit LadderRun(const LadderSettings& settings);

    const LadderSettings& settings() const { return settings_; }
    GpuTimer& timer() { return timer_; }
    const cuda::Context& context() const { return timer_.context(); }

    void begin_table(std::string title) { report_.tables.push_back({std::move(title), {}}); }
    // A row of the table at hand. bytes: read and written; 0: not to be compared with a copy. `over`: so many
    // rows back stands the one that it is compared with; 0: none does. partials: as of LadderRow.
    void add(const std::string& name, const std::string& title, const std::string& change, std::uint64_t n,
             std::uint64_t bytes, const GpuTime& time, std::size_t over, std::uint64_t partials = 0);
    // A row of the launches of a reduce job over x [n].
    void add_own_reduce(const std::string& stem, ElementType type, cuda::ReduceKind kind,
                        std::initializer_list<Statistic> statistics, std::uint64_t n, const Rotation& x,
                        const std::string& change);
    LadderReport take() { return std::move(report_); }

    // Waits for the kernels and copies their result at `from`.
    template <class T>
    std::vector<T> download(const void* from, std::size_t count) const {
        std::vector<T> values(count);
        require_cuda(cudaStreamSynchronize(context().stream), "cudaStreamSynchronize");
        require_cuda(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost),
                     "cudaMemcpy");
        return values;
    }

  private:
    const LadderSettings settings_;
    GpuTimer timer_;
    LadderReport report_;
};

// One table each, or two. Errors: Internal (a result that is not the host's).
Result<void> run_sums(LadderRun& run);
Result<void> run_extremes(LadderRun& run);
Result<void> run_largest(LadderRun& run);
Result<void> run_additions(LadderRun& run);

inline Error wrong_result(const std::string& name) {
    return make_error(Status::Internal, name + ": not the result of the host");
}

template <class T>
T* as(void* memory) {
    return static_cast<T*>(memory);
}

// Every i32; f32 in [-1, 1).
template <class T>
std::vector<T> random_values(std::uint64_t n) {
    std::vector<T> values(n);
    LinearRandom random(0x9e3779b97f4a7c15u);
    for (T& value : values) {
        const auto bits = static_cast<std::int32_t>(static_cast<std::uint32_t>(random() >> 32));
        value =
            std::is_same_v<T, float> ? static_cast<T>(bits) * static_cast<T>(0x1p-31) : static_cast<T>(bits);
    }
    return values;
}

}  // namespace tegu::bench
