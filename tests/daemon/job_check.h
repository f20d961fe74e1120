// SPDX-License-Identifier: Apache-2.0
// What a job must give: the kernels called directly, and the arrays of a reply to compare with.
#pragma once

#include <vector>

#include "kernels/operation.h"
#include "tests/daemon/raw_client.h"

namespace tegu::test {

// The arrays of a result one after another, dense.
using Arrays = std::vector<wire::ByteBuffer>;

// run_job in this process, on `data` (dense) with one thread.
Arrays compute(const Job& job, Bytes data);

// Those of a reply with its data in it, or in `output` (the memory that the output operand names).
Arrays arrays_of(const Message& reply, const std::byte* output = nullptr,
                 wire::Backend backend = wire::Backend::Cpu);

// A mapping of a whole memfd for writing.
class SharedMemory {
  public:
    SharedMemory(int fd, std::uint64_t bytes, bool writable = true);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }
    void unmap();

  private:
    void* data_;
    std::uint64_t bytes_;
};

// A buffer made by the daemon, mapped here.
struct TestBuffer {
    std::uint64_t handle = 0;
    std::uint64_t bytes = 0;
    Fd fd;
};
TestBuffer create_buffer(RawClient& client, std::uint64_t bytes);

// The side of an image whose map is some tenths of a second of work: kernels under the thread sanitizer are
// many times slower.
#if defined(__SANITIZE_THREAD__)
inline constexpr std::uint64_t kSomeWork = 512;
#else
inline constexpr std::uint64_t kSomeWork = 2048;
#endif

// Entropy maps of a side x side u8 image in a buffer with the widest window, into another: a job that takes
// its time.
class SlowJob {
  public:
    explicit SlowJob(RawClient& client, std::uint64_t side = 4096);
    // Parameters for a job that writes into the output of `slot` (0..3): jobs that run at once need different
    // ones.
    wire::JobRequest request(std::uint64_t slot = 0) const;

  private:
    std::uint64_t side_;
    TestBuffer input_;
    TestBuffer output_;
};

}  // namespace tegu::test
