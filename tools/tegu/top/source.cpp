// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/top/source.h"

#include <sys/eventfd.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <utility>

#include "base/account_name.h"

namespace tegu {
namespace cli {
namespace top {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxUsers = 256;  // whose names are remembered
constexpr double kMaxUid = 4294967295.0;
constexpr double kMaxRetrySeconds = 1;  // between two attempts to reach a daemon that is gone
constexpr auto kStopTime = std::chrono::milliseconds(300);

Clock::duration duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

void add_user_names(std::vector<Account>& accounts, UserNames& names) {
    for (Account& account : accounts) {
        if (!account.uid || *account.uid < 0 || *account.uid > kMaxUid) continue;
        if (names.size() > kMaxUsers) names.clear();
        const auto found = names.find(*account.uid);
        account.user = found != names.end()
                           ? found->second
                           : names[*account.uid] = user_name(static_cast<uid_t>(*account.uid)).value_or("");
    }
}

}  // namespace

double steady_seconds() {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

double unix_seconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Expected<client::Client> connect_once(const CommonOptions& options) {
    client::Options raw;
    raw.socket_path = options.socket;
    raw.name = "tegu top";
    raw.reconnect_ms = 0;
    return client::Client::connect(raw);
}

Expected<View> ask(client::Client& client, UserNames& names) {
    const Expected<client::Health> health = client.health(TEGU_HEALTH_JSON);
    if (!health) return health.error();
    Expected<View> view = parse_view(health->text);
    if (!view || !view->daemon) return view;
    add_user_names(view->daemon->clients, names);
    add_user_names(view->daemon->users, names);
    return view;
}

struct Source::Shared {
    CommonOptions options;
    Fd news;
    std::mutex mutex;
    std::condition_variable changed;
    double interval = 1;  // this and the rest under the mutex
    bool stopping = false, ended = false;
    std::optional<Sample> sample;
};

Expected<std::unique_ptr<Source>> Source::start(client::Client client, const CommonOptions& options,
                                                double interval) {
    auto shared = std::make_shared<Shared>();
    shared->options = options;
    shared->interval = interval;
    shared->news.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!shared->news)
        return failure(kIoError, std::string("cannot make an eventfd: ") + std::strerror(errno));
    std::unique_ptr<Source> source(new Source(shared));
    // Signals are the other thread's: it inherits that none reaches it.
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    source->thread_ =
        std::thread([shared, client = std::move(client)]() mutable { run(shared, std::move(client)); });
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    return source;
}

void Source::run(const std::shared_ptr<Shared>& shared, client::Client first) {
    std::optional<client::Client> client(std::move(first));
    UserNames names;
    std::unique_lock<std::mutex> lock(shared->mutex);
    while (!shared->stopping) {
        lock.unlock();
        const Clock::time_point start = Clock::now();
        Expected<View> view = failure(kTemporary, "no memory");
        try {
            if (client) {
                view = ask(*client, names);
            } else {
                Expected<client::Client> found = connect_once(shared->options);
                if (found) client.emplace(std::move(*found));
                view = found ? ask(*client, names) : Expected<View>(found.error());
            }
        } catch (const std::exception&) {  // std::bad_alloc: the next answer may have place
        }
        if (!view) client.reset();
        const bool failed = !view;
        Sample sample{steady_seconds(), std::move(view)};
        lock.lock();
        shared->sample.emplace(std::move(sample));
        const std::uint64_t one = 1;
        if (write(shared->news.get(), &one, sizeof one) < 0 && errno != EAGAIN) break;
        // The interval may change meanwhile.
        const auto due = [&] {
            return start + duration(failed ? std::min(shared->interval, kMaxRetrySeconds) : shared->interval);
        };
        while (!shared->stopping && Clock::now() < due()) shared->changed.wait_until(lock, due());
    }
    shared->ended = true;
    shared->changed.notify_all();
}

int Source::fd() const {
    return shared_->news.get();
}

std::optional<Sample> Source::take() {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    std::uint64_t count = 0;
    if (read(shared_->news.get(), &count, sizeof count) < 0) return {};  // EAGAIN: nothing is new
    return std::exchange(shared_->sample, std::nullopt);
}

void Source::set_interval(double seconds) {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    if (shared_->interval == seconds) return;
    shared_->interval = seconds;
    shared_->changed.notify_all();
}

bool Source::stop() {
    if (!thread_.joinable()) return shared_->ended;
    {
        std::unique_lock<std::mutex> lock(shared_->mutex);
        shared_->stopping = true;
        shared_->changed.notify_all();
        if (!shared_->changed.wait_for(lock, kStopTime, [&] { return shared_->ended; })) {
            thread_.detach();
            return false;
        }
    }
    thread_.join();
    return true;
}

}  // namespace top
}  // namespace cli
}  // namespace tegu
