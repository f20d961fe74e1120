// SPDX-License-Identifier: Apache-2.0
// DescriptorStore: buffers that outlive this daemon. The service manager keeps duplicates of their memfds and
// of a table (daemon/store/stored_table.h); with a buffer's token its user attaches it to the next daemon.
// Nothing is promised: clients register again what is gone. Io thread only.
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

// What the service manager says of its store; see $FDSTORE in systemd.exec(5), which it sets from version 254
// on.
struct StoreEnvironment {
    std::string notify_socket;  // empty: none
    bool managed = false;       // this is a service of systemd, whose shipped unit has a store
    std::size_t most = 0;       // descriptors that it takes

    static StoreEnvironment read();
};
// FileDescriptorStoreMax= of the shipped unit: what is believed where $FDSTORE does not say it.
inline constexpr std::size_t kShippedStoreMost = 1024;
// Of these, for other things than buffers: the table, and a probe or the table of the next daemon.
inline constexpr std::size_t kOwnDescriptors = 2;

struct StoreStatus {
    enum class State { Off, Ok, Full, Refused };
    State state = State::Off;
    std::size_t buffers = 0;  // that the service manager keeps
    std::size_t waiting = 0;  // that it does not keep, or not yet
    std::size_t orphans = 0;  // of the daemon before, whose owners may come back
    bool too_small = false;   // Full; users with little of it lack places, and nobody has some to give
    std::string reason;       // why not Ok, and what to do
    // It was meant to work, and does not. In a store of the size that it is said to have no single user
    // brings that about.
    bool degraded() const { return state == State::Refused || too_small; }
};
const char* store_state_word(StoreStatus::State state);  // "off"

class DescriptorStore final : public BufferKeeper {
  public:
    // REQUIRES: all outlive it, and it outlives the buffers that it keeps.
    DescriptorStore(boost::asio::io_context& io, BufferServices& services);

    // Takes over what the daemon before left, for `grace`, and begins to keep buffers. Call once.
    void start(const StoreEnvironment& environment, StoredDescriptors left, std::chrono::milliseconds grace);

    // From soon on keeps the buffer, and returns its token. All zero: there is no store.
    wire::BufferToken keep(const std::shared_ptr<Buffer>& buffer, uid_t uid, pid_t pid);
    // The buffer's owner has no more use for it, or is gone. Does nothing if it is not kept.
    void forget(Buffer& buffer) noexcept;
    // The buffer of that user and token, which is his from now on. Null: there is none.
    std::shared_ptr<Buffer> attach(uid_t uid, pid_t pid, const wire::BufferToken& token);
    // Drops what the daemon before left of that user: it stands in the way of what he wants now. Whether
    // there was any.
    bool drop_orphans(uid_t uid);
    // Tells the service manager what is still to be told, as far as it takes it now. The daemon is about to
    // end. Without memory for it, less of it.
    void finish() noexcept;

    void generation_raised(Buffer& buffer) override;
    StoreStatus status() const;

  private:
    struct Entry {
        StoredBuffer record;
        std::weak_ptr<Buffer> buffer;
        std::uint64_t sent = 0;  // number of the probe that tells whether it was taken; 0: not sent
        bool gone = false;       // to be removed
    };
    using Entries = std::map<std::uint64_t, Entry>;
    static constexpr std::uint64_t kAdopted = 1;  // came from the store, so it is kept
    // Between two rounds: the service manager is spared what lives shorter.
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
    void remove_gone(std::size_t most);
    void send_removals();
    void send_stores(std::size_t most);
    void make_room();
    bool send_one(std::uint64_t number, Entry& entry);
    void remove_name(std::string name);
    // It is not kept any more, and waits.
    void take_back(std::uint64_t number, Entry& entry);
    // What a message became. False: nothing more can be sent now.
    bool went(const Result<StoreSocket::Sent>& sent);

    boost::asio::steady_timer timer_;
    boost::asio::steady_timer grace_timer_;
    BufferServices& services_;
    std::optional<StoreSocket> socket_;
    StoreStatus::State state_ = StoreStatus::State::Off;
    std::string reason_;
    std::size_t most_ = 0;   // buffers, by what the service manager says
    std::size_t limit_ = 0;  // by what it does: lowered when it refuses some
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
    std::set<std::uint64_t> raised_;  // of entries_: the generation in the table is old
    std::vector<std::string> removals_;
    std::vector<std::shared_ptr<Buffer>> orphans_;

    // A probe is the write end of a pipe, sent after what it is about: if the store has room for it, there
    // was room for that. A barrier behind it tells when the service manager, which may be slow, has come so
    // far.
    Fd probe_;                                   // our end; hangs up if the store refuses the other
    Fd barrier_;                                 // likewise, once it is sent
    bool probe_due_ = false;                     // something was sent, and no probe yet
    std::uint64_t probe_number_ = kAdopted + 1;  // of the next one
    TimePoint probe_until_ = kNever;             // then it is kept; known once the barrier is passed
};

}  // namespace tegu::daemon
