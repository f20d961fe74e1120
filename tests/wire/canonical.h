// SPDX-License-Identifier: Apache-2.0
// The property that every body codec must have, for tests and fuzzers alike: any bytes are either refused
// with an error that names a field, or decode to a message that encodes to the same bytes again.
#pragma once

#include <cstddef>
#include <string>

#include "base/span.h"

namespace tegu::wire {

enum class Outcome { Refused, Canonical, Broken };

struct BodyCodec {
    const char* name;  // "JOB request", as docs/protocol.md heads it
    Outcome (*check)(Bytes body);
};
extern const BodyCodec kBodyCodecs[];
extern const std::size_t kBodyCodecCount;

// The codec of a message that has a body; null if there is none of that name.
const BodyCodec* find_codec(const std::string& name);

}  // namespace tegu::wire
