// SPDX-License-Identifier: Apache-2.0
#include "tools/formats/tiff.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

#include "tools/formats/library.h"
#include "tools/formats/luma.h"
#include "tools/formats/tiff_abi.h"

namespace tegu {
namespace formats {
namespace {

constexpr std::uint64_t kMaxExpansion =
    1400;  // of LZW, bytes out per byte in; deflate and PackBits give less
constexpr std::uint64_t kMaxExtent = INT32_MAX;
constexpr std::uint64_t kMaxTileBytes = 256u << 20;
constexpr const char* kPackage = "libtiff6 (libtiff5 before Debian 12 and Ubuntu 24.04)";
constexpr const char* kCompressions = "none, LZW, deflate, PackBits";

struct Functions {
    TiffClientOpen* open = nullptr;
    TiffClose* close = nullptr;
    TiffGetField *get = nullptr, *get_or_default = nullptr;
    TiffIsTiled* is_tiled = nullptr;
    TiffReadEncoded *read_strip = nullptr, *read_tile = nullptr;
};

char last_message[160];  // libtiff reports errors to the process, not to a file

void on_error(const char*, const char* format, va_list arguments) {
    std::vsnprintf(last_message, sizeof last_message, format, arguments);
}

Expected<Functions> functions() {
    Expected<Library> library = Library::open({"libtiff.so.6", "libtiff.so.5"}, {".tif", kPackage});
    if (!library) return library.error();
    Functions found;
    TiffSetHandler *set_error = nullptr, *set_warning = nullptr;
    const bool all = library->find("TIFFClientOpen", found.open) && library->find("TIFFClose", found.close) &&
                     library->find("TIFFGetField", found.get) &&
                     library->find("TIFFGetFieldDefaulted", found.get_or_default) &&
                     library->find("TIFFIsTiled", found.is_tiled) &&
                     library->find("TIFFReadEncodedStrip", found.read_strip) &&
                     library->find("TIFFReadEncodedTile", found.read_tile) &&
                     library->find("TIFFSetErrorHandler", set_error) &&
                     library->find("TIFFSetWarningHandler", set_warning);
    if (!all) return library->too_old();
    set_error(&on_error);
    set_warning(nullptr);
    return found;
}

struct Position {
    const Reader* file;
    std::uint64_t at = 0;
};

TiffSize on_read(void* handle, void* to, TiffSize bytes) {
    auto* position = static_cast<Position*>(handle);
    if (bytes < 0 || position->at > position->file->bytes) return 0;
    const std::uint64_t count =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(bytes), position->file->bytes - position->at);
    if (!position->file->read(position->at, to, count)) return -1;
    position->at += count;
    return static_cast<TiffSize>(count);
}
TiffSize on_write(void*, void*, TiffSize) {
    return -1;
}
std::uint64_t on_seek(void* handle, std::uint64_t offset, int whence) {
    auto* position = static_cast<Position*>(handle);
    const std::uint64_t base = whence == SEEK_CUR   ? position->at
                               : whence == SEEK_END ? position->file->bytes
                                                    : 0;
    return position->at = base + offset;
}
int on_close(void*) {
    return 0;
}
std::uint64_t on_size(void* handle) {
    return static_cast<Position*>(handle)->file->bytes;
}
int on_map(void*, void**, std::uint64_t*) {
    return 0;
}
void on_unmap(void*, void*, std::uint64_t) {}

Error refused(const char* field, const std::string& allowed, const std::string& message) {
    return bad_data(field, allowed, ".tif: " + message);
}
Error failed() {
    return refused("image", "TIFF", last_message[0] != '\0' ? last_message : "the file cannot be read");
}

// The file open in libtiff. `position` must stay where it is.
struct Open {
    Functions call;
    Position position;
    tiff* file = nullptr;

    Open(const Functions& functions, const Reader& reader) : call(functions), position{&reader, 0} {
        last_message[0] = '\0';
        // m: no mapping of the file; the reader has its bytes.
        file = call.open("input", "rm", &position, &on_read, &on_write, &on_seek, &on_close, &on_size,
                         &on_map, &on_unmap);
    }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    ~Open() {
        if (file != nullptr) call.close(file);
    }

