// SPDX-License-Identifier: Apache-2.0
// DescriptorStore: keeps buffers over a restart of the daemon. The service manager keeps duplicates of their
// memfds and of a table (daemon/store/stored_table.h). A user attaches a buffer to the next daemon with its
// token; clients register lost buffers again. Io thread only.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/buffers/buffer.h"
#include "daemon/buffers/buffer_services.h"
#include "daemon/buffers/mapping.h"
#include "daemon/clock.h"
#include "daemon/sessions/listener.h"
#include "daemon/store/store_shares.h"
#include "daemon/store/store_socket.h"
#include "daemon/store/stored_table.h"

namespace tegu::daemon {

// The store's parameters; see $FDSTORE in systemd.exec(5), set by systemd 254 and later.
struct StoreEnvironment {
    std::string notify_socket;  // empty: none
    bool managed = false;       // runs as a systemd service; the shipped unit has a store
    std::size_t max = 0;        // maximum number of descriptors

    static StoreEnvironment read();
};
// FileDescriptorStoreMax= of the shipped unit: the default without $FDSTORE.
inline constexpr std::size_t kShippedStoreMax = 1024;
// Descriptors reserved for the table, and for a probe or the next daemon's table.
inline constexpr std::size_t kOwnDescriptors = 2;

struct StoreStatus {
    enum class State { Off, Ok, Full, Refused };
    State state = State::Off;
    std::size_t buffers = 0;  // kept by the service manager
    std::size_t waiting = 0;  // not kept, or not yet
    std::size_t orphans = 0;  // of the previous daemon, not yet attached
    bool too_small = false;   // Full, and users with few kept buffers cannot get capacity from others
    std::string reason;       // why the state is not Ok, and the remedy
    // Whether the store fails although it is configured. With the announced size no single user can cause
    // that.
    bool degraded() const { return state == State::Refused || too_small; }
};
const char* store_state_word(StoreStatus::State state);  // "off"

class DescriptorStore final : public BufferKeeper {
  public:
    // REQUIRES: all outlive this, and this outlives the kept buffers.
    DescriptorStore(boost::asio::io_context& io, BufferServices& services);

    // Adopts the previous daemon's buffers for the time `grace`, and starts keeping buffers. Call once.
    void start(const StoreEnvironment& environment, StoredDescriptors left, std::chrono::milliseconds grace);

    // Schedules keeping the buffer and returns its token. All zero: there is no store.
    wire::BufferToken keep(const std::shared_ptr<Buffer>& buffer, uid_t uid, pid_t pid);
    // Removes a buffer that its owner has released. No effect if it is not kept.
    void forget(Buffer& buffer) noexcept;
    // Attaches the buffer with that user and token to the process. Null if there is none.
    std::shared_ptr<Buffer> attach(uid_t uid, pid_t pid, const wire::BufferToken& token);
    // Drops the previous daemon's buffers of that user to free quota. Returns whether there were any.
    bool drop_orphans(uid_t uid);
    // Sends the pending messages without blocking, before the daemon ends. On out of memory sends fewer.
    void finish() noexcept;

    void generation_raised(Buffer& buffer) override;
    StoreStatus status() const;

  private:
    struct Entry {
        StoredBuffer record;
        std::weak_ptr<Buffer> buffer;
        std::uint64_t sent = 0;  // number of the probe that confirms it; 0: not sent
        bool gone = false;       // to be removed
    };
    using Entries = std::map<std::uint64_t, Entry>;
    static constexpr std::uint64_t kAdopted = 1;  // came from the store, so it is kept
    // Pause between two rounds: shorter-lived buffers are never sent.
    static constexpr std::chrono::milliseconds kPause{100};

    // At the start.
    void adopt(StoredDescriptors left);
    std::vector<StoredBuffer> read_tables(std::vector<PassedFd>& tables);
    Result<void> adopt_buffer(const StoredBuffer& record, Fd fd);
    Result<void> make_table();
    void store_table();

    void erase(Entries::iterator entry) noexcept;
    bool is_gone(const Entry& entry) const;
    std::size_t gone() const;
    std::size_t kept() const { return shares_.kept(); }
    bool has_room() const { return kept() + removals_.size() < limit_; }
    void drop_orphan(std::size_t index);
    void wait_for_owners(std::chrono::milliseconds time);

    // Rounds.
    void soon(std::chrono::nanoseconds pause);
    void soon_or_later() noexcept;
    void tick();
    void send_more();
    void check_probe();
    void taken();
    void refused();
    void table_refused();
    void probe();
    void send_barrier();
    void remove_gone(std::size_t max);
    void send_removals();
    void send_stores(std::size_t max);
    void make_room();
    bool send_one(std::uint64_t number, Entry& entry);
    void remove_name(std::string name);
    // Moves an entry from kept to waiting.
    void take_back(std::uint64_t number, Entry& entry);
    // Handles the result of a send. False: nothing more can be sent now.
    bool went(const Result<StoreSocket::Sent>& sent);

    boost::asio::steady_timer timer_;
    boost::asio::steady_timer grace_timer_;
    BufferServices& services_;
    std::optional<StoreSocket> socket_;
    StoreStatus::State state_ = StoreStatus::State::Off;
    std::string reason_;
    std::size_t max_ = 0;    // maximum number of buffers, as announced
    std::size_t limit_ = 0;  // observed maximum: lowered after a refusal
    std::chrono::milliseconds retry_pause_{10000};
    TimePoint retry_at_ = kNever;   // while it is full or refuses
    TimePoint armed_for_ = kNever;  // the timer
    bool ending_ = false;

    std::uint64_t epoch_ = 1;
    Fd table_;
    Mapping table_memory_;
    std::optional<TableWriter> writer_;
    std::uint64_t table_sent_ = 0;         // as Entry::sent
    std::vector<std::string> old_tables_;  // names, to be removed when the new table is known to be kept

    std::uint64_t next_number_ = 1;
    Entries entries_;
    StoreShares shares_;              // of entries_: kept are those that were sent
    std::set<std::uint64_t> raised_;  // entries_ with an outdated generation in the table
    std::vector<std::string> removals_;
    std::vector<std::shared_ptr<Buffer>> orphans_;

    // A probe is the write end of a pipe, sent after the descriptors that it confirms. If the store keeps the
    // probe, it had capacity for those too. A barrier after the probe shows when the service manager has
    // processed it.
    Fd probe_;                                   // our end; hangs up if the store refuses the other
    Fd barrier_;                                 // likewise, once it is sent
    bool probe_due_ = false;                     // descriptors were sent after the last probe
    std::uint64_t probe_number_ = kAdopted + 1;  // of the next one
    TimePoint probe_until_ = kNever;             // at this time it counts as kept; set after the barrier
};

}  // namespace tegu::daemon
