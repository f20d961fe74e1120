// SPDX-License-Identifier: Apache-2.0
// PreparedJob: a job after every check, bound to the memory that it reads and writes. prepare_job() refuses
// every wrong operand or output and names the field. Later failures can only happen during the computation.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "daemon/buffers/buffer.h"
#include "daemon/placement/cost_class.h"
#include "daemon/tuning/tuning_state.h"
#include "kernels/device/job_operands.h"
#include "kernels/operation.h"
#include "wire/messages.h"

namespace tegu::daemon {

// Move-only; holds its buffers until destroyed. Io thread only, except for the memory behind the views.
struct PreparedJob {
    Job job;
    kernels::JobPlan plan;
    CostClass cost_class;  // the key of its time prediction
    std::size_t input_count = 0;
    std::array<device::JobInput, wire::kMaxInputs> inputs;  // inline inputs point into the message
    device::JobOutput output;                               // data is null for a result in the reply
    std::uint64_t result_bytes = 0;                         // of the planned arrays, as laid out
    bool in_place = false;  // the output is also an input: the job must not run twice
    bool cold = false;      // the run must first map pages of its buffers

    wire::BackendChoice backend = wire::BackendChoice::Auto;  // as requested
    // The tuning rows for the job. The job holds the state, so that a reload does not change a job in flight.
    std::shared_ptr<const TuningState> tuning;  // null: defaults
    tuning::JobChoice cpu_choice;               // from that state
    kernels::CpuPolicies cpu_policies;          // the policies behind the plan
    // why it runs elsewhere than chosen; part of the reply's policy
    std::string note;

    std::array<BufferUse, wire::kMaxInputs + 1> uses;  // of the inputs, and of the output

    // Whether the result goes into a buffer, not into the reply.
    bool in_output() const { return output.in_buffer(); }

    // Redirects the inline inputs from the message `from` to its copy `to`.
    void rebase_inline(Bytes from, const std::byte* to);
};

// Checks a request and binds it to its buffers. The output may overlap an input only if both are the same
// range and the operation works in place (JobPlan::in_place). The job then reads and writes through one
// address and holds the range as output only. Errors: those of plan_job; BadRange, NotFound, Denied,
// TooLarge, BadDescriptor and Busy with the operand's field; TooLarge if the job needs more than
// `scratch_bytes`. `tuning`: the state in force; not null. A tuning row over `scratch_bytes` is ignored; the
// default applies.
Result<PreparedJob> prepare_job(const wire::JobRequest& request, const BufferTable& buffers,
                                std::uint64_t scratch_bytes, std::shared_ptr<const TuningState> tuning);

}  // namespace tegu::daemon
