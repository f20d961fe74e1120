// SPDX-License-Identifier: Apache-2.0
// Accounts: job costs, by user since the start and by process while it is connected. Beyond kMaxUsers the
// least active user without a connection joins "others". A process's account ends at most kRemembered after
// its last connection, because pids are reused. Io thread only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/status.h"
#include "daemon/jobs/job_runner.h"

namespace tegu::daemon {

struct JobUse {
    std::uint64_t device_ns = 0;  // of all GPUs, copies included
    std::uint64_t cpu_ns = 0;     // of all computing threads
    std::uint64_t bytes = 0;      // read and written, if it succeeded
};

// Resource use of a job that ended with `status` after a run of this cost, if any. A stopped job counts as
// one thread, because its number of threads is unknown.
JobUse use_of(const RunCost& cost, bool on_gpu, const kernels::JobPlan& plan, Status status);

// Sums since the account began.
struct Usage {
    std::uint64_t jobs = 0;  // however they ended
    JobUse use;

    void add(const JobUse& job) {
        use.device_ns += job.device_ns;
        use.cpu_ns += job.cpu_ns;
        use.bytes += job.bytes;
    }
    Usage& operator+=(const Usage& other);
    std::uint64_t time_ns() const { return use.device_ns + use.cpu_ns; }
};

struct UserAccount {
    Usage usage;
    std::uint64_t connections = 0;
};

struct ProcessAccount {
    Usage usage;
    std::uint64_t connections = 0;
    std::string name;          // from its newest connection
    TimePoint ended = kNever;  // end of its last connection; kNever: it has one
};

class Accounts;

// The accounts that one connection charges. Move-only; the destructor ends the connection's account use.
class AccountHold {
  public:
    AccountHold() = default;
    AccountHold(AccountHold&& other) noexcept { swap(other); }
    AccountHold& operator=(AccountHold&& other) noexcept;
    ~AccountHold();

    // Charges an ended job. No effect without an account.
    void charge(const JobUse& job) {
        if (accounts_ == nullptr) return;
        charge_more(job);
        ++user_->usage.jobs;
        ++process_->second.usage.jobs;
    }
    // Charges part of a job that has not ended.
    void charge_more(const JobUse& job) {
        if (accounts_ == nullptr) return;
        user_->usage.add(job);
        process_->second.usage.add(job);
    }
    // REQUIRES: made by Accounts::open().
    void set_name(const std::string& name) { process_->second.name = name; }

  private:
    friend class Accounts;
    void swap(AccountHold& other) noexcept;

    Accounts* accounts_ = nullptr;  // not owned; outlives every hold
    UserAccount* user_ = nullptr;
    std::pair<const std::pair<uid_t, pid_t>, ProcessAccount>* process_ = nullptr;
};

class Accounts {
  public:
    using Processes = std::map<std::pair<uid_t, pid_t>, ProcessAccount>;

    static constexpr std::size_t kMaxUsers = 48;  // with a separate account
    static constexpr std::size_t kMaxEnded = 32;  // processes without a connection
    static constexpr auto kRemembered = std::chrono::seconds(60);

    AccountHold open(uid_t uid, pid_t pid, TimePoint now);
    // Charges a job whose connection has ended.
    void charge_user(uid_t uid, const JobUse& job);

    const std::map<uid_t, UserAccount>& users() const { return users_; }
    const UserAccount& others() const { return others_; }
    const Processes& processes() const { return processes_; }

  private:
    friend class AccountHold;
    UserAccount& user(uid_t uid);
    bool fold_one();
    void close(AccountHold& hold, TimePoint now);
    void forget_ended();

    std::map<uid_t, UserAccount> users_;
    UserAccount others_;
    Processes processes_;
    std::size_t ended_ = 0;  // of these
};

}  // namespace tegu::daemon