    std::uint32_t number(TiffTag tag) const {  // 0 if it is missing
        std::uint32_t value = 0;
        return call.get(file, tag, &value) == 1 ? value : 0;
    }
    std::uint16_t word(TiffTag tag) const {
        std::uint16_t value = 0;
        return call.get_or_default(file, tag, &value) == 1 ? value : static_cast<std::uint16_t>(0);
    }
};

// 0 for a combination that has no element type.
std::uint8_t element_type(unsigned bits, unsigned format) {
    constexpr unsigned kUnsigned = 1, kSigned = 2, kFloat = 3, kVoid = 4;
    if (format == kUnsigned || format == kVoid)
        return bits == 8    ? TEGU_U8
               : bits == 16 ? TEGU_U16
               : bits == 32 ? TEGU_U32
               : bits == 64 ? TEGU_U64
                            : 0;
    if (format == kSigned)
        return bits == 8    ? TEGU_I8
               : bits == 16 ? TEGU_I16
               : bits == 32 ? TEGU_I32
               : bits == 64 ? TEGU_I64
                            : 0;
    if (format == kFloat) return bits == 16 ? TEGU_F16 : bits == 32 ? TEGU_F32 : bits == 64 ? TEGU_F64 : 0;
    return 0;
}

Expected<void> check_kind(const Open& open, TiffHeader& header) {
    constexpr unsigned kBlackIsZero = 1, kRgb = 2, kContiguous = 1;
    const unsigned bits = open.word(kTiffBitsPerSample), format = open.word(kTiffSampleFormat);
    const unsigned photometric = open.word(kTiffPhotometric);
    header.samples = open.word(kTiffSamplesPerPixel);
    header.colour = photometric == kRgb;
    header.type = element_type(bits, format);
    if (header.type == 0)
        return refused("bits", "8, 16, 32 or 64 bits, floats of 16, 32 or 64",
                       "samples of " + std::to_string(bits) + " bits, format " + std::to_string(format));
    if (photometric != kBlackIsZero && photometric != kRgb)
        return refused("photometric", "1 (grey, black is 0), 2 (RGB)",
                       "photometric interpretation " + std::to_string(photometric));
    const unsigned least = header.colour ? 3 : 1;
    if (header.samples != least && header.samples != least + 1)
        return refused("samples", header.colour ? "3 or 4" : "1 or 2",
                       std::to_string(header.samples) + " samples in a pixel");
    if (header.colour && header.type != TEGU_U8 && header.type != TEGU_U16)
        return refused("bits", "colour of 8 or 16 bits without sign",
                       "colour as " + std::string(tegu_element_word(header.type)));
    if (header.samples > 1 && open.word(kTiffPlanarConfig) != kContiguous)
        return refused("planar", "contiguous samples", "the channels lie in planes of their own");
    return {};
}

Expected<void> check_size(const Open& open, const TiffHeader& header, std::uint64_t file_bytes) {
    constexpr unsigned kNone = 1, kLzw = 5, kDeflate = 8, kOldDeflate = 32946, kPackBits = 32773;
    const unsigned compression = open.word(kTiffCompression);
    if (compression != kNone && compression != kLzw && compression != kDeflate &&
        compression != kOldDeflate && compression != kPackBits)
        return refused("compression", kCompressions, "compression " + std::to_string(compression));
    if (header.rows == 0 || header.cols == 0 || header.rows > kMaxExtent || header.cols > kMaxExtent)
        return refused(
            "width", "1..2147483647 pixels each way",
            "an image of " + std::to_string(header.cols) + " x " + std::to_string(header.rows) + " pixels");
    std::uint64_t bytes = 0;
    const std::uint64_t max_bytes = compression == kNone ? file_bytes : file_bytes * kMaxExpansion;
    if (!data_bytes({header.rows, header.cols, header.samples}, header.type, bytes) || bytes > max_bytes)
        return refused("width", "what the file can hold",
                       "the header announces " + std::to_string(header.cols) + " x " +
                           std::to_string(header.rows) + " pixels, which " + std::to_string(file_bytes) +
                           " bytes cannot hold");
    return {};
}

// Rows of a strip or tile to rows of the result.
class Target {
  public:
    Target(const TiffHeader& header, void* samples)
        : header_(header), size_(tegu_element_bytes(header.type)), to_(static_cast<char*>(samples)) {}

