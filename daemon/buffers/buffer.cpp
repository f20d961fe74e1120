// SPDX-License-Identifier: Apache-2.0
#include "daemon/buffers/buffer.h"

#include <sys/random.h>

#include <algorithm>
#include <new>
#include <string>

namespace tegu::daemon {
namespace {

constexpr std::uint64_t kConflictRetryNs = 1'000'000;

Error busy(std::string field, std::string allowed, std::string message) {
    Error error = field_error(Status::Busy, std::move(field), std::move(allowed), std::move(message));
    error.retry_after_ns = kConflictRetryNs;
    return error;
}

// Starts at a random number, so that handles of other connections or earlier daemons are invalid.
std::uint64_t new_handle() {
    static std::uint64_t next = [] {
        std::uint64_t start = 0;
        if (::getrandom(&start, sizeof start, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof start))
            start = 0x7465677564;
        return start & 0x7fffffffffffffff;
    }();
    return next = next % 0x7fffffffffffffff + 1;
}

std::uint64_t new_id() {
    static std::uint64_t last = 0;
    return ++last;
}

// Returns a function that calls `then` on its `count`th call. REQUIRES: count >= 1.
std::function<void()> after_all(std::size_t count, std::function<void()> then) {
    if (count == 1) return then;
    return [left = std::make_shared<std::size_t>(count), then = std::move(then)] {
        if (--*left == 0) then();
    };
}

}  // namespace

bool Buffer::ends_elsewhere() const {
    return !devices_.empty() || (helper_ != nullptr && is_large(fd()));
}

void Buffer::used_by(const std::shared_ptr<BufferDevice>& device, std::uint64_t generation) {
    if (!freezing_) allow_registering();
    const bool known = std::find(devices_.begin(), devices_.end(), device) != devices_.end();
    if (!known && ending_.empty()) ending_.push_back(std::make_shared<DeviceEnding>());
    if (!known) devices_.push_back(device);
    if (generation == 0 && !frozen_) return;
    const Copy made{device.get(), generation, writes_total_, frozen_};
    const auto found = std::find_if(copies_.begin(), copies_.end(),
                                    [&](const Copy& copy) { return copy.device == device.get(); });
    if (found == copies_.end())
        copies_.push_back(made);
    else
        *found = made;
}

bool Buffer::has_copy(const BufferDevice& device, std::uint64_t generation) const {
    return std::any_of(copies_.begin(), copies_.end(), [&](const Copy& copy) {
        const bool current = copy.sealed || (generation != 0 && generation <= copy.generation);
        return copy.device == &device && current && copy.writes == writes_total_;
    });
}

void Buffer::forbid_registering(const std::function<void()>& then) {
    if (devices_.empty()) return then();
    const std::function<void()> each_done = after_all(devices_.size(), then);
    forbidden_ = true;
    for (const auto& device : devices_) device->allow_registering(id_, false, each_done);
}

// On out of memory the next job retries; until then the buffer is copied.
void Buffer::allow_registering() noexcept {
    if (!forbidden_) return;
    try {
        for (const auto& device : devices_) device->allow_registering(id_, true, nullptr);
        forbidden_ = false;
    } catch (const std::bad_alloc&) {
    }
}

// Devices release the mappings before they end.
Buffer::~Buffer() {
    if (memory_.held != nullptr) memory_.held->keep(fd(), memory_.charge);
    if (devices_.empty()) {
        free_memory(std::move(memory_), helper_, std::move(freed_));
        return;
    }
    DeviceEnding& ending = *ending_.front();
    ending.buffer_id = id_;
    ending.memory = std::move(memory_);
    ending.helper = helper_;
    ending.freed = std::move(freed_);
    ending.devices = std::move(devices_);
    ending.awaited = ending.devices.size() + 1;
    endings_->begin(std::move(ending_));
}

device::ClientBuffer Buffer::client_buffer() const {
    return {id_,       memory_.readable.data(), memory_.writable.data(), bytes_, frozen_, writes_total_,
            !freezing_};
}

Buffer::Buffer(Fd fd, std::uint64_t bytes, wire::Access access, Mapping readable, BufferCharge charge)
    : memory_{std::move(fd), std::move(readable), Mapping(), std::move(charge)},
      id_(new_id()),
      bytes_(bytes),
      access_(access) {}

Result<std::shared_ptr<Buffer>> Buffer::from_client(Fd fd, const wire::BufferRegisterRequest& request,
                                                    BufferCharge charge) {
    Result<Mapping> mapping = Mapping::read_only(fd.get(), request.bytes);
    if (!mapping) return std::move(mapping).error();
    std::shared_ptr<Buffer> buffer(new Buffer(std::move(fd), request.bytes, request.access,
                                              std::move(mapping).value(), std::move(charge)));
    buffer->frozen_ = is_sealed_against_writing(buffer->fd());
    return buffer;
}

Result<std::shared_ptr<Buffer>> Buffer::from_daemon(Fd fd, std::uint64_t bytes, BufferCharge charge) {
    Result<Mapping> mapping = Mapping::read_only(fd.get(), bytes);
    if (!mapping) return std::move(mapping).error();
    std::shared_ptr<Buffer> buffer(new Buffer(std::move(fd), bytes, wire::Access::ReadWrite,
                                              std::move(mapping).value(), std::move(charge)));
    buffer->created_by_daemon_ = true;
    return buffer;
}

Result<std::shared_ptr<Buffer>> Buffer::from_store(Fd fd, const KeptBuffer& kept, BufferCharge charge) {
    Result<std::shared_ptr<Buffer>> buffer =
        from_client(std::move(fd), {kept.bytes, kept.access}, std::move(charge));
    if (!buffer) return buffer;
    (*buffer)->generation_ = kept.generation;
    (*buffer)->created_by_daemon_ = kept.created_by_daemon;
    return buffer;
}

Result<void> Buffer::note_generation(std::uint64_t generation) {
    if (generation == 0) return {};
    if (generation < generation_)
        return bad_range(
            "generation", "0, or at least " + std::to_string(generation_),
            "generation " + std::to_string(generation) + " is older than one that a job named before");
    if (generation > generation_ && keeper_ != nullptr) keeper_->generation_raised(*this);
    if (generation > generation_) missed_ns_ = 0;
    generation_ = generation;
    return {};
}

Result<std::byte*> Buffer::write_data() {
    if (frozen_)
        return field_error(Status::Denied, "handle", "a buffer that is not frozen", "the buffer is frozen");
    if (access_ != wire::Access::ReadWrite)
        return field_error(Status::Denied, "handle", "a buffer registered for reading and writing",
                           "the buffer was registered for reading only");
    if (freezing_) return busy("handle", "a buffer that is not being frozen", "the buffer is being frozen");
    Mapping& writable = memory_.writable;
    if (writable.data() == nullptr) {
        Result<Mapping> mapping = Mapping::writable(fd(), bytes_);
        if (!mapping) return std::move(mapping).error();
        writable = std::move(mapping).value();
    }
    return writable.data();
}

Result<void> Buffer::begin_use(const BufferRange& range) {
    for (const BufferRange& other : in_use_)
        if (range.conflicts(other))
            return busy("offset_bytes", "bytes that no job in flight writes, and to write: that none reads",
                        "a job in flight " + std::string(other.write ? "writes" : "reads") + " bytes " +
                            std::to_string(other.begin) + " to " + std::to_string(other.end) +
                            " of this buffer");
    in_use_.push_back(range);
    ++jobs_total_;
    if (range.write) ++writes_total_, missed_ns_ = 0;
    return {};
}

void Buffer::end_use(const BufferRange& range) {
    const auto found = std::find_if(in_use_.begin(), in_use_.end(), [&](const BufferRange& other) {
        return other.begin == range.begin && other.end == range.end && other.write == range.write;
    });
    if (found == in_use_.end()) return;
    *found = in_use_.back();
    in_use_.pop_back();
}

bool Buffer::touch(const BufferRange& range) {
    BufferRange& touched = touched_[range.write];
    if (range.begin >= range.end || (range.begin >= touched.begin && range.end <= touched.end)) return false;
    if (range.begin <= touched.end && touched.begin <= range.end) {
        touched = {std::min(range.begin, touched.begin), std::max(range.end, touched.end), range.write};
    } else if (range.end - range.begin > touched.end - touched.begin) {
        touched = range;
    }
    return true;
}

Result<Mapping> Buffer::begin_freeze() {
    if (freezing_) return busy("handle", "a buffer that is not being frozen", "the buffer is being frozen");
    const bool written =
        std::any_of(in_use_.begin(), in_use_.end(), [](const BufferRange& range) { return range.write; });
    if (written)
        return busy("handle", "a buffer that no job in flight writes",
                    "a job in flight writes into the buffer");
    freezing_ = true;
    touched_[true] = BufferRange();
    return std::move(memory_.writable);
}

void Buffer::end_freeze(bool sealed) noexcept {
    freezing_ = false;
    frozen_ = frozen_ || sealed;
    allow_registering();
}

void Buffer::cancel_freeze(Mapping writable) noexcept {
    memory_.writable = std::move(writable);
    end_freeze(false);
}

Result<BufferUse> BufferUse::begin(std::shared_ptr<Buffer> buffer, const BufferRange& range) {
    Result<void> begun = buffer->begin_use(range);
    if (!begun) return std::move(begun).error();
    BufferUse use;
    use.cold_ = buffer->touch(range);
    use.buffer_ = std::move(buffer);
    use.range_ = range;
    return use;
}

BufferUse& BufferUse::operator=(BufferUse&& other) noexcept {
    if (this != &other) {
        end();
        buffer_ = std::move(other.buffer_);
        range_ = other.range_;
        cold_ = other.cold_;
    }
    return *this;
}

void BufferUse::end() {
    if (buffer_ != nullptr) buffer_->end_use(range_);
    buffer_.reset();
}

std::uint64_t BufferTable::add(std::shared_ptr<Buffer> buffer) {
    const std::uint64_t handle = new_handle();
    buffers_.emplace(handle, std::move(buffer));
    return handle;
}

std::shared_ptr<Buffer> BufferTable::find(std::uint64_t handle) const {
    const auto found = buffers_.find(handle);
    return found == buffers_.end() ? nullptr : found->second;
}

std::shared_ptr<Buffer> BufferTable::take(std::uint64_t handle) {
    const auto found = buffers_.find(handle);
    if (found == buffers_.end()) return nullptr;
    std::shared_ptr<Buffer> buffer = std::move(found->second);
    buffers_.erase(found);
    return buffer;
}

}  // namespace tegu::daemon
