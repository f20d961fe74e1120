// SPDX-License-Identifier: Apache-2.0
// A slower CPU for guard_tegud: what it computes itself takes $TEGU_TEST_SPEED's number of times as long, "cpu 20", so that its guarded device
// is faster than it, as a GPU is. The linker puts the function in place of kernels::run_job(), so the daemon knows nothing of it.
#include "kernels/device/guard_stream.h"
#include "kernels/operation.h"
#include "tests/daemon/test_speed.h"

using tegu::Span;
using tegu::kernels::CpuContext;
using tegu::kernels::InputView;
using tegu::kernels::OutputView;
using tegu::kernels::RunReport;
using tegu::kernels::StopToken;

#define TEGU_RUN_JOB                                                                                                   \
    "_ZN4tegu7kernels7run_jobERKNS_3JobENS_4SpanIKNS0_9InputViewEEENS4_IKNS0_10OutputViewEEERKNS0_10CpuContextERKNS0_" \
    "9StopTokenE"

tegu::Result<RunReport> real_run_job(const tegu::Job& job, Span<const InputView> inputs, Span<const OutputView> outputs,
                                     const CpuContext& context, const StopToken& stop) asm("__real_" TEGU_RUN_JOB);
tegu::Result<RunReport> wrapped_run_job(const tegu::Job& job, Span<const InputView> inputs,
                                        Span<const OutputView> outputs, const CpuContext& context,
                                        const StopToken& stop) asm("__wrap_" TEGU_RUN_JOB);

tegu::Result<RunReport> wrapped_run_job(const tegu::Job& job, Span<const InputView> inputs,
                                        Span<const OutputView> outputs, const CpuContext& context,
                                        const StopToken& stop) {
    const unsigned times = tegu::device::on_guard_stream() ? 1 : tegu::test::slowness("cpu");
    const tegu::test::SlowDown slow(times);
    tegu::Result<RunReport> report = real_run_job(job, inputs, outputs, context, stop);
    if (report && !slow.wait([&stop] { return stop.stop_requested(); })) return stop.error();
    return report;
}
