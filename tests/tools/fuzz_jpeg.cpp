// SPDX-License-Identifier: Apache-2.0
// Fuzzes .jpg through libturbojpeg, as the command uses it. Small images only, so that a run is fast.
#include <vector>

#include "tests/fuzz.h"
#include "tests/tools/text_reader.h"
#include "tools/formats/jpeg.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tegu::formats;
    const std::string_view file(reinterpret_cast<const char*>(data), size);
    if (!looks_like_jpeg(file)) return 0;
    const Expected<JpegHeader> header = parse_jpeg(text_reader(file));
    if (!header || header->rows * header->cols > 1 << 16) return 0;
    std::vector<std::uint8_t> samples(header->rows * header->cols);
    const Expected<void> decoded = decode_jpeg(file, *header, samples.data());
    tegu::fuzz::require(decoded || !decoded.error().message.empty(), "an error that does not help");
    return 0;
}
