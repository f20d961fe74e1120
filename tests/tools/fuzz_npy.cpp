// SPDX-License-Identifier: Apache-2.0
// Fuzzes the header of .npy. Checked: what is accepted lies inside the file, and its shape gives exactly its
// bytes.
#include "tests/fuzz.h"
#include "tools/formats/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tegu::formats;
    using tegu::fuzz::require;
    const std::string_view file(reinterpret_cast<const char*>(data), size);
    const Expected<ArrayHeader> header = parse_npy(file.substr(0, kPrefixBytes), size);
    if (!header) {
        require(!header.error().message.empty() && !header.error().field.empty(),
                "an error that does not help");
        return 0;
    }
    std::uint64_t bytes = 0;
    require(data_bytes(header->shape, header->type, bytes) && bytes == header->bytes,
            "a shape of other bytes");
    require(header->offset <= size && header->bytes == size - header->offset,
            "an array that is not the file");
    return 0;
}
