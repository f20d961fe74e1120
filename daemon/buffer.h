// SPDX-License-Identifier: Apache-2.0
// Buffer: a memfd that jobs read and write in place, and the table of those that a connection has named. A handle can be released while
// jobs still use the buffer: they keep it by shared_ptr. Inputs are always read through a read-only mapping; a writable one exists
// from the first job that writes until the freeze. Io thread only; the memory itself is touched by the executor.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "daemon/mapping.h"
#include "daemon/quota.h"
#include "wire/messages.h"

namespace tegu::daemon {

// Bytes [begin, end) of a buffer that a job in flight reads or writes.
struct BufferRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool write = false;
    bool conflicts(const BufferRange& other) const {
        return (write || other.write) && begin < other.end && other.begin < end;
    }
};

class Buffer {
  public:
    // Takes a client's descriptor after secure_memfd().
    static Result<std::shared_ptr<Buffer>> from_client(Fd fd, const wire::BufferRegisterRequest& request,
                                                       BufferCharge charge);
    // Takes a memfd made and populated by the daemon.
    static Result<std::shared_ptr<Buffer>> from_daemon(Fd fd, std::uint64_t bytes, BufferCharge charge);

    std::uint64_t bytes() const { return bytes_; }
    wire::Access access() const { return access_; }
    bool frozen() const { return frozen_; }
    bool created_by_daemon() const { return created_by_daemon_; }
    std::uint64_t jobs_total() const { return jobs_total_; }
    std::uint64_t generation() const { return generation_; }
    int fd() const { return fd_.get(); }

    // What every job checks before it uses the buffer: that it was not made sparse behind our back. Errors: BadDescriptor.
    Result<void> check_pages() const { return check_not_sparse(fd_.get(), bytes_); }
    // Records the generation that a job names. Errors: BadRange if it is older than one named before.
    Result<void> note_generation(std::uint64_t generation);

    const std::byte* read_data() const { return readable_.data(); }
    // Maps it for writing if it is not. Errors: Denied (registered for reading, or frozen), OutOfMemory.
    Result<std::byte*> write_data();

    // Marks a range as used by a job. Errors: Busy if it overlaps one that a job in flight writes, or writes one that is read.
    Result<void> begin_use(const BufferRange& range);
    void end_use(const BufferRange& range);

    // Seals it against writing, for good. Errors: Busy while a job writes into it; BadDescriptor.
    Result<void> freeze();

  private:
    Buffer(Fd fd, std::uint64_t bytes, wire::Access access, Mapping readable, BufferCharge charge);

    Fd fd_;
    std::uint64_t bytes_;
    wire::Access access_;
    bool frozen_ = false;
    bool created_by_daemon_ = false;
    std::uint64_t generation_ = 0;
    std::uint64_t jobs_total_ = 0;
    Mapping readable_;
    Mapping writable_;
    std::vector<BufferRange> in_use_;
    BufferCharge charge_;
};

// A job's hold on a buffer; ends the use when it ends. Move-only. Made by BufferUse::begin().
class BufferUse {
  public:
    BufferUse() = default;
    BufferUse(BufferUse&&) noexcept = default;
    BufferUse& operator=(BufferUse&& other) noexcept;
    ~BufferUse() { end(); }
    static Result<BufferUse> begin(std::shared_ptr<Buffer> buffer, const BufferRange& range);

  private:
    void end();
    std::shared_ptr<Buffer> buffer_;
    BufferRange range_;
};

// The handles of one connection. They are never used twice in the life of the daemon, so a stale one finds nothing.
class BufferTable {
  public:
    std::uint64_t add(std::shared_ptr<Buffer> buffer);
    // Null: no such handle here.
    std::shared_ptr<Buffer> find(std::uint64_t handle) const;
    bool remove(std::uint64_t handle);
    void clear() { buffers_.clear(); }
    std::size_t size() const { return buffers_.size(); }
    const std::unordered_map<std::uint64_t, std::shared_ptr<Buffer>>& all() const { return buffers_; }

  private:
    std::unordered_map<std::uint64_t, std::shared_ptr<Buffer>> buffers_;
};

}  // namespace tegu::daemon
