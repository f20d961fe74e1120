// SPDX-License-Identifier: Apache-2.0
// Fuzzes the body decoders. The first byte chooses one (its index in kBodyCodecs), the rest is the body.
#include <cstdio>
#include <cstdlib>

#include "tests/wire/canonical.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tegu;
    if (size == 0) return 0;
    const wire::BodyCodec& codec = wire::kBodyCodecs[data[0] % wire::kBodyCodecCount];
    if (codec.check(Bytes(reinterpret_cast<const std::byte*>(data + 1), size - 1)) != wire::Outcome::Broken)
        return 0;
    std::fprintf(stderr, "the codec of %s does not give back what it read\n", codec.name);
    std::abort();
}
