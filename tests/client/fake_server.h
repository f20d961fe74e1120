// SPDX-License-Identifier: Apache-2.0
// FakeServer: a server built on wire/ that misbehaves as a test tells it to. It runs in a thread of its own,
// takes one connection after the other, and gives each to the next script; the last script serves all further
// connections. Jobs that it does answer, it computes (entropy_map: the number of the row in each pixel; all
// others: count, and the sum of the elements, or of the products of two inputs), so that a test sees whether
// the right input arrived.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "wire/frame.h"

namespace tegu::test {

struct Request {
    wire::FrameHeader header;
    std::vector<std::byte> body;
    Fd descriptor;
};

// One connection, as a script sees it. Functions return false when the client is gone.
class Connection {
  public:
    explicit Connection(Fd socket) : socket_(std::move(socket)) {}

    // The next request; nothing when the client is gone.
    std::optional<Request> read();
    bool send(const std::vector<std::byte>& bytes, int fd = -1);
    bool send_text(const std::string& bytes);

    template <class Message>
    bool reply(const Request& request, const Message& message, int fd = -1) {
        wire::ByteBuffer out;
        wire::encode_frame(answer_to(request, Status::Ok, fd), message, out);
        return send(out, fd);
    }
    bool reply_empty(const Request& request);
    bool fail(const Request& request, Status status, std::uint64_t retry_after_ns = 0);
    bool event(Status status);

    // Reads HELLO and accepts it.
    bool greet();
    // Answers one request as a good server would.
    bool answer(const Request& request);
    // The reply to a job, as bytes.
    std::vector<std::byte> computed(const Request& request);
    // greet() and answer() until the client is gone.
    void serve();
    // Closes the socket.
    void drop() { socket_.reset(); }

    wire::HelloReply hello;  // what greet() says; limits may be set before
    std::size_t registered = 0, released = 0, jobs = 0;

  private:
    static wire::FrameHeader answer_to(const Request& request, Status status, int fd);
    bool add_buffer(const Request& request);

    struct Elements {
        const std::byte* data;
        std::uint64_t row_stride;
    };
    std::vector<Elements> elements_of(const wire::JobRequest& job);

    struct Buffer {
        Fd fd;
        std::byte* data;
        std::size_t bytes;
        bool writable;
    };
    Fd socket_;
    std::vector<std::byte> received_;
    std::vector<Fd> descriptors_;
    std::map<std::uint64_t, Buffer> buffers_;
    std::uint64_t next_handle_ = 100;
};

class FakeServer {
  public:
    using Script = std::function<void(Connection&)>;
    explicit FakeServer(std::vector<Script> scripts);
    // Ends when the clients have gone.
    ~FakeServer();
    const std::string& path() const { return path_; }
    std::size_t connections() const { return connections_; }

  private:
    void run(std::vector<Script> scripts);
    std::string directory_, path_;
    Fd listener_;
    std::atomic<std::size_t> connections_{0};
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

}  // namespace tegu::test
