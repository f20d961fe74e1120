// SPDX-License-Identifier: Apache-2.0
// Selects the kept buffers, and their status. descriptor_store_rounds.cpp sends the requests to the service
// manager; descriptor_store_start.cpp adopts the previous daemon's buffers.
#include "daemon/store/descriptor_store.h"

#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <exception>

namespace tegu::daemon {
namespace {

// A user with 1 / kPartOfOneUser of the store is not short of slots.
constexpr std::size_t kPartOfOneUser = 4;

bool fill_token(wire::BufferToken& token) {
    return ::getrandom(token.data(), token.size(), GRND_NONBLOCK) == static_cast<ssize_t>(token.size()) &&
           token != wire::BufferToken{};
}

std::uint64_t inode_of(int fd) {
    struct stat status;
    return ::fstat(fd, &status) == 0 ? static_cast<std::uint64_t>(status.st_ino) : 0;
}

}  // namespace

const char* store_state_word(StoreStatus::State state) {
    switch (state) {
        case StoreStatus::State::Ok: return "ok";
        case StoreStatus::State::Full: return "full";
        case StoreStatus::State::Refused: return "refused";
        case StoreStatus::State::Off: break;
    }
    return "off";
}

DescriptorStore::DescriptorStore(boost::asio::io_context& io, BufferServices& services)
    : timer_(io), grace_timer_(io), services_(services) {}

wire::BufferToken DescriptorStore::keep(const std::shared_ptr<Buffer>& buffer, uid_t uid, pid_t pid) {
    Entry entry;
    StoredBuffer& record = entry.record;
    if (!socket_ || !fill_token(record.token)) return {};
    record.number = next_number_++;
    record.bytes = buffer->bytes();
    record.generation = buffer->generation();
    record.inode = inode_of(buffer->fd());
    record.uid = uid;
    record.pid = static_cast<std::uint32_t>(pid);
    record.access = buffer->access();
    record.created_by_daemon = buffer->created_by_daemon();
    entry.buffer = buffer;
    const wire::BufferToken token = record.token;
    const std::uint64_t number = record.number;
    const auto added = entries_.emplace(number, std::move(entry)).first;
    try {
        shares_.add_waiting(uid, number);
    } catch (...) {
        entries_.erase(added);
        throw;
    }
    buffer->kept_by(this, number);
    if (state_ == StoreStatus::State::Ok) soon(kPause);
    return token;
}

// A later round removes the stored buffer, so the end of a connection needs no memory for it.
void DescriptorStore::forget(Buffer& buffer) noexcept {
    const auto found = entries_.find(buffer.kept_number());
    buffer.kept_by(nullptr, 0);
    if (found == entries_.end()) return;
    raised_.erase(found->first);
    if (found->second.sent != 0)
        found->second.gone = true;
    else
        erase(found);
    soon_or_later();
}

void DescriptorStore::erase(Entries::iterator entry) noexcept {
    shares_.remove(entry->second.record.uid, entry->first);
    raised_.erase(entry->first);
    entries_.erase(entry);
}

// Compares all orphans and all bytes of their tokens, so that the time reveals nothing.
std::shared_ptr<Buffer> DescriptorStore::attach(uid_t uid, pid_t pid, const wire::BufferToken& token) {
    std::size_t match = orphans_.size();
    for (std::size_t i = 0; i < orphans_.size(); ++i) {
        const StoredBuffer& record = entries_.at(orphans_[i]->kept_number()).record;
        unsigned differs = record.uid != uid ? 1 : 0;
        for (std::size_t k = 0; k < token.size(); ++k)
            differs |= static_cast<unsigned>(record.token[k] ^ token[k]);
        if (differs == 0) match = i;
    }
    if (match == orphans_.size()) return nullptr;
    generation_raised(*orphans_[match]);
    std::shared_ptr<Buffer> buffer = std::move(orphans_[match]);
    orphans_.erase(orphans_.begin() + static_cast<std::ptrdiff_t>(match));
    entries_.at(buffer->kept_number()).record.pid = static_cast<std::uint32_t>(pid);
    return buffer;
}

void DescriptorStore::drop_orphan(std::size_t index) {
    const std::shared_ptr<Buffer> buffer = std::move(orphans_[index]);
    orphans_.erase(orphans_.begin() + static_cast<std::ptrdiff_t>(index));
    forget(*buffer);
    buffer->end_charge();
}

bool DescriptorStore::drop_orphans(uid_t uid) {
    const std::size_t before = orphans_.size();
    for (std::size_t i = before; i-- > 0;)
        if (entries_.at(orphans_[i]->kept_number()).record.uid == uid) drop_orphan(i);
    return orphans_.size() != before;
}

// The next round writes it, so no job waits. An older generation does no harm to the next daemon.
void DescriptorStore::generation_raised(Buffer& buffer) {
    raised_.insert(buffer.kept_number());
    soon(kPause);
}

void DescriptorStore::finish() noexcept {
    if (!socket_) return;
    ending_ = true;
    try {
        remove_gone(entries_.size());
        send_removals();
        if (state_ == StoreStatus::State::Ok && removals_.empty()) send_stores(shares_.waiting());
        timer_.cancel();
        grace_timer_.cancel();
    } catch (const std::exception&) {
        // Out of memory. The next daemon finds no owner for a buffer that should not be kept; a buffer that
        // should be kept is registered again.
    }
}

// Whether the buffer of an entry is gone, with or without a call of forget().
bool DescriptorStore::is_gone(const Entry& entry) const {
    return entry.gone || (entry.sent != 0 && !ending_ && entry.buffer.expired());
}

std::size_t DescriptorStore::gone() const {
    return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(),
                                                  [this](const auto& each) { return is_gone(each.second); }));
}

StoreStatus DescriptorStore::status() const {
    StoreStatus status;
    status.state = state_;
    status.buffers = kept() - gone();
    status.waiting = shares_.waiting();
    status.orphans = orphans_.size();
    status.reason = reason_;
    if (state_ == StoreStatus::State::Ok && status.waiting > 0 && status.buffers >= limit_) {
        status.state = StoreStatus::State::Full;
        status.too_small =
            shares_.fewest_kept().value_or(0) < std::max<std::size_t>(max_ / kPartOfOneUser, 1) &&
            shares_.to_give_up(1).empty();
        status.reason = "the descriptor store is full: " + std::to_string(status.waiting) + " of " +
                        std::to_string(entries_.size()) + " buffers would not survive the daemon";
        if (!status.too_small) status.reason += "; users with less than a quarter of it get places of others";
    }
    return status;
}

}  // namespace tegu::daemon
