// SPDX-License-Identifier: Apache-2.0
// Part: a group of cases with a share of the time, such as "copy" or "s1". Declaring cases is cheap: it
// creates no inputs and runs nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/device/device_info.h"
#include "kernels/execution/cpu/thread_pool.h"
#include "kernels/tuning/device_tuning.h"
#include "tools/board/watch.h"
#include "tools/field/case.h"
#include "tools/field/gpu_lab.h"
#include "tools/field/inputs.h"

namespace tegu::field {

struct RunOptions {
    double minutes = 10;
    bool quick = false;                   // small inputs, one run each: to see that all work
    std::vector<std::string> operations;  // stems; empty: all
    std::vector<std::string> parts;       // empty: all
    std::string tegud;                    // the daemon to start for `roundtrip` and `coldstart`
    std::string program;                  // this one, for `coldstart`

    bool wants(const std::string& operation) const;
};

// The services for cases. All outlive the cases.
struct PartContext {
    const RunOptions& options;
    board::BoardWatch& board;
    const tuning::DeviceTuning& tuning;  // with whose policies the jobs run
    kernels::ThreadPool& pool;           // of `threads`; a case that limits it calls limit(threads) later
    InputStore& inputs;
    unsigned threads;                   // one for each core
    GpuLab* gpu;                        // null: no usable GPU, or built without CUDA
    const device::DeviceList& devices;  // all GPUs; GpuLab::open() opens another one
    std::uint64_t memory_bytes;         // that one case may take of the host's memory, in all
    std::uint64_t device_bytes;         // that one case may take of the GPU's memory, in all
};

struct Part {
    const char* name;   // as --parts takes it
    const char* title;  // for people
    double weight;      // share of the time, relative to the other parts
    void (*declare)(PartContext& context, CaseList& cases);
};

// All parts in the order of the run. The parts s1 to s5 are declared by tools/field/seeds/seeds.h:
//     void add_s1_cases(PartContext& context, CaseList& cases);   and so on
const std::vector<Part>& all_parts();

}  // namespace tegu::field
