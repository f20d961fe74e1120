// SPDX-License-Identifier: Apache-2.0
// PreparedJob: a job after every check, bound to the memory that it reads and writes. What a client can get
// wrong about operands and output is refused here, with the field named; what remains can only fail while it
// computes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "daemon/buffers/buffer.h"
#include "daemon/placement/cost_class.h"
#include "daemon/tuning/tuning_state.h"
#include "kernels/device/client_memory.h"
#include "kernels/operation.h"
#include "wire/messages.h"

namespace tegu::daemon {

// Move-only: it holds its buffers until it ends. Io thread only, but for the memory behind the views.
struct PreparedJob {
    Job job;
    kernels::JobPlan plan;
    CostClass cost_class;  // what predicts its time
    std::size_t input_count = 0;
    std::array<kernels::InputView, wire::kMaxInputs> inputs;  // inline ones point into the message
    std::array<bool, wire::kMaxInputs> is_inline{};           // which are those
    bool in_output = false;                                   // the result goes into an output operand:
    std::byte* output = nullptr;                              //   here,
    std::vector<std::uint64_t> output_offsets;                //   each array at its offset
    std::uint64_t result_bytes = 0;                           // of the planned arrays, as laid out
    bool in_place = false;  // that output is an input, too: running twice is wrong
    bool cold = false;      // pages of its buffers are still to be mapped as it runs

    wire::BackendChoice backend = wire::BackendChoice::Auto;  // what was asked for
    // What tuning tables say for it. The state is kept, so that a reload does not change a job in flight.
    std::shared_ptr<const TuningState> tuning;  // null: the defaults
    tuning::JobChoice cpu_choice;               // of that state
    kernels::CpuPolicies cpu_policies;          // that the plan was made with
    // why it runs where it does, if that is not where it was meant to; goes into the reply's policy
    std::string note;

    // For a GPU: what the views are of. An id of 0: memory of this process.
    std::array<device::ClientBuffer, wire::kMaxInputs> input_buffers;
    std::array<device::ClientRange, wire::kMaxInputs> input_ranges;
    std::array<bool, wire::kMaxInputs> input_is_output{};
    device::ClientBuffer output_buffer;
    std::uint64_t output_begin = 0;
    // Of a piece of a divided job: the rows of its arrays that are wanted; 0: all.
    std::uint64_t skip_rows = 0;
    std::uint64_t wanted_rows = 0;

    std::array<BufferUse, wire::kMaxInputs + 1> uses;

    // Moves the inline inputs from the message to a copy of its data.
    void rebase_inline(Bytes from, const std::byte* to);
};

// The output may overlap an input only if it is exactly that one and the operation works in place
// (JobPlan::in_place); it is then read through the same address that it is written to, and held as an output
// alone.
// Errors: those of plan_job; BadRange, NotFound, Denied, TooLarge, BadDescriptor and Busy with the operand's
//         field;
// TooLarge if it alone needs more than `scratch_bytes`. `tuning`: the state in force; not null. A row that
// needs more working memory than that is left out: the default serves.
Result<PreparedJob> prepare_job(const wire::JobRequest& request, const BufferTable& buffers,
                                std::uint64_t scratch_bytes, std::shared_ptr<const TuningState> tuning);

}  // namespace tegu::daemon
