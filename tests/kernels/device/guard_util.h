// SPDX-License-Identifier: Apache-2.0
// What the tests of devices share: touches that have to end the process, and jobs with known results.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/device/guard_gpu.h"

namespace tegu::device::test {

inline constexpr int kTouched = 86;  // exit code of a process that touched memory without permission

inline std::uintptr_t& guarded_begin() {
    static std::uintptr_t address = 0;
    return address;
}

// Exits with kTouched if the fault was in the first page from guarded_begin(); any other one ends the process
// as ever.
inline void on_fault(int number, siginfo_t* info, void*) {
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (at >= guarded_begin() && at < guarded_begin() + 4096) ::_exit(kTouched);
    (void)::signal(number, SIG_DFL);
}

// In a process of its own that is about to end: reads or writes the byte.
inline void touch(void* memory, bool write) {
    guarded_begin() = reinterpret_cast<std::uintptr_t>(memory);
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    (void)::sigaction(SIGSEGV, &action, nullptr);
    (void)::sigaction(SIGBUS, &action, nullptr);
    volatile char* const byte = static_cast<char*>(memory);
    if (write) {
        *byte = 1;
    } else {
        static_cast<void>(*byte);
    }
    ::_exit(0);
}

// The sum of `cols` i32.
inline Job sum_job(std::uint64_t cols) {
    Job job;
    job.type = ElementType::I32;
    job.cols = cols;
    ReduceParams params;
    params.statistics = statistic_bit(Statistic::Sum);
    job.params = params;
    return job;
}

// z = x + y of i32.
inline Job add_job(std::uint64_t cols) {
    Job job;
    job.type = ElementType::I32;
    job.cols = cols;
    job.params = AddParams();
    return job;
}

}  // namespace tegu::device::test
