// SPDX-License-Identifier: Apache-2.0
// Quotas: resources in use, and their limits, for each user and for all users. A user's own limit gives
// OverQuota; a limit of all users gives Busy. Io thread; callers charge before they allocate.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

#include "base/result.h"
#include "config/settings.h"

namespace tegu::daemon {

// What one user holds.
struct UserUsage {
    std::uint64_t connections = 0;
    std::uint64_t jobs = 0;  // without a reply yet
    std::uint64_t buffers = 0;
    std::uint64_t buffer_bytes = 0;
    bool empty() const { return connections == 0 && jobs == 0 && buffers == 0; }
};

class Quotas;

// The charge of one buffer and its bytes; the destructor releases it. Move-only.
class BufferCharge {
  public:
    BufferCharge() = default;
    BufferCharge(BufferCharge&& other) noexcept
        : quotas_(std::exchange(other.quotas_, nullptr)), uid_(other.uid_), bytes_(other.bytes_) {}
    BufferCharge& operator=(BufferCharge&& other) noexcept;
    ~BufferCharge() { give_back(); }
    // True if it charges a user.
    explicit operator bool() const { return quotas_ != nullptr; }
    uid_t uid() const { return uid_; }
    std::uint64_t bytes() const { return bytes_; }

  private:
    friend class Quotas;
    BufferCharge(Quotas* quotas, uid_t uid, std::uint64_t bytes)
        : quotas_(quotas), uid_(uid), bytes_(bytes) {}
    void give_back();
    Quotas* quotas_ = nullptr;  // not owned; outlives every charge
    uid_t uid_ = 0;
    std::uint64_t bytes_ = 0;
};

class Quotas {
  public:
    // `descriptors`: maximum of open descriptors of the process; a few are reserved. `others`: returns the
    // number of open descriptors that are not counted here.
    Quotas(const config::Settings::Limits& limits, std::uint64_t descriptors,
           std::function<std::uint64_t()> others = nullptr)
        : limits_(limits), descriptors_(descriptors), others_(std::move(others)) {}

    // Sets new limits. Resources above a lowered limit stay; new ones are refused.
    void set_limits(const config::Settings::Limits& limits) { limits_ = limits; }

    // Errors, with the setting in `field`: OverQuota (limit of this user or connection), Busy (limit of all).
    Result<void> open_connection(uid_t uid);
    void close_connection(uid_t uid);
    // Counts one more connection of a user who has some, without a limit check; close_connection() ends it.
    void hold_connection(uid_t uid);

    // `held`: jobs in flight of the connection, of at most `max`. Errors: OverQuota.
    Result<void> start_job(uid_t uid, std::uint64_t held, std::uint64_t max);
    void end_job(uid_t uid);

    // Whether a connection with `held` buffers may have one more. Errors: OverQuota.
    Result<void> check_held(std::uint64_t held) const;
    // `held`: buffers of the connection. Errors: TooLarge (field "bytes"), OverQuota, Busy.
    Result<BufferCharge> charge_buffer(uid_t uid, std::uint64_t held, std::uint64_t bytes);

    const UserUsage& all() const { return all_; }
    std::uint64_t users() const { return users_.size(); }
    // Zeros for a user who holds nothing.
    UserUsage user(uid_t uid) const;

  private:
    friend class BufferCharge;
    void forget_if_empty(uid_t uid);
    bool descriptors_left(std::uint64_t more) const;

    config::Settings::Limits limits_;
    std::uint64_t descriptors_;
    std::function<std::uint64_t()> others_;
    UserUsage all_;
    std::unordered_map<uid_t, UserUsage> users_;
};

}  // namespace tegu::daemon
