// SPDX-License-Identifier: Apache-2.0
// The operands of a job: where its arrays lie in this process, and in which buffers of clients. The daemon
// describes them once when it admits a job; the CPU and the GPU read the same description.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/device/client_buffer.h"
#include "kernels/operation.h"

namespace tegu::device {

struct JobInput {
    kernels::InputView view;
    ClientBuffer buffer;     // id 0: memory of this process that outlives the job
    ClientRange range;       // in a buffer: view.data is at its byte range.begin
    bool is_output = false;  // exactly the first array of the output: the job works in place

    bool in_buffer() const { return buffer.id != 0; }
};

struct JobOutput {
    std::byte* data = nullptr;           // array i of the plan goes to data + offsets[i]
    std::vector<std::uint64_t> offsets;  // parallel to the arrays of the plan
    ClientBuffer buffer;                 // id 0: memory of this process that outlives the job
    std::uint64_t begin = 0;             // in a buffer: the offset of `data` in it
    // Not 0: only rows [skip_rows, skip_rows + rows) of each array are written, to data + offsets[i]. The
    // memory around them stays untouched, because others may write there at the same time.
    std::uint64_t skip_rows = 0;
    std::uint64_t rows = 0;

    bool in_buffer() const { return buffer.id != 0; }
};

}  // namespace tegu::device
