// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/ascii.h"
#include "tools/formats/npy.h"
#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace {

constexpr std::uint64_t kInlineBytes = 64 * 1024;  // more goes through a buffer

std::string with_name(const Source& source, const std::string& message) {
    return source.name() + ": " + message;
}

Expected<formats::ArrayHeader> raw_header(const Source& source, const RawWords& words) {
    formats::ArrayHeader header;
    header.type = client::find_element_type(words.dtype);
    if (header.type == 0) return usage_error("--dtype", words.dtype, element_type_words());
    const std::uint64_t size = tegu_element_bytes(header.type);
    if (words.shape.empty()) {
        if (source.bytes() % size != 0) {
            return failure(kDataError,
                           with_name(source, std::to_string(source.bytes()) +
                                                 " bytes are no whole number of " + words.dtype),
                           "bytes", "a multiple of " + std::to_string(size));
        }
        header.shape = {source.bytes() / size};
        header.bytes = source.bytes();
        return header;
    }
    Expected<std::vector<std::uint64_t>> shape = parse_shape(words.shape);
    if (!shape) return shape.error();
    header.shape = std::move(*shape);
    if (!formats::data_bytes(header.shape, header.type, header.bytes))
        return usage_error("--shape", words.shape, "a product below 2^63 bytes");
    if (header.bytes != source.bytes()) {
        return failure(kDataError,
                       with_name(source, "--shape " + words.shape + " of " + words.dtype + " needs " +
                                             std::to_string(header.bytes) + " bytes, the file holds " +
                                             std::to_string(source.bytes())),
                       "bytes", std::to_string(header.bytes));
    }
    return header;
}

Error named(const Source& source, Error error) {
    error.message = with_name(source, error.message);
    return error;
}

Expected<InputHeader> png_input(std::string_view prefix, const Source& source) {
    Expected<formats::PngHeader> png = formats::parse_png(prefix, source.bytes());
    if (!png) return named(source, png.error());
    InputHeader header;
    header.format = InputHeader::Format::Png;
    header.png = *png;
    header.array.type = png->type;
    header.array.shape = {png->rows, png->cols};
    header.array.bytes = png->rows * png->cols * tegu_element_bytes(png->type);
    return header;
}

Expected<InputHeader> sniffed_header(std::string_view prefix, const Source& source) {
    InputHeader header;
    if (formats::looks_like_png(prefix)) return png_input(prefix, source);
    if (formats::looks_like_npy(prefix)) {
        Expected<formats::ArrayHeader> array = formats::parse_npy(prefix, source.bytes());
        if (!array) return named(source, array.error());
        header.format = InputHeader::Format::Npy;
        header.array = std::move(*array);
        return header;
    }
    if (formats::looks_like_pnm(prefix)) {
        Expected<formats::PgmHeader> pgm = formats::parse_pgm(prefix, source.bytes());
        if (!pgm) return named(source, pgm.error());
        header.format = InputHeader::Format::Pgm;
        header.pgm = *pgm;
        header.array = pgm->array;
        return header;
    }
    return failure(
        kDataError,
        with_name(source, prefix.empty() ? "the input is empty"
                                         : "neither .npy, .pgm nor .png; raw elements need --dtype"),
        "input", ".npy, .pgm, .png, or raw with --dtype and --shape");
}

void swap_bytes16(std::uint16_t* samples, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
        samples[i] = static_cast<std::uint16_t>(samples[i] << 8 | samples[i] >> 8);
}

// Reads a Fortran-ordered file of cols columns of rows elements each, and transposes it in tiles that fit the
// cache.
Expected<void> read_transposed(const Source& source, const formats::ArrayHeader& header, char* to,
                               Progress& progress) {
    constexpr std::uint64_t kTileRows = 1024, kTileCols = 64;
    const std::uint64_t rows = header.shape[0], cols = header.shape[1],
                        size = tegu_element_bytes(header.type);
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

// The file as one text, for the decoders that need all of it. REQUIRES: source.bytes() is what the header was
// checked against.
Expected<std::string> read_whole(const Source& source, Progress& progress) {
    std::string text(source.bytes(), '\0');
    Expected<void> read = source.read_at(0, text.data(), text.size(), &progress);
    if (!read) return read.error();
    return text;
}

Expected<void> read_elements(const Source& source, const InputHeader& header, void* to, Progress& progress) {
    const formats::ArrayHeader& array = header.array;
    if (header.format == InputHeader::Format::Png ||
        (header.format == InputHeader::Format::Pgm && header.pgm.text)) {
        Expected<std::string> file = read_whole(source, progress);
        if (!file) return file.error();
        Expected<void> decoded = header.format == InputHeader::Format::Png
                                     ? formats::decode_png(*file, header.png, to)
                                     : formats::decode_pgm_text(*file, header.pgm, to);
        return decoded ? decoded : named(source, decoded.error());
    }
    if (array.column_major && array.shape.size() == 2)
        return read_transposed(source, array, static_cast<char*>(to), progress);
    Expected<void> read = source.read_at(array.offset, to, array.bytes, &progress);
    if (read && array.big_endian == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) &&
        tegu_element_bytes(array.type) == 2 && header.format == InputHeader::Format::Pgm) {
        swap_bytes16(static_cast<std::uint16_t*>(to), array.bytes / 2);
    }
    return read;
}

