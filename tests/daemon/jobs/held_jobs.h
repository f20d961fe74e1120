// SPDX-License-Identifier: Apache-2.0
// Jobs that last until the test lets them end, on any machine: guard_tegud holds entropy maps while a file
// exists, so SlowJob is slow indeed. Other jobs run.
#pragma once

#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/daemon/daemon_process.h"

namespace tegu::test {

class HeldJobs {
  public:
    HeldJobs() : directory_(make_directory()) {}
    ~HeldJobs() { remove_directory(directory_); }
    HeldJobs(const HeldJobs&) = delete;
    HeldJobs& operator=(const HeldJobs&) = delete;

    // Entropy maps that executors run do not end from now on, unless they are cancelled or overdue.
    void hold() const { std::ofstream(file()) << "held"; }
    void release() const { (void)::unlink(file().c_str()); }
    // A tegud whose jobs it holds; without a GPU.
    DaemonProgram program() const { return program({"tests/guard_tegud", {"TEGU_TEST_GPU=none"}}); }
    // The same with what guarded() of gpu_support.h chose.
    DaemonProgram program(DaemonProgram guarded) const {
        guarded.environment.push_back("TEGU_TEST_HOLD=" + file());
        return guarded;
    }

  private:
    std::string file() const { return directory_ + "/file"; }
    const std::string directory_;
};

}  // namespace tegu::test
