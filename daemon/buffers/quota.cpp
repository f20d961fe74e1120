// SPDX-License-Identifier: Apache-2.0
#include "daemon/buffers/quota.h"

#include <algorithm>
#include <cassert>
#include <string>

namespace tegu::daemon {
namespace {

// Reserved: listening socket, loop, log, files read at a reload, and the maximum of one message (SCM_MAX_FD).
constexpr std::uint64_t kReservedDescriptors = 32 + 253;
// its socket, and a descriptor of an incomplete message
constexpr std::uint64_t kPerConnection = 2;
// connections and buffers end at any time: retry soon
constexpr std::uint64_t kRetryNs = 100'000'000;

// `setting`: name of the limit in the settings file.
Error over_quota(const char* setting, std::uint64_t max, const char* message) {
    return field_error(Status::OverQuota, setting, "at most " + std::to_string(max), message);
}

Error all_busy(const char* setting, std::uint64_t max, const char* message) {
    Error error = field_error(Status::Busy, setting, "at most " + std::to_string(max), message);
    error.retry_after_ns = kRetryNs;
    return error;
}

}  // namespace

BufferCharge& BufferCharge::operator=(BufferCharge&& other) noexcept {
    if (this != &other) {
        give_back();
        quotas_ = std::exchange(other.quotas_, nullptr);
        uid_ = other.uid_;
        bytes_ = other.bytes_;
    }
    return *this;
}

void BufferCharge::give_back() {
    if (quotas_ == nullptr) return;
    UserUsage& user = quotas_->users_[uid_];
    assert(user.buffers > 0 && user.buffer_bytes >= bytes_);
    --user.buffers;
    user.buffer_bytes -= bytes_;
    --quotas_->all_.buffers;
    quotas_->all_.buffer_bytes -= bytes_;
    quotas_->forget_if_empty(uid_);
    quotas_ = nullptr;
}

// With a small limit half of it is reserved; a message with too many descriptors then loses some and is
// refused.
bool Quotas::descriptors_left(std::uint64_t more) const {
    const std::uint64_t reserved = std::min(kReservedDescriptors, descriptors_ / 2);
    const std::uint64_t others = others_ ? others_() : 0;
    return kPerConnection * all_.connections + all_.buffers + others + reserved + more <= descriptors_;
}

Result<void> Quotas::open_connection(uid_t uid) {
    if (all_.connections >= limits_.connections)
        return all_busy("limits.connections", limits_.connections, "there are too many connections");
    if (!descriptors_left(kPerConnection))
        return all_busy("limits.connections", all_.connections, "no descriptor is left for a connection");
    if (user(uid).connections >= limits_.connections_per_uid)
        return over_quota("limits.connections_per_uid", limits_.connections_per_uid,
                          "this user has too many connections");
    hold_connection(uid);
    return {};
}

void Quotas::hold_connection(uid_t uid) {
    ++users_[uid].connections;
    ++all_.connections;
}

void Quotas::close_connection(uid_t uid) {
    --users_[uid].connections;
    --all_.connections;
    forget_if_empty(uid);
}

Result<void> Quotas::start_job(uid_t uid, std::uint64_t held, std::uint64_t max) {
    if (held >= max)
        return over_quota("limits.jobs_in_flight_per_connection", max,
                          "this connection has too many jobs in flight");
    UserUsage& user = users_[uid];
    if (user.jobs >= limits_.jobs_per_uid) {
        forget_if_empty(uid);
        return over_quota("limits.jobs_per_uid", limits_.jobs_per_uid,
                          "this user has too many jobs in flight");
    }
    ++user.jobs;
    ++all_.jobs;
    return {};
}

void Quotas::end_job(uid_t uid) {
    --users_[uid].jobs;
    --all_.jobs;
    forget_if_empty(uid);
}

Result<void> Quotas::check_held(std::uint64_t held) const {
    if (held < limits_.buffers_per_connection) return {};
    return over_quota("limits.buffers_per_connection", limits_.buffers_per_connection,
                      "this connection has too many buffers");
}

Result<BufferCharge> Quotas::charge_buffer(uid_t uid, std::uint64_t held, std::uint64_t bytes) {
    if (bytes > limits_.buffer_bytes)
        return field_error(Status::TooLarge, "bytes", "1.." + std::to_string(limits_.buffer_bytes),
                           "a buffer of " + std::to_string(bytes) + " bytes is larger than allowed");
    Result<void> allowed = check_held(held);
    if (!allowed) return std::move(allowed).error();
    const UserUsage now = user(uid);
    if (now.buffers >= limits_.buffers_per_uid)
        return over_quota("limits.buffers_per_uid", limits_.buffers_per_uid,
                          "this user has too many buffers");
    if (now.buffer_bytes > limits_.buffer_bytes_per_uid ||
        bytes > limits_.buffer_bytes_per_uid - now.buffer_bytes)
        return over_quota("limits.buffer_bytes_per_uid", limits_.buffer_bytes_per_uid,
                          "the buffers of this user would be too large");
    if (all_.buffer_bytes > limits_.buffer_bytes_total ||
        bytes > limits_.buffer_bytes_total - all_.buffer_bytes)
        return all_busy("limits.buffer_bytes_total", limits_.buffer_bytes_total,
                        "the buffers of all users would be too large");
    if (!descriptors_left(1))
        return all_busy("limits.buffers_per_uid", now.buffers, "no descriptor is left for a buffer");
    UserUsage& user = users_[uid];
    ++user.buffers;
    user.buffer_bytes += bytes;
    ++all_.buffers;
    all_.buffer_bytes += bytes;
    return BufferCharge(this, uid, bytes);
}

UserUsage Quotas::user(uid_t uid) const {
    const auto found = users_.find(uid);
    return found == users_.end() ? UserUsage{} : found->second;
}

void Quotas::forget_if_empty(uid_t uid) {
    const auto found = users_.find(uid);
    if (found != users_.end() && found->second.empty()) users_.erase(found);
}

}  // namespace tegu::daemon
