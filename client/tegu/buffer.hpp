// SPDX-License-Identifier: Apache-2.0
// Buffer: memory that the daemon and this process both map.
#pragma once

#include <cstdint>
#include <utility>

#if defined(__has_include) && __has_include("client/tegu.h")
#include "client/tegu/expected.hpp"
#else
#include <tegu/expected.hpp>
#endif

namespace tegu {
namespace client {

// Owner of a buffer. If it outlives its client, it is plain memory.
class Buffer {
  public:
    Buffer() = default;
    // Takes ownership.
    explicit Buffer(tegu_buffer* buffer) : buffer_(buffer) {}
    Buffer(Buffer&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(buffer_, other.buffer_);
        return *this;
    }
    ~Buffer() { tegu_buffer_free(buffer_); }

    void* data() const { return tegu_buffer_data(buffer_); }
    template <class T>
    T* as() const {
        return static_cast<T*>(data());
    }
    std::uint64_t bytes() const { return tegu_buffer_bytes(buffer_); }
    std::uint64_t handle() const { return tegu_buffer_handle(buffer_); }
    std::uint64_t generation() const { return tegu_buffer_generation(buffer_); }
    void commit() { tegu_buffer_commit(buffer_); }
    Expected<void> freeze() {
        tegu_error error;
        if (tegu_buffer_freeze(buffer_, &error) != TEGU_OK) return Error::from(error);
        return {};
    }
    tegu_buffer* get() const { return buffer_; }

  private:
    tegu_buffer* buffer_ = nullptr;
};

}  // namespace client
}  // namespace tegu
