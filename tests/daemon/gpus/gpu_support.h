// SPDX-License-Identifier: Apache-2.0
// What the tests of jobs on a GPU share: tegud with the guarded device in strict mode, so that whatever
// touches memory which the GPU owns ends the daemon and fails the test. With $TEGU_TEST_CUDA set the same
// jobs go to tegud itself and the GPU of this machine, in each memory class that it can be forced into;
// skipped without one.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/daemon/daemon_process.h"
#include "tests/daemon/job_check.h"
#include "tests/daemon/raw_client.h"

namespace tegu::test {

// tegud with GPUs as tests/daemon/guard_devices.cpp says: `gpu` is $TEGU_TEST_GPU there, `fault`
// $TEGU_TEST_FAULT, `speed` $TEGU_TEST_SPEED. With $TEGU_TEST_MODULE set the devices come from a module, and
// `speed` says nothing.
DaemonProgram guarded(const std::string& gpu, const std::string& fault = "", const std::string& speed = "");
// A device that is faster than the CPU, once the daemon has timed both, which takes this setting and
// wait_until_probed().
inline const std::string kFast = "cpu 100";
inline const std::string kProbe = "placement.probe_ms = 300\n";
void wait_until_probed(RawClient& client);
// Sends it again and again, up to 500 times, until a GPU runs it; the last reply.
Message run_until_on_gpu(RawClient& client, const wire::JobRequest& request);
// Whether jobs go to the GPU of this machine.
bool on_cuda();
// Settings for a GPU besides the CPU.
inline const std::string kAuto = "[executor]\nbackend = \"auto\"\n";

std::vector<float> noise(std::size_t count, unsigned seed = 1);
// Sends it, and waits for its reply.
Message run(RawClient& client, const wire::JobRequest& request);
std::string policy_of(const Message& message);
wire::Backend backend_of(const Message& message);
Message info_of(RawClient& client);
Message stats_of(RawClient& client);
// Makes what guard_tegud waits for with a fault.
void make_file(const std::string& path);

// A buffer of i32 whose sum jobs tell.
class BufferOfOnes {
  public:
    BufferOfOnes(RawClient& client, std::uint64_t count, std::int32_t value = 1);
    std::int32_t* values() const { return values_.as<std::int32_t>(); }
    void unmap() { values_.unmap(); }
    std::uint64_t handle() const { return buffer_.handle; }
    // Its sum, on the GPU, with the generation of the last sum().
    wire::JobRequest& request() { return request_; }
    // x + x into itself, there too.
    wire::JobRequest doubling() const;
    std::int64_t sum(std::uint64_t generation, wire::BackendChoice backend = wire::BackendChoice::Gpu);

  private:
    RawClient& client_;
    TestBuffer buffer_;
    SharedMemory values_;
    wire::JobRequest request_;
};
// What the reply to such a sum says; -1 if it is no sum.
std::int64_t sum_of(const Message& reply, wire::Backend backend = wire::Backend::Gpu);

// Whether this `backend_reason` is that of a machine without a GPU, or without this memory class. Any other,
// such as a module that is refused, is a failure.
bool is_absence(const std::string& reason);

// A daemon with a GPU of the memory class; in the end it lives, and its CPU computes.
class GpuJobs : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override;
    void TearDown() override;
    // With settings that end in the table [gpu]. `gpu`: of guard_tegud, which stands in for a real one.
    void start(const std::string& settings, const std::string& gpu, const std::string& speed = "");
    // Kernels of entropy maps do not end between both, though their jobs be cancelled; not on a GPU of this
    // machine.
    void hold() const;
    void release() const { (void)::unlink(held_.c_str()); }
    const std::string& socket() const { return daemon_->socket(); }
    std::unique_ptr<DaemonProcess> daemon_;

  private:
    const std::string directory_ = make_directory(), held_ = directory_ + "/file";
};

}  // namespace tegu::test
