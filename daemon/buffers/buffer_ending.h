// SPDX-License-Identifier: Apache-2.0
// Frees the memory of a buffer: its devices release the mappings, then this or another thread frees the
// memory, then the charge ends. Io thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "base/fd.h"
#include "daemon/buffers/held_memory.h"
#include "daemon/buffers/mapping.h"
#include "daemon/buffers/quota.h"
#include "daemon/helper_thread.h"

namespace tegu::daemon {

// A device that may hold copies or registrations of buffers on its own thread. Call on the io thread.
class BufferDevice {
  public:
    virtual ~BufferDevice() = default;
    // Drops copies and registrations of the buffer, then calls `then` on the io thread. After the device has
    // stopped, `then` is called at once.
    virtual void forget(std::uint64_t buffer_id, std::function<void()> then) = 0;
    // Allows or forbids registrations of the buffer's mappings; forbidding also ends existing ones. Then
    // calls `then` (may be empty) like forget(). Throws bad_alloc without effect.
    virtual void allow_registering(std::uint64_t buffer_id, bool allowed, std::function<void()> then) = 0;
};

// The resources of a buffer. Freeing large memory takes milliseconds, in proportion to its size.
struct BufferMemory {
    Fd fd;
    Mapping readable;
    Mapping writable;
    BufferCharge charge;  // io thread only: ends after the memory is freed
    HeldMemory* held =
        nullptr;  // io thread only; if set, it keeps the charge while any process holds the memory
};
// Frees `memory`, then calls `freed` (may be empty) on the io thread. Uses `helper` if it is not null and the
// memfd is large; the buffer may be a part of the memfd.
void free_memory(BufferMemory memory, HelperThread* helper, std::function<void()> freed) noexcept;

// A buffer whose devices must release it before its memory ends. Created with the first device, so that the
// ending allocates nothing.
struct DeviceEnding {
    std::uint64_t buffer_id = 0;
    BufferMemory memory;
    HelperThread* helper = nullptr;
    std::function<void()> freed;  // as of free_memory()
    std::vector<std::shared_ptr<BufferDevice>> devices;
    std::size_t asked = 0;
    std::size_t awaited = 0;  // completions of devices, plus one until all requests are sent
};
using DeviceEndings = std::list<std::shared_ptr<DeviceEnding>>;

// Endings whose device requests failed for lack of memory; poll() retries them.
class BufferEndings {
  public:
    // `poll_soon`: requests a poll() within a second.
    explicit BufferEndings(std::function<void()> poll_soon) : poll_soon_(std::move(poll_soon)) {}

    // Sends the device requests of the one element of `one`, now or in poll(). `memory` ends after all
    // devices release it.
    void begin(DeviceEndings one) noexcept;
    void poll() noexcept;
    // Call after the devices have stopped: drops the unsent requests.
    void stop() noexcept;
    bool empty() const { return waiting_.empty(); }

  private:
    std::function<void()> poll_soon_;
    DeviceEndings waiting_;
};

}  // namespace tegu::daemon
