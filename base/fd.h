// SPDX-License-Identifier: Apache-2.0
// Fd: the owner of one file descriptor. Move-only; closes on destruction. Every descriptor is CLOEXEC from
// the call that made it.
#pragma once

#include <utility>

namespace tegu {

class Fd {
  public:
    Fd() = default;
    // Takes ownership of `fd`; -1 means none.
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) reset(std::exchange(other.fd_, -1));
        return *this;
    }
    ~Fd() { reset(); }

    int get() const { return fd_; }
    bool valid() const { return fd_ >= 0; }
    explicit operator bool() const { return valid(); }
    // Gives ownership to the caller.
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }
    void reset(int fd = -1);

  private:
    int fd_ = -1;
};

}  // namespace tegu
