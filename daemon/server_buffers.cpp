// SPDX-License-Identifier: Apache-2.0
// The server's part in buffers that take time: their making, a step at a time, and what comes back from the
// helper threads.
#include <fcntl.h>

#include <algorithm>
#include <new>

#include "daemon/server.h"

namespace tegu::daemon {
namespace {

// What waits is a list of users, those in turn, each with a list of his own, which is never empty. Adds the
// one in `one` behind his.
template <class Users>
void add_in_turn(Users& users, Users& one) noexcept {
    const uid_t uid = one.front().first;
    const auto found =
        std::find_if(users.begin(), users.end(), [uid](const auto& user) { return user.first == uid; });
    if (found == users.end())
        users.splice(users.end(), one);
    else
        found->second.splice(found->second.end(), one.front().second);
}

// Takes out the first one of the user whose turn it is, which ends his turn. REQUIRES: there is one.
template <class Users>
auto take_in_turn(Users& users) {
    auto& mine = users.front().second;
    typename Users::value_type::second_type taken;
    taken.splice(taken.end(), mine, mine.begin());
    if (mine.empty())
        users.pop_front();
    else
        users.splice(users.end(), users, users.begin());
    return taken;
}

}  // namespace

void Server::take_helped() {
    const bool sealed = sealer_.run_done(), paged = pages_.run_done();
    if ((sealed || paged) && stopping_) end_if_idle();
    if (paged) take_costs();
    post_making();
    post_sealing();
}

void Server::wait_for_held() {
    if (!held_events_.is_open()) {
        Fd events(::fcntl(held_.events(), F_DUPFD_CLOEXEC, 0));
        if (!events) return;  // then charges end at the next look for another reason
        held_events_.assign(events.get());
        (void)events.release();
    }
    held_events_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                            [this](const boost::system::error_code& error) {
                                if (error) return;
                                held_.look();
                                wait_for_held();
                            });
}

Server::Sealings Server::sealing_of(uid_t uid, HelperThread::Task task) {
    Sealings one;
    one.emplace_back();
    one.front().first = uid;
    one.front().second.push_back(std::make_shared<HelperThread::Task>(std::move(task)));
    return one;
}

void Server::add_sealing(Sealings& one) {
    add_in_turn(sealings_, one);
    post_sealing();
}

// One at a time, as users take turns: who has many pinned buffers keeps others waiting for one of them.
void Server::post_sealing() {
    if (sealings_.empty() || !sealer_.idle()) return;
    const std::shared_ptr<HelperThread::Task>& sealing = sealings_.front().second.front();
    try {
        look_soon();
        HelperThread::Task task;
        task.work = [sealing] { sealing->work(); };
        task.done = [sealing] { sealing->done(); };
        if (!sealer_.submit(task, HelperThread::Turn::Last)) return;
    } catch (const std::bad_alloc&) {
        return;  // it is tried again at the next look
    }
    take_in_turn(sealings_);
}

void Server::add_making(std::shared_ptr<Session> session, std::shared_ptr<Session::Making> making) {
    decltype(makings_) one;
    one.emplace_back();
    one.front().first = session->peer().uid;
    one.front().second.emplace_back(std::move(session), std::move(making));
    add_in_turn(makings_, one);
    post_making();
}

// One step at a time: users take turns, and so does all that is made for one of them. A step goes before what
// waits to be given back, of which one comes in between two steps: neither keeps the other waiting, however
// much there is of it.
void Server::post_making() {
    if (making_posted_) return;
    while (!makings_.empty() && makings_.front().second.front().first->closed()) end_making();
    if (makings_.empty()) return;
    try {
        look_soon();
        HelperThread::Task task;
        task.work = [making = makings_.front().second.front().second] { Session::make_pages(*making); };
        task.done = [this] { end_step(); };
        making_posted_ = pages_.submit(task, HelperThread::Turn::First);
    } catch (const std::bad_alloc&) {
        // It is tried again at the next look.
    }
}

void Server::end_step() {
    making_posted_ = false;
    Makings& mine = makings_.front().second;
    Session& session = *mine.front().first;
    bool more = false;
    session.guarded([&] { more = !session.closed() && session.go_on_making(*mine.front().second); });
    if (more && !session.closed()) {
        mine.splice(mine.end(), mine, mine.begin());
        makings_.splice(makings_.end(), makings_, makings_.begin());
    } else {
        end_making();
    }
    post_making();
}

// A session may end with it, after it is out of the list.
void Server::end_making() {
    take_in_turn(makings_);
}

}  // namespace tegu::daemon
