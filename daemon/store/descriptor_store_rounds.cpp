// SPDX-License-Identifier: Apache-2.0
// Messages to the service manager, in rounds of a few each. A round checks the result of the previous one
// before it sends more. Buffers are stored only after a pause, so short-lived ones cause no messages.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <optional>

#include "base/log.h"
#include "daemon/store/descriptor_store.h"

namespace tegu::daemon {
namespace {

constexpr std::chrono::milliseconds kLongestRetryPause(3600000);  // while the store refuses everything
// a thread of systemd may close a refused descriptor this much later
constexpr std::chrono::milliseconds kCloseTime(500);
constexpr std::size_t kMessagesPerRound = 64;

std::string buffer_name(std::uint64_t number) {
    return std::string(kStoredBufferName) + std::to_string(number);
}

std::string table_name(std::uint64_t epoch) {
    return std::string(kStoredTableName) + std::to_string(epoch);
}

bool has_hung_up(const Fd& fd) {
    pollfd entry{fd.get(), POLLIN, 0};
    return fd && ::poll(&entry, 1, 0) > 0 && (entry.revents & POLLHUP) != 0;
}

}  // namespace

// Sets the timer of the next round. An earlier time replaces a later one, so a client's change does not wait
// for the next retry.
void DescriptorStore::soon(std::chrono::nanoseconds pause) {
    const TimePoint when = Clock::now() + pause;
    if (when >= armed_for_) return;
    armed_for_ = kNever;
    timer_.expires_at(when);
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (error) return;
        armed_for_ = kNever;
        try {
            tick();
        } catch (const std::bad_alloc&) {  // the next round tries again
            soon_or_later();
        }
    });
    armed_for_ = when;
}

// On out of memory no timer is set, and the next event starts the round.
void DescriptorStore::soon_or_later() noexcept {
    try {
        soon(kPause);
    } catch (const std::bad_alloc&) {
        return;
    }
}

void DescriptorStore::tick() {
    check_probe();
    if (removals_.empty()) remove_gone(kMessagesPerRound);
    send_removals();
    for (const std::uint64_t number : raised_) {
        Entry& entry = entries_.at(number);
        if (const std::shared_ptr<Buffer> buffer = entry.buffer.lock())
            entry.record.generation = buffer->generation();
        if (entry.sent != 0) (void)writer_->put(entry.record);
    }
    raised_.clear();
    const bool retry = Clock::now() >= retry_at_;
    if (retry) {
        retry_at_ = kNever;
        if (state_ == StoreStatus::State::Ok && limit_ < max_) ++limit_;
    }
    // Stores only after all removals: a buffer that waits for both has one name.
    if (!probe_ && removals_.empty() && (retry || state_ == StoreStatus::State::Ok)) send_more();
    const bool takes = state_ == StoreStatus::State::Ok;
    const bool more = probe_due_ || table_sent_ == 0 || !removals_.empty() || gone() > 0 ||
                      (shares_.waiting() > 0 && has_room());
    if (probe_ || (takes && more)) return soon(kPause);
    if (takes && shares_.waiting() == 0) return;
    if (retry_at_ == kNever) {  // full or refused: a later retry may succeed
        retry_at_ = Clock::now() + retry_pause_;
        retry_pause_ = std::min(2 * retry_pause_, kLongestRetryPause);
    }
    soon(retry_at_ - Clock::now());
}

// REQUIRES: systemd has answered the last message. A probe that was sent before could free a slot and so
// report capacity that does not exist.
void DescriptorStore::send_more() {
    if (probe_due_ || state_ != StoreStatus::State::Ok)
        probe();
    else if (table_sent_ == 0)
        store_table();
    else if (has_room())
        send_stores(kMessagesPerRound);
    else if (gone() == 0)
        make_room();
}

bool DescriptorStore::went(const Result<StoreSocket::Sent>& sent) {
    if (sent) return *sent == StoreSocket::Sent::Yes;
    if (state_ != StoreStatus::State::Refused) log(LogLevel::Warning, sent.error().message);
    state_ = StoreStatus::State::Refused;
    reason_ = sent.error().message + ": buffers do not survive the daemon";
    return false;
}

void DescriptorStore::remove_name(std::string name) {
    removals_.push_back(std::move(name));
    send_removals();
    if (!removals_.empty()) soon(kPause);
}

void DescriptorStore::remove_gone(std::size_t max) {
    for (auto it = entries_.begin(); it != entries_.end() && max > 0;) {
        const auto entry = it++;
        if (!is_gone(entry->second)) continue;
        removals_.push_back(buffer_name(entry->first));
        writer_->remove(entry->first);
        erase(entry);
        --max;
    }
}

void DescriptorStore::send_removals() {
    std::size_t done = 0;
    while (done < removals_.size() && went(socket_->remove(removals_[done]))) ++done;
    removals_.erase(removals_.begin(), removals_.begin() + static_cast<std::ptrdiff_t>(done));
}

