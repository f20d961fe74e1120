// SPDX-License-Identifier: Apache-2.0
#include "tools/formats/jpeg.h"

#include <memory>

#include "tools/formats/library.h"
#include "tools/formats/turbojpeg_abi.h"

namespace tegu {
namespace formats {
namespace {

// Pixels out per byte in. A block of 64 pixels takes a bit at least, so no encoder comes near.
constexpr std::uint64_t kMaxExpansion = 1024;
constexpr int kMaxMarkers = 10000;
constexpr const char* kPackage = "libturbojpeg0 (Ubuntu: libturbojpeg)";

Error malformed(const std::string& what) {
    return bad_data("header", "JPEG of 8 bits", ".jpg: " + what);
}

bool is_size_marker(unsigned marker) {
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}
bool stands_alone(unsigned marker) {
    return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

unsigned big_endian16(const unsigned char* bytes) {
    return static_cast<unsigned>(bytes[0] << 8 | bytes[1]);
}

// The segment of the size of the image, behind its length: precision, rows, columns, components.
Expected<JpegHeader> parse_size(const unsigned char* segment, std::uint64_t file_bytes) {
    const unsigned precision = segment[0], components = segment[5];
    JpegHeader header;
    header.rows = big_endian16(segment + 1);
    header.cols = big_endian16(segment + 3);
    header.colour = components == 3;
    if (precision != 8)
        return bad_data("precision", "8 bits", ".jpg: samples of " + std::to_string(precision) + " bits");
    if (components != 1 && components != 3)
        return bad_data("components", "1 (grey) or 3 (colour)",
                        ".jpg: an image of " + std::to_string(components) + " components");
    if (header.rows == 0 || header.cols == 0)
        return bad_data("width", "1..65535 pixels each way", ".jpg: an image without pixels");
    if (header.rows * header.cols / kMaxExpansion > file_bytes)
        return bad_data("width", "what the file can hold",
                        ".jpg: the header announces " + std::to_string(header.cols) + " x " +
                            std::to_string(header.rows) + " pixels, which " + std::to_string(file_bytes) +
                            " bytes cannot hold");
    return header;
}

struct Functions {
    TjInitDecompress* init = nullptr;
    TjDestroy* destroy = nullptr;
    TjDecompressHeader3* header = nullptr;
    TjDecompress2* decompress = nullptr;
    TjGetErrorStr* error = nullptr;
};

Expected<Functions> functions() {
    Expected<Library> library = Library::open({"libturbojpeg.so.0"}, {".jpg", kPackage});
    if (!library) return library.error();
    Functions found;
    const bool all =
        library->find("tjInitDecompress", found.init) && library->find("tjDestroy", found.destroy) &&
        library->find("tjDecompressHeader3", found.header) &&
        library->find("tjDecompress2", found.decompress) && library->find("tjGetErrorStr", found.error);
    return all ? Expected<Functions>(found) : library->too_old();
}

}  // namespace

bool looks_like_jpeg(std::string_view prefix) {
    return prefix.substr(0, 3) == "\xff\xd8\xff";
}

Expected<JpegHeader> parse_jpeg(const Reader& file) {
    std::uint64_t at = 2;
    for (int i = 0; i < kMaxMarkers; ++i) {
        unsigned char bytes[4];
        if (!file.holds(at, sizeof bytes)) return malformed("truncated: the file ends within the header");
        Expected<void> read = file.read(at, bytes, sizeof bytes);
        if (!read) return read.error();
        const unsigned marker = bytes[1], length = big_endian16(bytes + 2);
        if (bytes[0] != 0xff) return malformed("no marker at byte " + std::to_string(at));
        if (marker == 0xff || stands_alone(marker)) {  // a byte that fills up, or no segment
            at += marker == 0xff ? 1 : 2;
            continue;
        }
        if (marker == 0xd9 || marker == 0xda) return malformed("no size stands before the image");
        if (length < 2) return malformed("a segment of " + std::to_string(length) + " bytes");
        if (is_size_marker(marker)) {
            unsigned char segment[6];
            if (length < 2 + sizeof segment || !file.holds(at + 4, sizeof segment))
                return malformed("truncated: the file ends within the header");
            read = file.read(at + 4, segment, sizeof segment);
            if (!read) return read.error();
            return parse_size(segment, file.bytes);
        }
        at += 2 + length;
    }
    return malformed("more than " + std::to_string(kMaxMarkers) + " segments before the size");
}

Expected<void> decode_jpeg(std::string_view file, const JpegHeader& header, std::uint8_t* samples) {
    Expected<Functions> turbo = functions();
    if (!turbo) return turbo.error();
    const std::unique_ptr<void, TjDestroy*> handle(turbo->init(), turbo->destroy);
    const auto why = [&] { return std::string(".jpg: ") + turbo->error(); };
    if (!handle) return Error{TEGU_OUT_OF_MEMORY, 0, {}, {}, why()};
    const auto* bytes = reinterpret_cast<const unsigned char*>(file.data());
    int width = 0, height = 0, subsampling = 0, colourspace = 0;
    if (turbo->header(handle.get(), bytes, file.size(), &width, &height, &subsampling, &colourspace) != 0)
        return bad_data("image", "JPEG of 8 bits", why());
    if (static_cast<std::uint64_t>(width) != header.cols || static_cast<std::uint64_t>(height) != header.rows)
        return malformed("the size stands there twice");
    if (turbo->decompress(handle.get(), bytes, file.size(), samples, width, width, height, kTjGray,
                          kTjAccurateDct | kTjLimitScans) != 0)
        return bad_data("image", "JPEG of 8 bits", why());
    return {};
}

}  // namespace formats
}  // namespace tegu
