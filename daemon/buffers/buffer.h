// SPDX-License-Identifier: Apache-2.0
// Buffer: a memfd that jobs read and write in place, and the table of the buffers of one connection. Jobs
// keep a buffer by shared_ptr, so a handle can be released while they use it. Io thread only; executors touch
// just the memory.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "daemon/buffers/buffer_ending.h"
#include "daemon/buffers/mapping.h"
#include "daemon/buffers/quota.h"
#include "daemon/helper_thread.h"
#include "kernels/device/client_memory.h"
#include "wire/messages.h"

namespace tegu::daemon {

class Buffer;

// Bytes [begin, end) of a buffer that a job in flight reads or writes.
struct BufferRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool write = false;
    bool conflicts(const BufferRange& other) const {
        return (write || other.write) && begin < other.end && other.begin < end && begin < end &&
               other.begin < other.end;
    }
};

// Whoever keeps buffers for the next daemon, and notes there what changes. Io thread.
class BufferKeeper {
  public:
    virtual ~BufferKeeper() = default;
    virtual void generation_raised(Buffer& buffer) = 0;
};

// What a buffer was, when the daemon before kept it.
struct KeptBuffer {
    std::uint64_t bytes = 0;
    wire::Access access = wire::Access::Read;
    std::uint64_t generation = 0;
    bool created_by_daemon = false;
};

class Buffer {
  public:
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    // Takes a client's descriptor after secure_memfd().
    static Result<std::shared_ptr<Buffer>> from_client(Fd fd, const wire::BufferRegisterRequest& request,
                                                       BufferCharge charge);
    // Takes a memfd made and populated by the daemon.
    static Result<std::shared_ptr<Buffer>> from_daemon(Fd fd, std::uint64_t bytes, BufferCharge charge);
    // Takes one that the daemon before kept, or that this one made and was done with, after secure_memfd().
    static Result<std::shared_ptr<Buffer>> from_store(Fd fd, const KeptBuffer& kept, BufferCharge charge);

    std::uint64_t id() const { return id_; }  // of this buffer alone, for good; no handle
    std::uint64_t bytes() const { return bytes_; }
    wire::Access access() const { return access_; }
    bool frozen() const { return frozen_; }
    bool created_by_daemon() const { return created_by_daemon_; }
    std::uint64_t jobs_total() const { return jobs_total_; }
    std::uint64_t generation() const { return generation_; }
    int fd() const { return memory_.fd.get(); }
    // What a device has to know of it, at this moment.
    device::ClientBuffer client_buffer() const;
    // A job on the device uses it: the device has to forget it before its memory ends. `generation`: that the
    // job names of an input, which the device then has a copy of; 0: none. REQUIRES: free_on() was called.
    void used_by(const std::shared_ptr<BufferDevice>& device, std::uint64_t generation);
    // Whether the device has a copy of what a job reads that names the generation, as far as is known here.
    bool has_copy(const BufferDevice& device, std::uint64_t generation) const;
    // A copy was not there, or not of the bytes that a job read.
    void forget_copies() { copies_.clear(); }
    // Who keeps it for the next daemon, under which number; null and 0: nobody. The keeper outlives it, or
    // ends this.
    void kept_by(BufferKeeper* keeper, std::uint64_t number) {
        keeper_ = keeper;
        kept_number_ = number;
    }
    std::uint64_t kept_number() const { return kept_number_; }
    // Charges it, in place of what it was charged to.
    void set_charge(BufferCharge charge) { memory_.charge = std::move(charge); }
    // It counts against nobody any more, although its memory is still to be given back. Not one that the
    // daemon made: its client may have it.
    void end_charge() {
        if (!created_by_daemon_) memory_.charge = BufferCharge();
    }
    // How much longer jobs on its present content have taken so far because a device had no copy of it.
    std::uint64_t missed_ns() const { return missed_ns_; }
    void set_missed_ns(std::uint64_t ns) { missed_ns_ = ns; }
    // Has every device that has used it let go of what is registered of it, and register no more of it; then
    // `then`, at once if none has. After that, or without the memory to say so (bad_alloc: `then` is never
    // called), end_freeze() or cancel_freeze() takes it back.
    void forbid_registering(const std::function<void()>& then);

    // From now on the end of the buffer gives a large memory back on `helper`, which outlives it or is
    // stopped, leaves the charge of one that the daemon made to `held`, and what its devices could not be
    // told to `endings`, which both outlive it.
    void free_on(HelperThread& helper, HeldMemory& held, BufferEndings& endings) {
        helper_ = &helper;
        endings_ = &endings;
        if (created_by_daemon_) memory_.held = &held;
    }
    // Its end takes another thread, and time.
    bool ends_elsewhere() const;
    // Called once the memory is given back; not if the daemon ends before.
    void when_freed(std::function<void()> freed) { freed_ = std::move(freed); }

