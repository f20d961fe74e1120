// SPDX-License-Identifier: Apache-2.0
// Fuzzes .tif through libtiff, as the command uses it. Small images only, so that a run is fast.
#include <vector>

#include "tests/fuzz.h"
#include "tests/tools/text_reader.h"
#include "tools/formats/tiff.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tegu::formats;
    const std::string_view file(reinterpret_cast<const char*>(data), size);
    if (!looks_like_tiff(file)) return 0;
    const Reader reader = text_reader(file);
    const Expected<TiffHeader> header = parse_tiff(reader);
    if (!header || header->rows * header->cols > 1 << 16) return 0;
    std::vector<std::uint64_t> samples(header->rows * header->cols);
    const Expected<void> decoded = decode_tiff(reader, *header, samples.data());
    tegu::fuzz::require(decoded || !decoded.error().message.empty(), "an error that does not help");
    return 0;
}
