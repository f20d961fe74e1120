// SPDX-License-Identifier: Apache-2.0
// Small helpers of the codec's tests.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "wire/messages.h"

namespace tegu::wire {

template <class Message>
ByteBuffer body_of(const Message& message) {
    ByteBuffer out;
    encode(message, out);
    return out;
}

// `body` with the bytes of `value` at `offset`.
template <class T>
ByteBuffer with(ByteBuffer body, std::size_t offset, T value) {
    EXPECT_LE(offset + sizeof value, body.size());
    std::memcpy(body.data() + offset, &value, sizeof value);
    return body;
}

template <class T>
T at(const ByteBuffer& body, std::size_t offset) {
    T value{};
    EXPECT_LE(offset + sizeof value, body.size());
    std::memcpy(&value, body.data() + offset, sizeof value);
    return value;
}

inline ByteBuffer with_tail(ByteBuffer body, std::size_t count) {
    body.resize(body.size() + count);
    return body;
}

// The result is an error with that status and field, and says what would be allowed.
template <class T>
void expect_error(const Result<T>& result, Status status, const std::string& field) {
    ASSERT_FALSE(result.ok()) << "accepted; expected an error of " << field;
    EXPECT_EQ(status_info(result.error().status).word, status_info(status).word) << result.error().message;
    EXPECT_EQ(result.error().field, field) << result.error().message;
    EXPECT_FALSE(result.error().allowed.empty());
    EXPECT_FALSE(result.error().message.empty());
}

}  // namespace tegu::wire
