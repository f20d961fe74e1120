// SPDX-License-Identifier: Apache-2.0
#include "daemon/buffers/buffer_ending.h"

#include <exception>
#include <new>
#include <utility>

namespace tegu::daemon {
namespace {

// Memory to free, and the callback. Closures capture it as one object, because g++ 10 and older leak earlier
// captures if the copy of a later one throws.
struct Ending {
    BufferMemory memory;
    std::function<void()> freed;
};

// Any thread.
void let_go(BufferMemory& memory) {
    memory.writable.reset();
    memory.readable.reset();
    memory.fd.reset();
}

// After let_go(). Io thread.
void end_charge(BufferMemory& memory) {
    memory.charge = BufferCharge();
    if (memory.held != nullptr)
        memory.held->poll();  // ends the charge now if no other process holds the memory
}

void count_answer(DeviceEnding& ending) {
    if (--ending.awaited == 0) free_memory(std::move(ending.memory), ending.helper, std::move(ending.freed));
}

// False on out of memory: call it again.
bool tell_devices(const std::shared_ptr<DeviceEnding>& ending) noexcept {
    try {
        for (; ending->asked < ending->devices.size(); ++ending->asked)
            ending->devices[ending->asked]->forget(ending->buffer_id, [ending] { count_answer(*ending); });
    } catch (const std::bad_alloc&) {
        return false;
    }
    ending->devices.clear();
    count_answer(*ending);
    return true;
}

}  // namespace

void free_memory(BufferMemory memory, HelperThread* helper, std::function<void()> freed) noexcept {
    Ending here{std::move(memory), std::move(freed)};
    std::shared_ptr<Ending> there;
    try {
        if (helper != nullptr && is_large(here.memory.fd.get())) {
            there = std::make_shared<Ending>();
            *there = std::move(here);
            HelperThread::Task task;
            task.work = [there] {
                let_go(there->memory);
                return HelperThread::Progress::Done;
            };
            task.done = [there] {
                end_charge(there->memory);
                if (there->freed) there->freed();
            };
            if (helper->submit(task)) return;
        }
    } catch (const std::bad_alloc&) {  // fall back to this thread
    }
    if (there != nullptr) here = std::move(*there);
    let_go(here.memory);
    end_charge(here.memory);
    try {
        if (here.freed) here.freed();
    } catch (const std::exception&) {  // out of memory; there is no reply to send
    }
}

void BufferEndings::begin(DeviceEndings one) noexcept {
    if (tell_devices(one.front()) || !poll_soon_) return;
    waiting_.splice(waiting_.end(), one);
    try {
        poll_soon_();
    } catch (const std::exception&) {  // the next poll handles it
    }
}

void BufferEndings::stop() noexcept {
    poll_soon_ = nullptr;
    DeviceEndings().swap(waiting_);
}

void BufferEndings::poll() noexcept {
    waiting_.remove_if(tell_devices);
}

}  // namespace tegu::daemon
