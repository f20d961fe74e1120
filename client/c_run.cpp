// SPDX-License-Identifier: Apache-2.0
// tegu_run_into: a whole job in one call. Bindings of other languages pay for each call into C.
#include <algorithm>
#include <cstring>

#include "client/c_support.h"
#include "wire/protocol.h"

namespace {

using tegu::clientlib::Clock;
using tegu::clientlib::fail;
using tegu::clientlib::guarded;
using tegu::clientlib::TimePoint;

static_assert(TEGU_RAN_ARRAYS == tegu::wire::kMaxArrays, "every result has room");

constexpr std::size_t round_up_8(std::size_t bytes) {
    return (bytes + 7) / 8 * 8;
}

// Shapes, addresses, and values if all of them fit and lie in the reply.
void describe(const tegu_result& result, tegu_ran& ran) {
    ran.count = static_cast<std::uint32_t>(result.arrays.size());
    ran.bytes = 0;
    std::size_t bytes = 0;
    bool fits = result.region == nullptr;
    for (std::size_t i = 0; i < result.arrays.size(); ++i) {
        const tegu::wire::ResultArray& array = result.arrays[i];
        ran.shapes[i] = tegu_shape{static_cast<std::uint8_t>(array.spec.role),
                                   static_cast<std::uint8_t>(array.spec.type),
                                   {},
                                   array.spec.rows,
                                   array.spec.cols};
        ran.data[i] = result.base == nullptr ? nullptr : result.base + array.offset_bytes;
        const std::uint64_t size = tegu::array_bytes(array.spec);
        fits = fits && size <= sizeof ran.values - bytes;
        if (!fits) continue;
        if (size != 0) std::memcpy(ran.values + bytes, ran.data[i], size);
        bytes += std::min(round_up_8(size), sizeof ran.values - bytes);
    }
    if (fits) ran.bytes = static_cast<std::uint32_t>(bytes);
}

}  // namespace

extern "C" tegu_status tegu_run_into(tegu_client* client, const tegu_request* request, int timeout_ms,
                                     tegu_ran* ran, tegu_error* error) {
    return guarded(error, [&] {
        ran->id = 0;
        auto submitted = client->client->submit(*request);
        if (!submitted) return fail(submitted.error(), error);
        ran->id = *submitted;
        const TimePoint until =
            timeout_ms < 0 ? TimePoint::max() : Clock::now() + std::chrono::milliseconds(timeout_ms);
        tegu::clientlib::Ended ended = client->client->wait(*submitted, until);
        if (ended.id != 0) ran->id = 0;
        if (ended.result == nullptr) return fail(ended.error, error);
        tegu_result_free(ran->result);
        ran->result = ended.result.release();
        describe(*ran->result, *ran);
        return tegu_status{TEGU_OK};
    });
}
