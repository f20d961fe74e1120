// SPDX-License-Identifier: Apache-2.0
#include "client/result.h"

#include <cstring>

namespace tegu::clientlib {
namespace {

Error broken_reply(const char* what) {
    return make_error(Status::Internal, std::string("the daemon's reply cannot be used: ") + what);
}

// True if every array lies inside the output operand. The decoder has proved that sizes fit 63 bits.
bool fits(const wire::JobReply& reply, const OutputPlace& output) {
    const std::uint64_t capacity = output.region->memory.bytes() - output.offset_bytes;
    for (const wire::ResultArray& array : reply.arrays) {
        const std::uint64_t bytes = array_bytes(array.spec);
        if (bytes > capacity || array.offset_bytes > capacity - bytes) return false;
    }
    return true;
}

}  // namespace

Result<std::unique_ptr<tegu_result>> make_result(wire::JobReply reply, const OutputPlace& output) {
    if (reply.in_output && output.region == nullptr)
        return broken_reply("it names an output that the job did not give");
    if (reply.in_output && !fits(reply, output)) return broken_reply("an array ends beyond the output");
    auto result = std::make_unique<tegu_result>();
    result->backend = reply.backend;
    result->timing = {reply.timing.queue_ns, reply.timing.copy_ns, reply.timing.compute_ns, 0};
    const std::size_t data_bytes = reply.data.size();
    result->block.reset(new std::byte[data_bytes + reply.policy.size() + 1]);
    if (data_bytes != 0) std::memcpy(result->block.get(), reply.data.data(), data_bytes);
    char* policy = reinterpret_cast<char*>(result->block.get() + data_bytes);
    if (!reply.policy.empty()) std::memcpy(policy, reply.policy.data(), reply.policy.size());
    policy[reply.policy.size()] = '\0';
    result->policy = policy;
    result->base = result->block.get();
    result->arrays = std::move(reply.arrays);
    if (!reply.in_output) return result;
    result->region = output.region;
    const std::byte* data = output.region->memory.data();
    result->base = data == nullptr ? nullptr : data + output.offset_bytes;
    return result;
}

}  // namespace tegu::clientlib
