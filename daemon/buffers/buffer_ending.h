// SPDX-License-Identifier: Apache-2.0
// How the memory of a buffer ends: the devices that used it let go of its mappings, it is given back, here or
// on another thread, and then its charge ends. Io thread.
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

// A device that may hold copies or registrations of buffers, on a thread of its own. Io thread.
class BufferDevice {
  public:
    virtual ~BufferDevice() = default;
    // Makes it forget the buffer, then calls `then` on the io thread. After the device has ended: at once.
    virtual void forget(std::uint64_t buffer_id, std::function<void()> then) = 0;
    // Lets it register the mappings of the buffer, or not; what is registered ends. Then calls `then` (may be
    // empty) so. Throws bad_alloc, and has done nothing.
    virtual void allow_registering(std::uint64_t buffer_id, bool allowed, std::function<void()> then) = 0;
};

// What a buffer is made of. Giving back the memory of a large one takes milliseconds, the more the larger it
// is.
struct BufferMemory {
    Fd fd;
    Mapping readable;
    Mapping writable;
    BufferCharge charge;  // io thread only: ends when the memory is given back, not before
    HeldMemory* held =
        nullptr;  // io thread only; not null: it is counted there for as long as anybody has it
};
// Ends `memory`, on the helper if its file, of which the buffer may be a part, is large and there is one,
// then calls `freed` (may be empty) on the io thread.
void free_memory(BufferMemory memory, HelperThread* helper, std::function<void()> freed) noexcept;

// A buffer that devices have to forget before its memory ends. Made with the first of them, so that the end
// needs no memory of its own.
struct DeviceEnding {
    std::uint64_t buffer_id = 0;
    BufferMemory memory;
    HelperThread* helper = nullptr;
    std::function<void()> freed;  // as of free_memory()
    std::vector<std::shared_ptr<BufferDevice>> devices;
    std::size_t asked = 0;
    std::size_t awaited = 0;  // answers of devices, and that all were asked
};
using DeviceEndings = std::list<std::shared_ptr<DeviceEnding>>;

// Endings of which there was no memory to tell the devices: they are told later.
class BufferEndings {
  public:
    // `poll_soon`: asks for a poll() within a second.
    explicit BufferEndings(std::function<void()> poll_soon) : poll_soon_(std::move(poll_soon)) {}

    // Tells the devices of the one in `one`, now or later; `memory` ends when all have let go.
    void begin(DeviceEndings one) noexcept;
    void poll() noexcept;
    // The devices have ended: who has not been told need not be.
    void stop() noexcept;
    bool empty() const { return waiting_.empty(); }

  private:
    std::function<void()> poll_soon_;
    DeviceEndings waiting_;
};

}  // namespace tegu::daemon
