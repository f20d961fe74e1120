// SPDX-License-Identifier: Apache-2.0
// Fuzzes .png through libpng, as the command uses it. Small images only, so that a run is fast.
#include "tools/formats/png.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tegu::formats;
    const std::string_view file(reinterpret_cast<const char*>(data), size);
    const Expected<PngHeader> header = parse_png(file.substr(0, kPrefixBytes), size);
    if (!header || header->rows * header->cols > 1 << 20) return 0;
    std::vector<std::uint16_t> samples(header->rows * header->cols);
    const Expected<void> decoded = decode_png(file, *header, samples.data());
    if (!decoded && decoded.error().message.empty()) __builtin_trap();
    return 0;
}
