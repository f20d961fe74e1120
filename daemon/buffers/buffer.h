// SPDX-License-Identifier: Apache-2.0
// Buffer: a memfd that jobs read and write in place; BufferTable: the buffers of one connection. Jobs hold a
// shared_ptr, so a handle can be released while they use the buffer. Io thread only; executors access only
// the memory.
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

// Keeps buffers for the next daemon and records their changes. Io thread.
class BufferKeeper {
  public:
    virtual ~BufferKeeper() = default;
    virtual void generation_raised(Buffer& buffer) = 0;
};

// State of a buffer that the previous daemon kept.
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
    // Takes a memfd that the previous daemon kept or that this one created and released, after
    // secure_memfd().
    static Result<std::shared_ptr<Buffer>> from_store(Fd fd, const KeptBuffer& kept, BufferCharge charge);

    std::uint64_t id() const { return id_; }  // unique and constant; not a handle
    std::uint64_t bytes() const { return bytes_; }
    wire::Access access() const { return access_; }
    bool frozen() const { return frozen_; }
    bool created_by_daemon() const { return created_by_daemon_; }
    std::uint64_t jobs_total() const { return jobs_total_; }
    std::uint64_t generation() const { return generation_; }
    int fd() const { return memory_.fd.get(); }
    // The present state of the buffer, for a device.
    device::ClientBuffer client_buffer() const;
    // Records that a job on the device uses the buffer; the device must release it before its memory ends.
    // `generation`: the job's generation of an input that the device then has a copy of; 0: none. REQUIRES:
    // free_on() was called.
    void used_by(const std::shared_ptr<BufferDevice>& device, std::uint64_t generation);
    // Whether the device is believed to have a copy of the content with this generation.
    bool has_copy(const BufferDevice& device, std::uint64_t generation) const;
    // Forgets the recorded copies: one was missing, or had other bytes than a job read.
    void forget_copies() { copies_.clear(); }
    // Sets the keeper that stores the buffer for the next daemon, and its number there; null and 0: none. The
    // keeper outlives the buffer or resets this.
    void kept_by(BufferKeeper* keeper, std::uint64_t number) {
        keeper_ = keeper;
        kept_number_ = number;
    }
    std::uint64_t kept_number() const { return kept_number_; }
    // Replaces its charge.
    void set_charge(BufferCharge charge) { memory_.charge = std::move(charge); }
    // Ends the charge before the memory is freed. No effect on memory that the daemon created: its client may
    // still have it.
    void end_charge() {
        if (!created_by_daemon_) memory_.charge = BufferCharge();
    }
    // Extra time of jobs on the present content so far because a device had no copy of it.
    std::uint64_t missed_ns() const { return missed_ns_; }
    void set_missed_ns(std::uint64_t ns) { missed_ns_ = ns; }
    // Ends the registrations of the buffer on every device that has used it, and forbids new ones. Then calls
    // `then`, at once if no device has used it. On bad_alloc `then` is never called. In both cases
    // end_freeze() or cancel_freeze() allows registrations again.
    void forbid_registering(const std::function<void()>& then);

    // Sets the parts that the destructor uses. `helper` frees large memory; it outlives the buffer or is
    // stopped. `held` takes the charge of memory that the daemon created. `endings` retries device
    // notifications for which memory was short. `held` and `endings` outlive the buffer.
    void free_on(HelperThread& helper, HeldMemory& held, BufferEndings& endings) {
        helper_ = &helper;
        endings_ = &endings;
        if (created_by_daemon_) memory_.held = &held;
    }
    // True if freeing the buffer needs another thread, and so takes time.
    bool ends_elsewhere() const;
    // `freed` is called after the memory is freed; not if the daemon ends first.
    void when_freed(std::function<void()> freed) { freed_ = std::move(freed); }

    // Checks that no client has made the buffer sparse. Every job calls it before it uses the buffer. Errors:
    // BadDescriptor.
    Result<void> check_pages() const { return check_not_sparse(fd(), bytes_); }
    // Records a job's generation. Errors: BadRange if it is older than a recorded one.
    Result<void> note_generation(std::uint64_t generation);

    const std::byte* read_data() const { return memory_.readable.data(); }
    // Maps the buffer for writing if needed. Errors: Denied (registered for reading, or frozen), Busy (a
    // freeze is under way), OutOfMemory.
    Result<std::byte*> write_data();

    // Marks a range as used by a job. Errors: Busy if it conflicts with a job in flight: they overlap and at
    // least one writes.
    Result<void> begin_use(const BufferRange& range);
    // True if the range has pages that no job has touched through the same mapping. Only one touched range
    // per mapping is remembered. Marks the range as touched.
    bool touch(const BufferRange& range);
    void end_use(const BufferRange& range);

    // Starts a freeze. Sealing may wait for pinned pages, so a freeze has three steps. (1) begin_freeze()
    // returns the writable mapping; the caller unmaps it. (2) The sealer calls seal_against_writing(fd()).
    // (3) end_freeze(). No job may begin to write in between. REQUIRES: !frozen(). Errors: Busy while a job
    // writes into it or another freeze is under way.
    Result<Mapping> begin_freeze();
    void end_freeze(bool sealed) noexcept;
    // Replaces steps 2 and 3: restores the mapping, which a device may still have registered.
    void cancel_freeze(Mapping writable) noexcept;

  private:
    void allow_registering() noexcept;
    Buffer(Fd fd, std::uint64_t bytes, wire::Access access, Mapping readable, BufferCharge charge);

    BufferMemory memory_;
    std::uint64_t id_;  // unique in the life of the daemon
    std::uint64_t bytes_;
    wire::Access access_;
    bool frozen_ = false;
    bool freezing_ = false;
    bool forbidden_ = false;  // devices may already forbid registrations of it
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
    std::vector<Copy> copies_;  // at most one for each device
    DeviceEndings ending_;      // one if there are devices
    std::uint64_t missed_ns_ = 0;
    BufferKeeper* keeper_ = nullptr;
    std::uint64_t kept_number_ = 0;
    std::function<void()> freed_;
};

// A job's use of a buffer range; the destructor ends the use. Move-only. Created by BufferUse::begin().
class BufferUse {
  public:
    BufferUse() = default;
    BufferUse(BufferUse&&) noexcept = default;
    BufferUse& operator=(BufferUse&& other) noexcept;
    ~BufferUse() { end(); }
    static Result<BufferUse> begin(std::shared_ptr<Buffer> buffer, const BufferRange& range);
    bool cold() const { return cold_; }  // result of Buffer::touch() at the start
    Buffer* buffer() const { return buffer_.get(); }

  private:
    void end();
    std::shared_ptr<Buffer> buffer_;
    BufferRange range_;
    bool cold_ = false;
};

// The handles of one connection. Handles are unique in the life of the daemon, so a stale one is never found.
class BufferTable {
  public:
    std::uint64_t add(std::shared_ptr<Buffer> buffer);
    // Null if the handle is unknown.
    std::shared_ptr<Buffer> find(std::uint64_t handle) const;
    // Removes the handle. Null if the handle is unknown.
    std::shared_ptr<Buffer> take(std::uint64_t handle);
    void clear() { buffers_.clear(); }
    std::size_t size() const { return buffers_.size(); }
    const std::unordered_map<std::uint64_t, std::shared_ptr<Buffer>>& all() const { return buffers_; }

  private:
    std::unordered_map<std::uint64_t, std::shared_ptr<Buffer>> buffers_;
};

}  // namespace tegu::daemon
