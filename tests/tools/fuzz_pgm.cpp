// SPDX-License-Identifier: Apache-2.0
// Fuzzes .pgm: the header, and the samples of the text form. Checked: nothing is allocated that the file does not justify, samples
// stay below the maximum.
#include <cstdlib>

#include "tools/formats/pgm.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tegu::formats;
    const std::string_view file(reinterpret_cast<const char*>(data), size);
    const Expected<PgmHeader> header = parse_pgm(file.substr(0, kPrefixBytes), size);
    if (!header) {
        if (header.error().message.empty() || header.error().field.empty()) std::abort();
        return 0;
    }
    if (header->array.offset > size || header->array.bytes > (header->text ? size * 2 : size - header->array.offset))
        std::abort();
    if (!header->text) return 0;
    std::vector<std::uint16_t> samples(header->array.bytes / 2 + 1);
    if (!decode_pgm_text(file, *header, samples.data()) || header->array.type != TEGU_U16) return 0;
    for (std::uint64_t i = 0; i < header->array.bytes / 2; ++i)
        if (samples[i] > header->maximum) std::abort();
    return 0;
}
