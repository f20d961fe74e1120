// SPDX-License-Identifier: Apache-2.0
// Fuzzes .pgm and .ppm: the header, and the samples of text and of colour. Checked: nothing is allocated that
// the file does not justify, samples stay below the maximum.
#include "tests/fuzz.h"
#include "tools/formats/pgm.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tegu::formats;
    using tegu::fuzz::require;
    const std::string_view file(reinterpret_cast<const char*>(data), size);
    const Expected<PgmHeader> header = parse_pgm(file.substr(0, kPrefixBytes), size);
    if (!header) {
        require(!header.error().message.empty() && !header.error().field.empty(),
                "an error that does not help");
        return 0;
    }
    require(header->array.offset <= size, "an array behind the file");
    require(header->array.bytes <= (header->text ? size * 2 : size - header->array.offset),
            "more than the file has");
    if (header->colour && !header->text) {
        require(header->array.bytes * 3 <= size - header->array.offset, "more colours than the file has");
        std::vector<std::uint16_t> samples(header->array.bytes / 2 + 1);
        decode_ppm_pixels(file.data() + header->array.offset,
                          header->array.bytes / tegu_element_bytes(header->array.type), *header,
                          samples.data());
    }
    if (!header->text) return 0;
    std::vector<std::uint16_t> samples(header->array.bytes / 2 + 1);
    if (!decode_pgm_text(file, *header, samples.data()) || header->array.type != TEGU_U16) return 0;
    for (std::uint64_t i = 0; i < header->array.bytes / 2; ++i)
        require(samples[i] <= header->maximum, "a sample over the maximum");
    return 0;
}
