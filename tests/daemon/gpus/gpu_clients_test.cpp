// SPDX-License-Identifier: Apache-2.0
// What must run a job is asked for, and what ran it is told, through C and C++: with $TEGU_SOCKET naming a
// daemon with a GPU.
#include <gtest/gtest.h>

#include <vector>

#include "client/tegu.hpp"

namespace tegu::client {
namespace {

struct Asked {
    std::uint64_t elements;
    std::uint8_t backend;
    int ran;
};
constexpr Asked kAsked[] = {
    {1000, TEGU_BACKEND_AUTO, TEGU_BACKEND_CPU},   {1000, TEGU_BACKEND_CPU, TEGU_BACKEND_CPU},
    {1000, TEGU_BACKEND_GPU, TEGU_BACKEND_GPU},    {8 << 20, TEGU_BACKEND_AUTO, TEGU_BACKEND_GPU},
    {8 << 20, TEGU_BACKEND_CPU, TEGU_BACKEND_CPU}, {8 << 20, TEGU_BACKEND_GPU, TEGU_BACKEND_GPU}};

tegu_request request_of(const std::vector<float>& values, std::uint8_t backend) {
    tegu_request request;
    tegu_request_init(&request, sizeof request, TEGU_REDUCE);
    request.type = TEGU_F32;
    request.cols = values.size();
    request.inputs[0].data = values.data();
    request.params.reduce.statistics = TEGU_STAT_STD;
    request.backend = backend;
    return request;
}

TEST(GpuClients, CAsksAndIsTold) {
    tegu_client* client = nullptr;
    tegu_error error;
    ASSERT_EQ(TEGU_OK, tegu_connect(nullptr, &client, &error)) << error.message;
    for (const Asked& asked : kAsked) {
        const std::vector<float> values(asked.elements);
        const tegu_request request = request_of(values, asked.backend);
        tegu_result* result = nullptr;
        ASSERT_EQ(TEGU_OK, tegu_run(client, &request, &result, &error)) << error.message;
        EXPECT_EQ(asked.ran, tegu_result_backend(result)) << asked.elements << " " << int{asked.backend};
        tegu_result_free(result);
    }
    tegu_close(client);
}

TEST(GpuClients, CppAsksAndIsTold) {
    Expected<Client> client = Client::connect();
    ASSERT_TRUE(client);
    for (const Asked& asked : kAsked) {
        const std::vector<float> values(asked.elements);
        const Expected<Result> result = client->run(request_of(values, asked.backend));
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(asked.ran, result->backend()) << asked.elements << " " << int{asked.backend};
    }
}

}  // namespace
}  // namespace tegu::client
