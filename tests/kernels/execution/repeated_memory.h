// SPDX-License-Identifier: Apache-2.0
// Gigabytes of addresses over little memory, for inputs and outputs of more than 2^31 elements.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tegu::test {

// An address range whose pages are one window of memory again and again, but for the last window, which is by
// itself. So a range of gigabytes costs two windows, and what stands at its end can be told apart.
class RepeatedMemory {
  public:
    static constexpr std::size_t kWindow = std::size_t{64} << 20;

    explicit RepeatedMemory(std::size_t bytes) : windows_((bytes + kWindow - 1) / kWindow) {
        const int fd = memfd_create("repeated", MFD_CLOEXEC);
        void* base =
            mmap(nullptr, windows_ * kWindow, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (fd < 0 || base == MAP_FAILED || ftruncate(fd, 2 * kWindow) != 0) return;
        data_ = static_cast<std::byte*>(base);
        for (std::size_t w = 0; w < windows_ && ok_; ++w)
            ok_ = mmap(data_ + w * kWindow, kWindow, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                       w + 1 == windows_ ? static_cast<off_t>(kWindow) : 0) != MAP_FAILED;
        close(fd);
    }
    ~RepeatedMemory() {
        if (data_ != nullptr) munmap(data_, windows_ * kWindow);
    }
    RepeatedMemory(const RepeatedMemory&) = delete;
    RepeatedMemory& operator=(const RepeatedMemory&) = delete;

    bool ok() const { return ok_ && data_ != nullptr; }
    std::byte* data() const { return data_; }
    // Both windows.
    void fill(int value) const {
        std::memset(data_, value, kWindow);
        std::memset(data_ + (windows_ - 1) * kWindow, value, kWindow);
    }

  private:
    std::size_t windows_;
    std::byte* data_ = nullptr;
    bool ok_ = true;
};

}  // namespace tegu::test
