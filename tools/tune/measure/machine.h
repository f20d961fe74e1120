// SPDX-License-Identifier: Apache-2.0
// Machine: the hardware of a run: the CPU pool, an optional GPU, and their properties. Use it only on the
// thread that opened it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/device/gpu.h"
#include "kernels/execution/cpu/thread_pool.h"
#include "kernels/tuning/device_tuning.h"
#include "tools/board/identity.h"
#include "tools/board/watch.h"
#include "tools/tune/jobs/classes.h"
#include "tools/tune/measure/bench.h"

namespace tegu::tune {

enum class Backends { All, Cpu, Gpu };

struct MachineWish {
    Backends backends = Backends::All;  // All: a machine without a usable GPU is measured without one
    int device = -1;                    // as CUDA counts; -1: the first that can be used
    unsigned threads = 0;               // of the pool; 0: one for each core
    std::string sysroot = "/";          // where /sys and /proc are
};

class Machine {
  public:
    // Errors: Unavailable (Gpu is wished and cannot be used), BadRange (no such device), Io (the sysroot).
    static Result<std::unique_ptr<Machine>> open(const MachineWish& wish);
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    kernels::ThreadPool& pool() { return *pool_; }
    device::Gpu* gpu() { return gpu_.get(); }              // null: none is measured
    const std::string& no_gpu() const { return no_gpu_; }  // why not; empty: one is, or none was wished
    const board::BoardIdentity& identity() const { return identity_; }
    const tuning::TuningMachine& facts() const { return facts_; }
    TuningDevice table_device() const;  // that a table of this run is for
    TuningEvidence evidence() const;    // of every row: date, driver, toolkit, power mode
    // "NVIDIA H200, sm_90, 132 multiprocessors; Xeon, avx512, 16 threads; driver 580.95; toolkit 13.0; tegu
    // 0.1.0": measurements of runs with the same text belong together.
    std::string text() const;

    // For the backends that are measured, in one order.
    std::vector<TuningBackend> backends() const;
    std::vector<ClassLimits> limits(std::uint64_t max_elements) const;
    std::vector<Bench*> benches() const;
    std::uint64_t spare_host_bytes() const { return host_bytes_ / 8; }  // for arrays that may be used again

    // For BoardPace; once. May be null.
    std::unique_ptr<board::BoardWatch> take_watch() { return std::move(watch_); }

  private:
    Machine() = default;
    Result<void> open_gpu(const MachineWish& wish);
    Result<void> identify(const MachineWish& wish);
    Result<void> make_benches(const MachineWish& wish);
    std::uint64_t gpu_job_bytes() const;  // that the copies of one job may take

    std::unique_ptr<kernels::ThreadPool> pool_;
    std::unique_ptr<device::Gpu> gpu_;
    std::string no_gpu_;
    board::BoardIdentity identity_;
    std::unique_ptr<board::BoardWatch> watch_;
    tuning::TuningMachine facts_;
    std::vector<std::unique_ptr<Bench>> benches_;
    std::uint64_t host_bytes_ = 0;    // that are available
    std::uint64_t device_bytes_ = 0;  // likewise
};

}  // namespace tegu::tune