    std::uint64_t pixel_bytes() const { return size_ * header_.samples; }
    void put(std::uint64_t row, std::uint64_t col, std::uint64_t count, const char* pixels) const {
        char* to = to_ + (row * header_.cols + col) * size_;
        if (header_.colour && size_ == 1) {
            luma_of(pixels, header_.samples, reinterpret_cast<std::uint8_t*>(to), count);
        } else if (header_.colour) {
            luma_of(pixels, header_.samples, reinterpret_cast<std::uint16_t*>(to), count);
        } else {
            for (std::uint64_t i = 0; i < count; ++i)
                std::memcpy(to + i * size_, pixels + i * pixel_bytes(), size_);
        }
    }

  private:
    const TiffHeader& header_;
    const std::uint64_t size_;
    char* const to_;
};

Expected<std::unique_ptr<char[]>> block_memory(std::uint64_t bytes) {
    std::unique_ptr<char[]> memory(new (std::nothrow) char[bytes]);
    if (!memory) return Error{TEGU_OUT_OF_MEMORY, 0, {}, {}, ".tif: out of memory"};
    return memory;
}

Expected<void> read_strips(const Open& open, const TiffHeader& header, const Target& target) {
    std::uint64_t rows_each = open.number(kTiffRowsPerStrip);
    if (rows_each == 0 || rows_each > header.rows) rows_each = header.rows;
    const std::uint64_t row_bytes = header.cols * target.pixel_bytes();
    Expected<std::unique_ptr<char[]>> block = block_memory(rows_each * row_bytes);
    if (!block) return block.error();
    std::uint32_t strip = 0;
    for (std::uint64_t row = 0; row < header.rows; row += rows_each, ++strip) {
        const std::uint64_t count = std::min(rows_each, header.rows - row);
        const auto bytes = static_cast<TiffSize>(count * row_bytes);
        if (open.call.read_strip(open.file, strip, block->get(), bytes) != bytes) return failed();
        for (std::uint64_t r = 0; r < count; ++r)
            target.put(row + r, 0, header.cols, block->get() + r * row_bytes);
    }
    return {};
}

Expected<void> read_tiles(const Open& open, const TiffHeader& header, const Target& target) {
    const std::uint64_t width = open.number(kTiffTileWidth), height = open.number(kTiffTileLength);
    std::uint64_t bytes = 0;
    if (width == 0 || height == 0 || !data_bytes({width, height, header.samples}, header.type, bytes) ||
        bytes > kMaxTileBytes)
        return refused("tile", "1 byte to 256 MiB",
                       "tiles of " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
    Expected<std::unique_ptr<char[]>> block = block_memory(bytes);
    if (!block) return block.error();
    std::uint32_t tile = 0;
    for (std::uint64_t row = 0; row < header.rows; row += height) {
        for (std::uint64_t col = 0; col < header.cols; col += width, ++tile) {
            const auto size = static_cast<TiffSize>(bytes);
            if (open.call.read_tile(open.file, tile, block->get(), size) != size) return failed();
            for (std::uint64_t r = 0; r < std::min(height, header.rows - row); ++r)
                target.put(row + r, col, std::min(width, header.cols - col),
                           block->get() + r * width * target.pixel_bytes());
        }
    }
    return {};
}

}  // namespace

bool looks_like_tiff(std::string_view prefix) {
    using namespace std::string_view_literals;
    const std::string_view magic = prefix.substr(0, 4);
    return magic == "II*\0"sv || magic == "MM\0*"sv || magic == "II+\0"sv || magic == "MM\0+"sv;
}

Expected<TiffHeader> parse_tiff(const Reader& file) {
    Expected<Functions> library = functions();
    if (!library) return library.error();
    const Open open(*library, file);
    if (open.file == nullptr) return failed();
    TiffHeader header;
    header.rows = open.number(kTiffImageLength);
    header.cols = open.number(kTiffImageWidth);
    Expected<void> checked = check_kind(open, header);
    if (checked) checked = check_size(open, header, file.bytes);
    if (!checked) return checked.error();
    return header;
}

Expected<void> decode_tiff(const Reader& file, const TiffHeader& header, void* samples) {
    Expected<Functions> library = functions();
    if (!library) return library.error();
    const Open open(*library, file);
    if (open.file == nullptr) return failed();
    const Target target(header, samples);
    return open.call.is_tiled(open.file) != 0 ? read_tiles(open, header, target)
                                              : read_strips(open, header, target);
}

}  // namespace formats
}  // namespace tegu
