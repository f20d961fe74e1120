// SPDX-License-Identifier: Apache-2.0
// Puts virtual times in place of those that guard_tegud measures, wherever a measurement ends: the run of a
// job, the run of a sample, the turnaround, the way of a sample. Also holds entropy maps while the file
// $TEGU_TEST_HOLD exists. The linker wraps these functions (CMakeLists.txt), so the daemon knows nothing of
// it; a function that is no longer there fails the link.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <typeinfo>

#include "daemon/gpus/gpu_backend.h"
#include "daemon/placement/placement.h"
#include "daemon/placement/probe_plan.h"
#include "tests/daemon/virtual_times.h"

#define TEGU_RUN                                                                                          \
    "_ZN4tegu6daemon9JobRunner3runERKNS0_11PreparedJobERKNS_7kernels9StopTokenEmRSt6vectorISt4byteSaISA_" \
    "EERNS0_7RunCostE"
#define TEGU_TIME_ON_CPU "_ZNK4tegu6daemon12SampleMemory11time_on_cpuERKNS_3JobEPNS_7kernels10ThreadPoolE"
#define TEGU_TIME_SAMPLE "_ZN4tegu6daemon10GpuBackend11time_sampleERKNS_3JobERKNS0_12SampleMemoryE"
#define TEGU_LEARN "_ZN4tegu6daemon9Placement5learnERKNS0_7JobTaskEm"
#define TEGU_LEARN_START "_ZN4tegu6daemon9Placement11learn_startENS0_6TargetEm"
// Declares real_<name> and wrapped_<name>; `this` is the first parameter of each.
#define TEGU_WRAPPED(result, name, symbol, ...)            \
    result real_##name(__VA_ARGS__) asm("__real_" symbol); \
    result wrapped_##name(__VA_ARGS__) asm("__wrap_" symbol);

using tegu::Job;
using tegu::Result;
using tegu::daemon::GpuBackend;
using tegu::daemon::JobRunner;
using tegu::daemon::JobTask;
using tegu::daemon::Placement;
using tegu::daemon::PreparedJob;
using tegu::daemon::ProbePlan;
using tegu::daemon::RunCost;
using tegu::daemon::SampleMemory;
using tegu::daemon::SampleTime;
using tegu::daemon::Target;
using tegu::kernels::StopToken;
using tegu::kernels::ThreadPool;
using tegu::test::has_virtual_times;
using tegu::test::virtual_copy_ns;
using tegu::test::virtual_ns;

TEGU_WRAPPED(Result<void>, run, TEGU_RUN, JobRunner* runner, const PreparedJob& prepared,
             const StopToken& stop, std::uint64_t queue_ns, tegu::wire::ByteBuffer& out, RunCost& cost)
TEGU_WRAPPED(SampleTime, time_on_cpu, TEGU_TIME_ON_CPU, const SampleMemory* memory, const Job& job,
             ThreadPool* pool)
TEGU_WRAPPED(SampleTime, time_sample, TEGU_TIME_SAMPLE, GpuBackend* gpu, const Job& job,
             const SampleMemory& memory)
TEGU_WRAPPED(void, learn, TEGU_LEARN, Placement* placement, const JobTask& task, std::uint64_t turnaround_ns)
TEGU_WRAPPED(void, learn_start, TEGU_LEARN_START, Placement* placement, Target target, std::uint64_t ns)

namespace {

bool on_io_thread() {
    return ::syscall(SYS_gettid) == ::getpid();
}

void wait_while_held(const Job& job, const StopToken& stop) {
    static const char* const file = std::getenv("TEGU_TEST_HOLD");
    if (file == nullptr || operation_of(job) != tegu::Operation::EntropyMap) return;
    while (::access(file, F_OK) == 0 && !stop.stop_requested()) ::usleep(500);
}

SampleTime in_virtual_time(SampleTime time, const char* part, const Job& job) {
    if (!has_virtual_times() || time.ns <= 0) return time;
    const std::uint64_t ns = virtual_ns(part, job);
    time.ns = static_cast<double>(ns);
    time.copy_ns = virtual_copy_ns(time.copied_bytes);
    time.spent_ns = (ns + time.copy_ns) * (ProbePlan::kRuns + 1);
    return time;
}

}  // namespace

// The io thread gives a job up after some milliseconds; virtual ones do not pass there. What computes on a
// GPU is the only runner of another class.
Result<void> wrapped_run(JobRunner* runner, const PreparedJob& prepared, const StopToken& stop,
                         std::uint64_t queue_ns, tegu::wire::ByteBuffer& out, RunCost& cost) {
    if (!on_io_thread()) wait_while_held(prepared.job, stop);
    if (!has_virtual_times()) return real_run(runner, prepared, stop, queue_ns, out, cost);
    const JobRunner& of = *runner;
    const char* const part = typeid(of) == typeid(JobRunner) ? "cpu" : "device";
    Result<void> done = real_run(runner, prepared, on_io_thread() ? StopToken() : stop, queue_ns, out, cost);
    cost.compute_ns = virtual_ns(part, prepared.job);
    cost.copy_ns = virtual_copy_ns(cost.copied_bytes);
    return done;
}

SampleTime wrapped_time_on_cpu(const SampleMemory* memory, const Job& job, ThreadPool* pool) {
    return in_virtual_time(real_time_on_cpu(memory, job, pool), "cpu", job);
}

SampleTime wrapped_time_sample(GpuBackend* gpu, const Job& job, const SampleMemory& memory) {
    return in_virtual_time(real_time_sample(gpu, job, memory), "device", job);
}

void wrapped_learn(Placement* placement, const JobTask& task, std::uint64_t turnaround_ns) {
    if (has_virtual_times())
        turnaround_ns = task.cost.copy_ns + task.cost.compute_ns + tegu::test::kVirtualHandOverNs;
    real_learn(placement, task, turnaround_ns);
}

void wrapped_learn_start(Placement* placement, Target target, std::uint64_t ns) {
    real_learn_start(placement, target, has_virtual_times() ? tegu::test::kVirtualHandOverNs : ns);
}
