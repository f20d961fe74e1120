// SPDX-License-Identifier: Apache-2.0
// Where the tests of the GPU backend run: on a GPU (test_device_cuda.cpp), or on the host in its place
// (test_device_simt.cpp). The same tests are built with both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "kernels/operation_cuda.h"

namespace tegu::test {

// Device memory of a test. On the host it ends where a sanitizer sees it.
class DeviceBytes {
  public:
    explicit DeviceBytes(std::size_t bytes);
    explicit DeviceBytes(const std::vector<std::byte>& content);
    ~DeviceBytes();
    DeviceBytes(const DeviceBytes&) = delete;
    DeviceBytes& operator=(const DeviceBytes&) = delete;

    std::byte* data() const { return data_; }
    std::vector<std::byte> download() const;

  private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

// Where the bytes lie that another side rewrites while kernels use them.
enum class SharedKind {
    Device,      // rewritten by copies on another stream; on the host between any two steps of threads
    Managed,     // rewritten by a thread of the host
    Registered,  // the same: memory of the host that kernels use in place
};

// Memory of a kind, and someone who rewrites bytes [begin, end) of it at all times between start() and
// stop().
class SharedBytes {
  public:
    SharedBytes(SharedKind kind, std::size_t bytes, std::byte fill);
    ~SharedBytes();
    SharedBytes(const SharedBytes&) = delete;
    SharedBytes& operator=(const SharedBytes&) = delete;

    std::byte* data() const;  // for kernels
    void start(std::size_t begin, std::size_t end);
    void stop();
    std::vector<std::byte> download() const;  // stopped

  private:
    struct State;
    std::unique_ptr<State> state_;
};
// Whether there is such memory here.
bool has_kind(SharedKind kind);

// The context that the tests run in; null, and why, without a GPU.
const cuda::Context* test_context(const char** why_not);
// Plans the job and runs it there.
inline Result<kernels::RunReport> run_on_device(const Job& job, Span<const kernels::InputView> inputs,
                                                Span<const kernels::OutputView> outputs,
                                                const cuda::Context& context,
                                                const kernels::StopToken& stop) {
    const Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) return plan.error();
    return cuda::run_job({job, plan->parts, inputs, outputs, stop}, context);
}
// On the host sizes above this take too long: every step of a fiber costs. On a GPU all sizes, or those up to
// $TEGU_TEST_ELEMENTS.
std::uint64_t largest_test_elements();
// 0: the variable is not set.
inline std::uint64_t number_in_environment(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}
// The most shared memory, static and dynamic, of a block that ran since the last call; 0 where nobody counts
// it.
std::size_t take_most_shared_bytes();
// Decides the order of threads, where the tests have a say in it.
void set_thread_order(std::uint64_t seed);

}  // namespace tegu::test