    // What every job checks before it uses the buffer: that it was not made sparse behind our back. Errors:
    // BadDescriptor.
    Result<void> check_pages() const { return check_not_sparse(fd(), bytes_); }
    // Records the generation that a job names. Errors: BadRange if it is older than one named before.
    Result<void> note_generation(std::uint64_t generation);

    const std::byte* read_data() const { return memory_.readable.data(); }
    // Maps it for writing if it is not. Errors: Denied (registered for reading, or frozen), Busy (being
    // frozen), OutOfMemory.
    Result<std::byte*> write_data();

    // Marks a range as used by a job. Errors: Busy if it overlaps one that a job in flight writes, or writes
    // one that is read.
    Result<void> begin_use(const BufferRange& range);
    // Whether using the range maps pages that no job has touched through the same mapping, as far as is
    // remembered: one range for each mapping. From then on it counts as touched.
    bool touch(const BufferRange& range);
    void end_use(const BufferRange& range);

    // A freeze has three steps, as sealing may wait for whoever has pinned a page: this one, then
    // seal_against_writing(fd()) on the sealer after the end of the writable mapping that this gives away,
    // then end_freeze(). In between no job may begin to write. REQUIRES: !frozen(). Errors: Busy while a job
    // writes into it or another freeze is under way.
    Result<Mapping> begin_freeze();
    void end_freeze(bool sealed) noexcept;
    // In place of the second step: takes the mapping back, which a device may still have registered.
    void cancel_freeze(Mapping writable) noexcept;

  private:
    void allow_registering() noexcept;
    Buffer(Fd fd, std::uint64_t bytes, wire::Access access, Mapping readable, BufferCharge charge);

    BufferMemory memory_;
    std::uint64_t id_;  // never used twice in the life of the daemon
    std::uint64_t bytes_;
    wire::Access access_;
    bool frozen_ = false;
    bool freezing_ = false;
    bool forbidden_ = false;  // devices may have been told to register nothing of it
    bool created_by_daemon_ = false;
    std::uint64_t generation_ = 0;
    std::uint64_t jobs_total_ = 0;
    std::uint64_t writes_total_ = 0;
    std::vector<BufferRange> in_use_;
    std::array<BufferRange, 2> touched_;  // of the readable and the writable mapping
    HelperThread* helper_ = nullptr;
    BufferEndings* endings_ = nullptr;
    std::vector<std::shared_ptr<BufferDevice>> devices_;
    struct Copy {
        const BufferDevice* device = nullptr;  // one of devices_
        std::uint64_t generation = 0, writes = 0;
        bool sealed = false;
    };
    std::vector<Copy> copies_;  // one of a device at most
    DeviceEndings ending_;      // one if there are devices
    std::uint64_t missed_ns_ = 0;
    BufferKeeper* keeper_ = nullptr;
    std::uint64_t kept_number_ = 0;
    std::function<void()> freed_;
};

// A job's hold on a buffer; ends the use when it ends. Move-only. Made by BufferUse::begin().
class BufferUse {
  public:
    BufferUse() = default;
    BufferUse(BufferUse&&) noexcept = default;
    BufferUse& operator=(BufferUse&& other) noexcept;
    ~BufferUse() { end(); }
    static Result<BufferUse> begin(std::shared_ptr<Buffer> buffer, const BufferRange& range);
    bool cold() const { return cold_; }  // Buffer::touch() when it began
    Buffer* buffer() const { return buffer_.get(); }

  private:
    void end();
    std::shared_ptr<Buffer> buffer_;
    BufferRange range_;
    bool cold_ = false;
};

// The handles of one connection. They are never used twice in the life of the daemon, so a stale one finds
// nothing.
class BufferTable {
  public:
    std::uint64_t add(std::shared_ptr<Buffer> buffer);
    // Null: no such handle here.
    std::shared_ptr<Buffer> find(std::uint64_t handle) const;
    // Forgets the handle. Null: no such handle here.
    std::shared_ptr<Buffer> take(std::uint64_t handle);
    void clear() { buffers_.clear(); }
    std::size_t size() const { return buffers_.size(); }
    const std::unordered_map<std::uint64_t, std::shared_ptr<Buffer>>& all() const { return buffers_; }

  private:
    std::unordered_map<std::uint64_t, std::shared_ptr<Buffer>> buffers_;
};

}  // namespace tegu::daemon
