// SPDX-License-Identifier: Apache-2.0
// What the tests of inputs, outputs and buffers share: data that no message holds, what a server saw, and
// jobs on both.
#pragma once

#include <numeric>
#include <vector>

#include "tests/client/client_util.h"

namespace tegu::test {

inline constexpr std::size_t kLarge = 100000;  // floats: more than a message holds

inline std::vector<float> ramp(std::size_t n, float first = 0) {
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), first);
    return values;
}

inline double sum_of(const std::vector<float>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// What a server saw of a client that is gone.
struct Seen {
    std::size_t registered = 0, released = 0;
};
inline FakeServer::Script serve_and_tell(Seen& seen) {
    return [&seen](Connection& connection) {
        connection.serve();
        seen.registered += connection.registered;
        seen.released += connection.released;
    };
}

// The fake server gives each pixel the number of its row.
inline tc::Request map_request(const std::vector<std::uint8_t>& image, std::uint64_t rows,
                               std::uint64_t cols) {
    tc::Request request = tc::Request::entropy_map(5, 5, 16);
    request.input(image.data(), TEGU_U8, rows, cols);
    return request;
}

inline void expect_map(const tc::Result& result, std::uint64_t rows, std::uint64_t cols) {
    const std::optional<tc::Array> map = result.find(TEGU_ROLE_MAP);
    ASSERT_TRUE(map.has_value());
    ASSERT_EQ(map->rows, rows);
    ASSERT_EQ(map->cols, cols);
    for (std::uint64_t i = 0; i < rows * cols; ++i)
        ASSERT_EQ(map->as<float>()[i], static_cast<float>(i / cols));
}

inline tc::Request buffer_sum(const tc::Buffer& buffer, std::uint64_t n, std::uint64_t offset_bytes = 0) {
    tc::Request request = tc::Request::reduce(TEGU_STAT_SUM);
    request.input(buffer, TEGU_F32, 1, n, offset_bytes);
    return request;
}

}  // namespace tegu::test