// The bytes of the file are the elements: in order, aligned, and nothing to decode.
bool lies_ready(const InputHeader& header) {
    const formats::ArrayHeader& array = header.array;
    return (header.format == InputHeader::Format::Raw || header.format == InputHeader::Format::Npy ||
            (header.format == InputHeader::Format::Pgm && !header.pgm.text && !array.big_endian)) &&
           !(array.column_major && array.shape.size() == 2) &&
           array.offset % tegu_element_bytes(array.type) == 0;
}

}  // namespace

const char* InputHeader::format_word() const {
    switch (format) {
        case Format::Raw: return "raw";
        case Format::Npy: return "npy";
        case Format::Pgm: return "pgm";
        case Format::Png: return png.colour ? "png, luma of its colours" : "png";
    }
    return "?";
}

std::uint64_t InputHeader::cols() const {
    if (array.shape.size() == 2) return array.shape[1];
    return elements();
}

Expected<std::vector<std::uint64_t>> parse_shape(const std::string& word) {
    std::vector<std::uint64_t> shape;
    const char* at = word.c_str();
    for (;;) {
        char* end = nullptr;
        errno = 0;
        const unsigned long long extent = is_digit(*at) ? std::strtoull(at, &end, 10) : 0;
        if (end == nullptr || errno != 0 || extent > static_cast<unsigned long long>(INT64_MAX) ||
            shape.size() == formats::kMaxDimensions || (*end != '\0' && *end != 'x' && *end != ','))
            return usage_error("--shape", word, "extents such as 1000, 480x640 or 480,640");
        shape.push_back(extent);
        if (*end == '\0') return shape;
        at = end + 1;
    }
}

Expected<InputHeader> read_header(const Source& source, const RawWords& words) {
    if (!words.dtype.empty()) {
        Expected<formats::ArrayHeader> raw = raw_header(source, words);
        if (!raw) return raw.error();
        InputHeader header;
        header.array = std::move(*raw);
        return header;
    }
    if (!words.shape.empty())
        return failure(kUsage, "--shape needs --dtype: the files that say their type say their shape",
                       "--shape");
    std::string prefix(std::min<std::uint64_t>(source.bytes(), formats::kPrefixBytes), '\0');
    Expected<void> read = source.read_at(0, prefix.data(), prefix.size());
    if (!read) return read.error();
    Expected<InputHeader> header = sniffed_header(prefix, source);
    if (header && header->array.column_major && header->array.shape.size() > 2) {
        return failure(kDataError,
                       with_name(source, "Fortran order in " + std::to_string(header->array.shape.size()) +
                                             " dimensions; save np.ascontiguousarray(a)"),
                       "fortran_order", "1 or 2 dimensions, or C order");
    }
    return header;
}

void* InputData::memory() {
    return in_buffer_ ? buffer_.data() : static_cast<void*>(small_.data());
}

Expected<InputData> InputData::read(const Source& source, const InputHeader& header, client::Client& client,
                                    Progress& progress) {
    InputData data;
    const std::uint64_t bytes = header.array.bytes;
    data.in_buffer_ = bytes > kInlineBytes;
    if (data.in_buffer_ && source.memfd() >= 0 && lies_ready(header)) {
        Expected<client::Buffer> registered = client.register_buffer(source.memfd(), source.bytes());
        if (!registered) return registered.error();
        data.buffer_ = std::move(*registered);
        data.offset_ = header.array.offset;
        return data;
    }
    if (data.in_buffer_) {
        Expected<client::Buffer> created = client.create_buffer(bytes);
        if (!created) return created.error();
        data.buffer_ = std::move(*created);
    } else {
        data.small_.resize(bytes / 8 + 1);
    }
    Expected<void> filled = read_elements(source, header, data.memory(), progress);
    if (!filled) return filled.error();
    return data;
}

tegu_operand InputData::operand() const {
    if (in_buffer_) return tegu_operand{nullptr, buffer_.get(), offset_, 0};
    return tegu_operand{small_.data(), nullptr, 0, 0};
}

}  // namespace cli
}  // namespace tegu
