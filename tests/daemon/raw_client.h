// SPDX-License-Identifier: Apache-2.0
// A client that does nothing by itself: blocking, over wire/ alone, for tests of the daemon from outside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "wire/frame.h"

namespace tegu::test {

struct Message {
    wire::FrameHeader header;
    wire::ByteBuffer body;
    Fd fd;
};

class RawClient {
  public:
    // Connects, and says HELLO unless told otherwise. Fails the test if it cannot.
    explicit RawClient(const std::string& path, bool hello = true);

    int socket() const { return socket_.get(); }
    void send_bytes(const void* data, std::size_t bytes, int fd = -1);
    // A request; the header goes by itself if a descriptor goes with it. Returns the request id.
    std::uint64_t send(wire::MessageType type, const wire::ByteBuffer& body = {}, int fd = -1);
    std::uint64_t send(wire::FrameHeader header, const wire::ByteBuffer& body, int fd = -1);
    template <class T>
    std::uint64_t send_message(wire::MessageType type, const T& message, int fd = -1) {
        wire::ByteBuffer body;
        wire::encode(message, body);
        return send(type, body, fd);
    }
    std::uint64_t send_job(const wire::JobRequest& request, wire::Priority priority = wire::Priority::Normal,
                           std::uint64_t deadline_ns = 0);

    // The next message; nothing at the end of the connection, or after a minute without one.
    std::optional<Message> receive();
    // The reply to `id`; others that come before it are kept for later calls.
    Message reply_to(std::uint64_t id);
    // True if the daemon closes the connection.
    bool at_end();

    wire::HelloReply hello;

  private:
    bool fill();
    Fd socket_;
    wire::ByteBuffer received_;
    std::vector<Fd> fds_;
    std::vector<Message> kept_;
    std::uint64_t last_id_ = 0;
};

// The error of a reply or event.
Error error_of(const Message& message);
// A named value of INFO or STATS, as a number.
double field(const Message& message, const std::string& name);
std::string text_field(const Message& message, const std::string& name);

// sum (and whatever else is in `statistics`) of `values`, in the message.
wire::JobRequest reduce_request(const std::vector<float>& values, StatisticSet statistics);
Bytes bytes_of(const std::vector<float>& values);

// A memfd with every page there, as clients make them.
Fd make_client_memfd(std::uint64_t bytes, bool sealable = true, bool whole = true);

}  // namespace tegu::test
