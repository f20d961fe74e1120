// SPDX-License-Identifier: Apache-2.0
// Fuzzes the header of .npy. Checked: what is accepted lies inside the file, and its shape gives exactly its bytes.
#include <cstdlib>

#include "tools/formats/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tegu::formats;
    const std::string_view file(reinterpret_cast<const char*>(data), size);
    const Expected<ArrayHeader> header = parse_npy(file.substr(0, kPrefixBytes), size);
    if (!header) {
        if (header.error().message.empty() || header.error().field.empty()) std::abort();
        return 0;
    }
    std::uint64_t bytes = 0;
    if (!data_bytes(header->shape, header->type, bytes) || bytes != header->bytes) std::abort();
    if (header->offset > size || header->bytes != size - header->offset) std::abort();
    return 0;
}
