// SPDX-License-Identifier: Apache-2.0
// RecentErrors: recent failures in constant memory. Errors of one user, operation and status share an entry;
// a user has at most kMaxOfUser entries, so no user evicts the errors of others. Only internal errors evict
// internal errors.
//
// Io thread only; adding allocates nothing.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/job.h"
#include "base/status.h"

namespace tegu::daemon {

// At most `capacity` bytes of printable ASCII text.
template <std::size_t capacity>
class ShortText {
  public:
    void assign(std::string_view text) {
        size_ = 0;
        append(text);
    }
    void append(std::string_view text) {
        for (const char c : text.substr(0, capacity - size_))
            text_[size_++] = c >= 0x20 && c < 0x7f ? c : '?';
    }
    std::string_view view() const { return {text_.data(), size_}; }

  private:
    std::array<char, capacity> text_{};
    std::size_t size_ = 0;
};

struct RecentError {
    std::uint64_t count = 0;
    std::int64_t first_unix_ms = 0, last_unix_ms = 0;
    Status status = Status::Internal;
    std::optional<Operation> operation;  // none: not a job, or a malformed request
    uid_t uid = 0;
    pid_t pid = 0;           // of the last one
    ShortText<160> message;  // of the last one
};

class RecentErrors {
  public:
    static constexpr std::size_t kMax = 32;
    static constexpr std::size_t kMaxOfUser = 8;

    // Ignores Cancelled and ShuttingDown: they are requested, so not errors.
    void add(std::int64_t unix_ms, uid_t uid, pid_t pid, std::optional<Operation> operation, Status status,
             std::string_view field, std::string_view message);
    // The newest first.
    std::vector<const RecentError*> newest_first() const;

  private:
    // Null if no entry may be evicted for it.
    RecentError* entry_for(uid_t uid, std::optional<Operation> operation, Status status);
    RecentError* free_entry(uid_t uid, bool own);
    std::size_t count_of(uid_t uid) const;

    std::array<RecentError, kMax> entries_;
    std::size_t size_ = 0;
};

// Results of the last kMax reloads.
struct ReloadResult {
    std::int64_t unix_ms = 0;
    bool ok = false;
    ShortText<240> message;
};

class ReloadHistory {
  public:
    static constexpr std::size_t kMax = 8;

    void add(std::int64_t unix_ms, bool ok, std::string_view message);
    std::vector<const ReloadResult*> newest_first() const;
    // Null: none yet.
    const ReloadResult* last() const { return total_ == 0 ? nullptr : &entries_[(total_ - 1) % kMax]; }

  private:
    std::array<ReloadResult, kMax> entries_;
    std::size_t total_ = 0;
};

}  // namespace tegu::daemon
