// SPDX-License-Identifier: Apache-2.0
// Polls HEALTH on a separate thread, so that a hung daemon does not block the keys. Uses one connection and
// reconnects after a loss.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/fd.h"
#include "tools/tegu/session.h"
#include "tools/tegu/top/app.h"

namespace tegu {
namespace cli {
namespace top {

double steady_seconds();  // of a clock that never jumps
double unix_seconds();

// A client that fails at once after the daemon has ended.
Expected<client::Client> connect_once(const CommonOptions& options);

// Names of uids, looked up once: the name service may be remote.
using UserNames = std::map<double, std::string>;

// One answer, on the caller's thread. An account's `user` is the name of its uid.
Expected<View> ask(client::Client& client, UserNames& names);

class Source {
  public:
    // Asks at once, then every `interval` seconds. Errors: kIoError.
    static Expected<std::unique_ptr<Source>> start(client::Client client, const CommonOptions& options,
                                                   double interval);
    // Stops it. A thread that does not end goes on without this object.
    ~Source() { stop(); }

    // Readable when there is a sample.
    int fd() const;
    // The newest sample that was not taken yet.
    std::optional<Sample> take();
    void set_interval(double seconds);
    // Asks the thread to end, and waits a moment for that. False: it hangs in a call that nothing ends, and
    // the process must end by std::_Exit(), under whose feet no static object goes away.
    bool stop();

  private:
    struct Shared;
    explicit Source(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
    static void run(const std::shared_ptr<Shared>& shared, client::Client client);

    std::shared_ptr<Shared> shared_;
    std::thread thread_;
};

}  // namespace top
}  // namespace cli
}  // namespace tegu
