// SPDX-License-Identifier: Apache-2.0
#include "daemon/reports/scrape.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <utility>

#include "base/log.h"
#include "daemon/buffers/foreign_fd.h"
#include "daemon/reports/scrape_request.h"

namespace tegu::daemon {
namespace {

constexpr std::size_t kReadBytes = 4096;
constexpr std::size_t kMaxDrained = 64 * 1024;
constexpr unsigned kMaxWakeups = 256;  // of an exchange: a real scraper needs a few
constexpr uid_t kNobody = 65534;       // the user of a TCP peer
constexpr auto kSecond = std::chrono::seconds(1);
// pause after a lack of descriptors, memory or network
constexpr auto kAcceptPause = std::chrono::milliseconds(200);

bool would_block(int os_code) {
    return os_code == EAGAIN || os_code == EWOULDBLOCK || os_code == EINTR;
}

uid_t peer_of(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid != 0 ? peer.uid
                                                                                             : kNobody;
}

}  // namespace

// One connection: reads a request, writes the answer, then reads and drops input until the peer closes.
// Otherwise the kernel would discard an answer in flight when unread bytes remain.
class ScrapeServer::Exchange : public std::enable_shared_from_this<Exchange> {
  public:
    Exchange(ScrapeServer& server, Fd socket, std::uint64_t number)
        : server_(server),
          number_(number),
          uid_(peer_of(socket.get())),
          time_limit_(server.io_),
          socket_(server.io_, socket.get()) {
        (void)socket.release();
    }

    void start() {
        time_limit_.expires_after(kTime);
        time_limit_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
            if (!error) self->close();
        });
        await(Wait::wait_read);
    }

    // A Unix socket may have unread descriptors, whose close can block on the sender.
    void close() {
        time_limit_.cancel();
        if (socket_.is_open()) close_connection(Fd(socket_.release()), uid_);
        server_.forget(number_);
    }

  private:
    using Wait = boost::asio::posix::stream_descriptor;

    void await(Wait::wait_type what) {
        socket_.async_wait(what, [self = shared_from_this()](const boost::system::error_code& error) {
            if (error) return;  // closed
            try {
                self->advance();
            } catch (const std::exception&) {  // no memory: this connection ends, the others live
                self->close();
            }
        });
    }

    void advance() {
        if (++wakeups_ > kMaxWakeups) return close();
        if (drains_) return drain();
        if (answer_.empty()) return read();
        write();
    }

    // As recvmsg, with errno. Received descriptors end the exchange.
    ssize_t receive(std::array<std::byte, kReadBytes>& bytes) {
        Received received =
            receive_with_fds(socket_.native_handle(), MutableBytes(bytes.data(), bytes.size()));
        const int os_code = errno;
        const bool surplus = !received.fds.empty() || received.lost;
        close_foreign(std::move(received.fds), uid_);
        errno = os_code;
        return surplus ? 0 : received.bytes;
    }

    void read() {
        std::array<std::byte, kReadBytes> bytes;
        const ssize_t got = receive(bytes);
        if (got < 0 && would_block(errno)) return await(Wait::wait_read);
        if (got <= 0) return close();
        request_.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(got));
        const unsigned status = scrape_status(request_);
        if (status == 0) return await(Wait::wait_read);
        answer_ = scrape_answer(status, status == 200 ? server_.text_() : "");
        write();
    }

    void write() {
        const ssize_t put = ::send(socket_.native_handle(), answer_.data() + written_,
                                   answer_.size() - written_, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put < 0 && !would_block(errno)) return close();
        if (put > 0) written_ += static_cast<std::size_t>(put);
        if (written_ < answer_.size()) return await(Wait::wait_write);
        (void)::shutdown(socket_.native_handle(), SHUT_WR);
        drains_ = true;
        await(Wait::wait_read);
    }

    void drain() {
        std::array<std::byte, kReadBytes> bytes;
        const ssize_t got = receive(bytes);
        const bool more = got > 0 || (got < 0 && would_block(errno));
        if (got > 0) drained_ += static_cast<std::size_t>(got);
        if (!more || drained_ > kMaxDrained) return close();
        await(Wait::wait_read);
    }

    ScrapeServer& server_;
    const std::uint64_t number_;
    const uid_t uid_;
    boost::asio::steady_timer time_limit_;
    boost::asio::posix::stream_descriptor socket_;
    std::string request_;  // at most kMaxScrapeRequestBytes + kReadBytes
    std::string answer_;
    std::size_t written_ = 0;
    std::size_t drained_ = 0;
    unsigned wakeups_ = 0;
    bool drains_ = false;
};

ScrapeServer::ScrapeServer(boost::asio::io_context& io, std::function<std::string()> text)
    : io_(io), text_(std::move(text)), acceptor_(io), pause_(io) {}

ScrapeServer::~ScrapeServer() = default;

void ScrapeServer::start(Listener listener) {
    listener_ = std::move(listener);
    boost::system::error_code error;
    acceptor_.assign(listener_.fd.get(), error);
    if (error) {
        remove_socket_file(listener_);
        return log(LogLevel::Warning, "no scrapes are answered: " + error.message());
    }
    (void)listener_.fd.release();
    log(LogLevel::Info, "scrapes are answered on " + listener_.path);
    wait();
}

void ScrapeServer::stop() {
    boost::system::error_code ignored;
    pause_.cancel();
    acceptor_.close(ignored);
    remove_socket_file(listener_);
    while (!exchanges_.empty()) {
        const std::shared_ptr<Exchange> oldest = exchanges_.begin()->second;
        oldest->close();
    }
}

void ScrapeServer::wait() {
    acceptor_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                         [this](const boost::system::error_code& error) {
                             if (!error) accept();
                         });
}

// Accepts one connection in each handler, so that clients' sockets are served in between.
void ScrapeServer::accept() {
    const TimePoint now = Clock::now();
    if (now - second_ >= kSecond) {
        second_ = now;
        taken_ = 0;
    }
    if (taken_ == kPerSecond) return pause_until(second_ + kSecond);
    Fd socket(::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
        ++taken_;
        welcome(std::move(socket));
    } else if (!would_block(errno) && errno != ECONNABORTED) {
        return pause_until(now + kAcceptPause);
    }
    wait();
}

void ScrapeServer::pause_until(TimePoint when) {
    pause_.expires_at(when);
    pause_.async_wait([this](const boost::system::error_code& error) {
        if (!error && acceptor_.is_open()) accept();
    });
}

void ScrapeServer::welcome(Fd socket) {
    // Ends the oldest one, which had the most time. A scrape takes a millisecond.
    if (exchanges_.size() >= kMax) {
        const std::shared_ptr<Exchange> oldest = exchanges_.begin()->second;
        oldest->close();
    }
    try {
        const auto exchange = std::make_shared<Exchange>(*this, std::move(socket), ++last_number_);
        exchanges_.emplace(last_number_, exchange);
        exchange->start();
    } catch (const std::exception&) {  // out of memory: this connection ends
        forget(last_number_);
    }
}

}  // namespace tegu::daemon
