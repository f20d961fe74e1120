// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/input_format.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tools/formats/npy.h"
#include "tools/formats/zip.h"

namespace tegu {
namespace cli {
namespace {

using Format = InputHeader::Format;

constexpr bool kLittleEndianHost = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

void set_image(InputHeader& header, std::uint8_t type, std::uint64_t rows, std::uint64_t cols) {
    header.array.type = type;
    header.array.shape = {rows, cols};
    header.array.bytes = rows * cols * tegu_element_bytes(type);
}

// Sets `to` to what a parser found, or gives its error.
template <class T>
Expected<void> take(Expected<T> parsed, T& to) {
    if (!parsed) return parsed.error();
    to = std::move(*parsed);
    return {};
}

Expected<void> parse(std::string_view prefix, const Source& source, InputHeader& header) {
    Expected<void> done;
    if (formats::looks_like_npy(prefix)) {
        header.format = Format::Npy;
        return take(formats::parse_npy(prefix, source.bytes()), header.array);
    }
    if (formats::looks_like_pnm(prefix)) {
        header.format = Format::Pgm;
        done = take(formats::parse_pgm(prefix, source.bytes()), header.pgm);
        header.array = header.pgm.array;
    } else if (formats::looks_like_png(prefix)) {
        header.format = Format::Png;
        done = take(formats::parse_png(prefix, source.bytes()), header.png);
        set_image(header, header.png.type, header.png.rows, header.png.cols);
    } else if (formats::looks_like_jpeg(prefix)) {
        header.format = Format::Jpeg;
        done = take(formats::parse_jpeg(reader_of(source)), header.jpeg);
        set_image(header, TEGU_U8, header.jpeg.rows, header.jpeg.cols);
    } else if (formats::looks_like_tiff(prefix)) {
        header.format = Format::Tiff;
        done = take(formats::parse_tiff(reader_of(source)), header.tiff);
        set_image(header, header.tiff.type, header.tiff.rows, header.tiff.cols);
    } else {
        return failure(kDataError,
                       prefix.empty() ? "the input is empty" : "no array or image of a known format", "input",
                       std::string(kReadFormats) + "; raw elements with --dtype");
    }
    return done;
}

template <class T>
void swap_bytes(void* elements, std::uint64_t count) {
    char* at = static_cast<char*>(elements);
    for (std::uint64_t i = 0; i < count; ++i, at += sizeof(T)) std::reverse(at, at + sizeof(T));
}

void swap_elements(void* elements, const formats::ArrayHeader& array) {
    switch (tegu_element_bytes(array.type)) {
        case 2: return swap_bytes<std::uint16_t>(elements, array.bytes / 2);
        case 4: return swap_bytes<std::uint32_t>(elements, array.bytes / 4);
        case 8: return swap_bytes<std::uint64_t>(elements, array.bytes / 8);
        default: return;
    }
}

// Reads a Fortran-ordered file of cols columns of rows elements each, and transposes it in tiles that fit the
// cache.
Expected<void> read_transposed(const Source& source, const formats::ArrayHeader& header, char* to,
                               Progress& progress) {
    constexpr std::uint64_t kTileRows = 1024, kTileCols = 64;
    const std::uint64_t rows = header.shape[0], cols = header.shape[1],
                        size = tegu_element_bytes(header.type);
    if (rows == 0 || cols == 0) return {};
    std::vector<char> tile(kTileRows * kTileCols * size);
    for (std::uint64_t r0 = 0; r0 < rows; r0 += kTileRows) {
        const std::uint64_t height = std::min(kTileRows, rows - r0);
        for (std::uint64_t c0 = 0; c0 < cols; c0 += kTileCols) {
            const std::uint64_t width = std::min(kTileCols, cols - c0);
            for (std::uint64_t c = 0; c < width; ++c) {
                Expected<void> column = source.read_at(header.offset + ((c0 + c) * rows + r0) * size,
                                                       tile.data() + c * height * size, height * size);
                if (!column) return column;
            }
            for (std::uint64_t r = 0; r < height; ++r)
                for (std::uint64_t c = 0; c < width; ++c)
                    std::memcpy(to + ((r0 + r) * cols + c0 + c) * size, tile.data() + (c * height + r) * size,
                                size);
        }
        progress.bytes("reading", (r0 + height) * cols * size, header.bytes);
    }
    return {};
}

// A P6, a part at a time.
Expected<void> read_pixels(const Source& source, const formats::PgmHeader& header, char* to,
                           Progress& progress) {
    constexpr std::uint64_t kPixels = 65536;
    const std::uint64_t size = tegu_element_bytes(header.array.type), count = header.array.bytes / size;
    std::vector<char> pixels(std::min(kPixels, count) * 3 * size);
    for (std::uint64_t done = 0; done < count;) {
        const std::uint64_t now = std::min(kPixels, count - done);
        Expected<void> read =
            source.read_at(header.array.offset + done * 3 * size, pixels.data(), now * 3 * size);
        if (!read) return read;
        formats::decode_ppm_pixels(pixels.data(), now, header, to + done * size);
        done += now;
        progress.bytes("reading", done * 3 * size, count * 3 * size);
    }
    return {};
}

// The file as one text, for the decoders that need all of it. REQUIRES: source.bytes() is what the header was
// checked against.
Expected<std::string> read_whole(const Source& source, Progress& progress) {
    std::string text(source.bytes(), '\0');
    Expected<void> read = source.read_at(0, text.data(), text.size(), &progress);
    if (!read) return read.error();
    return text;
}

Expected<void> decode_whole(const Source& source, const InputHeader& header, void* to, Progress& progress) {
    Expected<std::string> file = read_whole(source, progress);
    if (!file) return file.error();
    Expected<void> decoded;
    if (header.format == Format::Png)
        decoded = formats::decode_png(*file, header.png, to);
    else if (header.format == Format::Jpeg)
        decoded = formats::decode_jpeg(*file, header.jpeg, static_cast<std::uint8_t*>(to));
    else
        decoded = formats::decode_pgm_text(*file, header.pgm, to);
    return decoded ? decoded : input_error(source.name(), decoded.error());
}

}  // namespace

const char* const kReadFormats = ".npy, .npz, .png, .jpg, .tif, .pgm, .ppm";

std::string InputHeader::format_word() const {
    const auto image = [](const char* word, bool colour) {
        return std::string(word) + (colour ? ", luma of its colours" : "");
    };
    switch (format) {
        case Format::Raw: return "raw";
        case Format::Npy: return "npy";
        case Format::Pgm: return image(pgm.colour ? "ppm" : "pgm", pgm.colour);
        case Format::Png: return image("png", png.colour);
        case Format::Jpeg: return image("jpg", jpeg.colour);
        case Format::Tiff: return image("tif", tiff.colour);
    }
    return "?";
}

std::uint64_t InputHeader::cols() const {
    if (array.shape.size() == 2) return array.shape[1];
    return elements();
}

bool InputHeader::lies_ready() const {
    const bool plain =
        format == Format::Raw || format == Format::Npy || (format == Format::Pgm && !pgm.text && !pgm.colour);
    return plain && !array.big_endian && !(array.column_major && array.shape.size() == 2) &&
           array.offset % tegu_element_bytes(array.type) == 0;
}

const char* kind_of(std::string_view prefix) {
    if (formats::looks_like_npy(prefix)) return "a .npy";
    if (formats::looks_like_zip(prefix)) return "a .npz or another ZIP archive";
    if (formats::looks_like_png(prefix)) return "a .png image";
    if (formats::looks_like_jpeg(prefix)) return "a .jpg image";
    if (formats::looks_like_tiff(prefix)) return "a .tif image";
    if (formats::looks_like_pnm(prefix)) return "a netpbm image (.pgm, .ppm)";
    return nullptr;
}

formats::Reader reader_of(const Source& source) {
    return {source.bytes(), [&source](std::uint64_t offset, void* to, std::uint64_t count) {
                return source.read_at(offset, to, count);
            }};
}

Error input_error(const std::string& name, Error error) {
    if (error.status == -kNoInput) return error;  // reading, which names the file
    error.message = name + ": " + error.message;
    if (error.status == TEGU_UNAVAILABLE) return failure(kNoInput, error.message, error.field, error.allowed);
    return error;
}

Expected<InputHeader> sniff(const Source& source) {
    std::string prefix(std::min<std::uint64_t>(source.bytes(), formats::kPrefixBytes), '\0');
    Expected<void> read = source.read_at(0, prefix.data(), prefix.size());
    if (!read) return read.error();
    InputHeader header;
    header.name = source.name();
    Expected<void> parsed = parse(prefix, source, header);
    if (!parsed) return input_error(source.name(), parsed.error());
    if (header.array.column_major && header.array.shape.size() > 2) {
        return failure(kDataError,
                       source.name() + ": Fortran order in " + std::to_string(header.array.shape.size()) +
                           " dimensions; save np.ascontiguousarray(a)",
                       "fortran_order", "1 or 2 dimensions, or C order");
    }
    return header;
}

Expected<void> read_elements(const Source& source, const InputHeader& header, void* to, Progress& progress) {
    const formats::ArrayHeader& array = header.array;
    switch (header.format) {
        case Format::Png:
        case Format::Jpeg: return decode_whole(source, header, to, progress);
        case Format::Tiff: {
            Expected<void> decoded = formats::decode_tiff(reader_of(source), header.tiff, to);
            return decoded ? decoded : input_error(source.name(), decoded.error());
        }
        case Format::Pgm:
            if (header.pgm.text) return decode_whole(source, header, to, progress);
            if (header.pgm.colour) return read_pixels(source, header.pgm, static_cast<char*>(to), progress);
            break;
        case Format::Raw:
        case Format::Npy: break;
    }
    Expected<void> read = array.column_major && array.shape.size() == 2
                              ? read_transposed(source, array, static_cast<char*>(to), progress)
                              : source.read_at(array.offset, to, array.bytes, &progress);
    if (read && array.big_endian == kLittleEndianHost) swap_elements(to, array);
    return read;
}

}  // namespace cli
}  // namespace tegu
