// SPDX-License-Identifier: Apache-2.0
// tegud with the devices of guard_tegud, in which a part stops for good on demand: when $TEGU_TEST_WEDGE, a
// folder, holds a file of the part's name with the number of this process: `loop` (waiting for events),
// `executor` (within a job), `idle` (between jobs), `pool` (a worker of it) or `health` (reading a file of
// the board). The linker puts these functions in place of the real ones, so the daemon itself knows nothing
// of tests.
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

#include "kernels/execution/cpu/thread_pool.h"
#include "kernels/operation.h"

namespace {

bool is_wedged(const char* part) {
    static const char* folder = std::getenv("TEGU_TEST_WEDGE");
    if (folder == nullptr) return false;
    const std::string path = std::string(folder) + "/" + part;
    if (::access(path.c_str(), F_OK) != 0) return false;
    std::ifstream file(path);
    pid_t process = 0;
    return (file >> process) && process == ::getpid();
}

void stop_if_wedged(const char* part) {
    while (is_wedged(part)) ::sleep(1);
}

bool is_io_thread() {
    return ::syscall(SYS_gettid) == ::getpid();
}

}  // namespace

extern "C" {

int __real_epoll_wait(int fd, epoll_event* events, int count, int timeout);
int __wrap_epoll_wait(int fd, epoll_event* events, int count, int timeout) {
    stop_if_wedged("loop");
    return __real_epoll_wait(fd, events, count, timeout);
}

ssize_t __real_read(int fd, void* data, size_t bytes);
ssize_t __wrap_read(int fd, void* data, size_t bytes) {
    if (!is_io_thread()) stop_if_wedged("health");
    return __real_read(fd, data, bytes);
}

}  // extern "C"

// kernels::run_job(), kernels::ThreadPool::meet() and kernels::ThreadPool::parallel_for().
using tegu::Span;
using tegu::kernels::CpuContext;
using tegu::kernels::InputView;
using tegu::kernels::JobPlan;
using tegu::kernels::OutputView;
using tegu::kernels::RunReport;
using tegu::kernels::StopToken;
using tegu::kernels::ThreadPool;
using Body = std::function<void(std::uint64_t, unsigned)>;

#define TEGU_RUN_JOB                                                                                     \
    "_ZN4tegu7kernels7run_jobERKNS_3JobERKNS0_7JobPlanENS_4SpanIKNS0_9InputViewEEENS7_IKNS0_10OutputVie" \
    "wEEERKNS0_10CpuContextERKNS0_9StopTokenE"
#define TEGU_MEET "_ZN4tegu7kernels10ThreadPool4meetEv"
#define TEGU_PARALLEL_FOR "_ZN4tegu7kernels10ThreadPool12parallel_forEmRKSt8functionIFvmjEE"

tegu::Result<RunReport> real_run_job(const tegu::Job& job, const JobPlan& plan, Span<const InputView> inputs,
                                     Span<const OutputView> outputs, const CpuContext& context,
                                     const StopToken& stop) asm("__real_" TEGU_RUN_JOB);
tegu::Result<RunReport> wrapped_run_job(const tegu::Job& job, const JobPlan& plan,
                                        Span<const InputView> inputs, Span<const OutputView> outputs,
                                        const CpuContext& context,
                                        const StopToken& stop) asm("__wrap_" TEGU_RUN_JOB);
tegu::Result<RunReport> wrapped_run_job(const tegu::Job& job, const JobPlan& plan,
                                        Span<const InputView> inputs, Span<const OutputView> outputs,
                                        const CpuContext& context, const StopToken& stop) {
    if (!is_io_thread()) stop_if_wedged("executor");
    return real_run_job(job, plan, inputs, outputs, context, stop);
}

void real_meet(ThreadPool* pool) asm("__real_" TEGU_MEET);
void wrapped_meet(ThreadPool* pool) asm("__wrap_" TEGU_MEET);
void wrapped_meet(ThreadPool* pool) {
    stop_if_wedged("idle");
    real_meet(pool);
}

void real_parallel_for(ThreadPool* pool, std::uint64_t count,
                       const Body& body) asm("__real_" TEGU_PARALLEL_FOR);
void wrapped_parallel_for(ThreadPool* pool, std::uint64_t count,
                          const Body& body) asm("__wrap_" TEGU_PARALLEL_FOR);
void wrapped_parallel_for(ThreadPool* pool, std::uint64_t count, const Body& body) {
    real_parallel_for(pool, count, [&body](std::uint64_t index, unsigned worker) {
        if (worker != 0) stop_if_wedged("pool");
        body(index, worker);
    });
}