void DescriptorStore::send_stores(std::size_t max) {
    std::size_t sent = 0;
    while (sent < max && has_room()) {
        const std::optional<std::uint64_t> number = shares_.next();
        if (!number) break;
        const auto entry = entries_.find(*number);
        if (entry->second.buffer.expired()) {  // the connection ended while the daemon stops
            erase(entry);
            continue;
        }
        if (!send_one(*number, entry->second)) break;
        shares_.keep(entry->second.record.uid, *number);
        ++sent;
    }
    if (sent == 0) return;
    probe_due_ = true;
    probe();
}

// Takes slots back from the user with the most buffers, for users with fewer. Buffers that lose their slot
// wait for another one.
void DescriptorStore::make_room() {
    for (const std::uint64_t number : shares_.to_give_up(kMessagesPerRound))
        take_back(number, entries_.at(number));
}

// Writes the record first. At the next start, a record without a descriptor is skipped, and a descriptor
// without a record is removed.
bool DescriptorStore::send_one(std::uint64_t number, Entry& entry) {
    const std::shared_ptr<Buffer> buffer = entry.buffer.lock();
    entry.record.generation = buffer->generation();
    if (!writer_->put(entry.record)) return false;
    if (!went(socket_->store(buffer_name(number), buffer->fd(), false))) {
        writer_->remove(number);
        return false;
    }
    entry.sent = probe_number_;
    return true;
}

void DescriptorStore::store_table() {
    if (!went(socket_->store(table_name(epoch_), table_.get(), false))) return;
    table_sent_ = probe_number_;
    probe_due_ = true;
    probe();
}

void DescriptorStore::probe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    Fd ours(ends[0]);
    const Fd theirs(ends[1]);  // closed here: the message has a duplicate
    if (!went(socket_->store(kStoredProbeName, theirs.get(), true))) return;
    probe_ = std::move(ours);
    probe_due_ = false;
    probe_until_ = kNever;
    ++probe_number_;
    send_barrier();
    soon(kPause);
}

// On failure a later round sends it.
void DescriptorStore::send_barrier() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    Fd ours(ends[0]);
    const Fd theirs(ends[1]);
    if (went(socket_->barrier(theirs.get()))) barrier_ = std::move(ours);
}

void DescriptorStore::check_probe() {
    if (!probe_) return;
    const bool hung_up = has_hung_up(probe_);
    if (!hung_up && probe_until_ == kNever) {
        if (!barrier_) send_barrier();
        if (!barrier_ && state_ == StoreStatus::State::Refused) return refused();  // no answer can come
        if (!has_hung_up(barrier_)) return;
        probe_until_ = Clock::now() + kCloseTime;
    }
    if (hung_up) return refused();
    if (Clock::now() < probe_until_) return;
    probe_.reset();
    barrier_.reset();
    remove_name(kStoredProbeName);  // first, because the next message may need its slot
    taken();
}

void DescriptorStore::taken() {
    if (state_ != StoreStatus::State::Ok) {
        log(LogLevel::Notice, "the descriptor store takes buffers");
        state_ = StoreStatus::State::Ok;
        reason_.clear();
        limit_ = max_;
    }
    if (table_sent_ != 0 && table_sent_ < probe_number_) {
        for (std::string& name : old_tables_) remove_name(std::move(name));
        old_tables_.clear();
    }
}

// Its name is removed in this round or the next.
void DescriptorStore::take_back(std::uint64_t number, Entry& entry) {
    removals_.push_back(buffer_name(number));
    writer_->remove(number);
    shares_.wait_again(entry.record.uid, number);
    entry.sent = 0;
}

// It is unknown which buffers of the last round were lost. So all of them are taken back, and the next round
// sends half as many, until the exact limit is found.
void DescriptorStore::refused() {
    probe_.reset();
    barrier_.reset();
    const auto in_doubt = [this](std::uint64_t sent) { return sent != 0 && sent + 1 == probe_number_; };
    std::size_t doubtful = 0;
    for (auto& each : entries_)
        if (in_doubt(each.second.sent) && !is_gone(each.second)) {
            take_back(each.first, each.second);
            ++doubtful;
        }
    if (in_doubt(table_sent_) || table_sent_ == 0) return table_refused();
    const bool was_full = limit_ < max_;
    limit_ = std::min(limit_, kept() + doubtful / 2);
    if (!was_full)
        log(LogLevel::Warning, "the descriptor store is full: some buffers would not survive the daemon",
            {{"FDSTORE_MAX", std::to_string(max_ + kOwnDescriptors)}});
}

// Removes the previous daemon's tables, which may free a slot for the new one.
void DescriptorStore::table_refused() {
    if (table_sent_ != 0) remove_name(table_name(epoch_));
    table_sent_ = 0;
    if (!old_tables_.empty()) {
        for (std::string& name : old_tables_) remove_name(std::move(name));
        return old_tables_.clear();
    }
    if (state_ == StoreStatus::State::Refused) return;
    state_ = StoreStatus::State::Refused;
    reason_ =
        "the service manager keeps no descriptors for this service: buffers would not survive the daemon";
    log(LogLevel::Warning, reason_);
}

}  // namespace tegu::daemon
