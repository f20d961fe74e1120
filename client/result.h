// SPDX-License-Identifier: Apache-2.0
// tegu_result: the result of a job. Its arrays lie in its own block, or in an output region that it shares.
#pragma once

#include <memory>
#include <vector>

#include "client/region.h"
#include "client/tegu.h"

struct tegu_result {
    tegu::wire::Backend backend = tegu::wire::Backend::None;
    tegu_timing timing = {0, 0, 0, 0};
    std::vector<tegu::wire::ResultArray> arrays;
    const std::byte* base = nullptr;     // of the arrays' offsets; null if the output is not mapped here
    const char* policy = "";             // in `block`
    std::unique_ptr<std::byte[]> block;  // data, then the policy and a zero byte
    tegu::clientlib::RegionPtr region;   // of an output operand
};

namespace tegu::clientlib {

// The memory of result arrays that are not in the reply.
struct OutputPlace {
    RegionPtr region;  // null: in the reply
    std::uint64_t offset_bytes = 0;
};

// Takes ownership of a decoded reply. Errors: Internal, if the reply does not fit the output operand.
Result<std::unique_ptr<tegu_result>> make_result(wire::JobReply reply, const OutputPlace& output);

}  // namespace tegu::clientlib
