// SPDX-License-Identifier: Apache-2.0
#include "tools/formats/pgm.h"

#include <cstring>

#include "base/ascii.h"
#include "tools/formats/luma.h"

namespace tegu {
namespace formats {
namespace {

bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Decimal numbers between blanks. Comments, from # to the end of the line, count as a blank where the format
// allows them.
class Numbers {
  public:
    Numbers(std::string_view text, std::size_t at, bool comments)
        : text_(text), at_(at), comments_(comments) {}

    // False at the end of the text, at another character, or above 2^32 - 1.
    bool next(std::uint64_t& value) {
        skip();
        const std::size_t begin = at_;
        value = 0;
        for (; at_ < text_.size() && is_digit(text_[at_]) && value <= UINT32_MAX; ++at_)
            value = value * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
        return at_ != begin && value <= UINT32_MAX;
    }
    std::size_t at() const { return at_; }
    bool at_end() const { return at_ >= text_.size(); }

  private:
    void skip() {
        while (at_ < text_.size()) {
            if (is_blank(text_[at_])) {
                ++at_;
            } else if (comments_ && text_[at_] == '#') {
                while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
            } else {
                return;
            }
        }
    }
    std::string_view text_;
    std::size_t at_;
    bool comments_;
};

Error malformed_pgm(const std::string& message) {
    return bad_data("header", "P2, P3, P5 or P6, width, height, maximum", ".pgm: " + message);
}

// Decodes sample `index` of the file.
Expected<std::uint64_t> decode_sample(Numbers& numbers, const PgmHeader& header, std::uint64_t index) {
    std::uint64_t value = 0;
    if (!numbers.next(value)) {
        const std::string count = std::to_string(header.file_samples());
        const std::string place = "sample " + std::to_string(index) + " of " + count;
        return bad_data("samples", count,
                        numbers.at_end() ? ".pgm: truncated: the file ends before " + place
                                         : ".pgm: " + place + " is not a number");
    }
    if (value > header.maximum) {
        return bad_data("samples", "0.." + std::to_string(header.maximum),
                        ".pgm: sample " + std::to_string(index) + " is " + std::to_string(value) +
                            ", above the maximum of the header");
    }
    return value;
}

template <class T>
Expected<void> decode_samples(Numbers& numbers, const PgmHeader& header, T* samples) {
    const std::uint64_t count = header.array.bytes / sizeof(T), channels = header.colour ? 3 : 1;
    for (std::uint64_t i = 0; i < count; ++i) {
        T pixel[3];
        for (std::uint64_t c = 0; c < channels; ++c) {
            Expected<std::uint64_t> value = decode_sample(numbers, header, i * channels + c);
            if (!value) return value.error();
            pixel[c] = static_cast<T>(*value);
        }
        samples[i] = header.colour ? luma(pixel[0], pixel[1], pixel[2]) : pixel[0];
    }
    return {};
}

}  // namespace

bool looks_like_pnm(std::string_view prefix) {
    return prefix.size() >= 3 && prefix[0] == 'P' && prefix[1] >= '1' && prefix[1] <= '7' &&
           (is_blank(prefix[2]) || prefix[2] == '#');
}

Expected<PgmHeader> parse_pgm(std::string_view prefix, std::uint64_t file_bytes) {
    if (!looks_like_pnm(prefix)) return malformed_pgm("the magic number is missing");
    if (prefix[1] != '5' && prefix[1] != '2' && prefix[1] != '6' && prefix[1] != '3') {
        return bad_data("format", "P2, P3, P5, P6",
                        std::string("a netpbm image of kind P") + prefix[1] +
                            " is not of grey or colour; convert it, e.g. with pnmtopnm or pamtopnm");
    }
    PgmHeader header;
    header.text = prefix[1] == '2' || prefix[1] == '3';
    header.colour = prefix[1] == '3' || prefix[1] == '6';
    Numbers numbers(prefix, 2, true);
    std::uint64_t width = 0, height = 0, maximum = 0;
    if (!numbers.next(width) || !numbers.next(height) || !numbers.next(maximum))
        return malformed_pgm(numbers.at_end() ? "truncated: the file ends within the header"
                                              : "width, height or maximum is not a number");
    if (width == 0 || height == 0) return bad_data("width", "1..", ".pgm: an image without pixels");
    if (maximum < 1 || maximum > 65535)
        return bad_data("maximum", "1..65535", ".pgm: a maximum of " + std::to_string(maximum));
    if (numbers.at() >= prefix.size() || !is_blank(prefix[numbers.at()]))
        return malformed_pgm(numbers.at_end() ? "truncated: the file ends within the header"
                                              : "no blank after the maximum");

    header.maximum = static_cast<std::uint32_t>(maximum);
    header.array.type = maximum < 256 ? TEGU_U8 : TEGU_U16;
    header.array.big_endian = !header.text && maximum > 255;
    header.array.shape = {height, width};
    header.array.offset = numbers.at() + 1;
    std::uint64_t file_samples_bytes = 0;
    if (!data_bytes({height, width, header.colour ? 3u : 1u}, header.array.type, file_samples_bytes))
        return bad_data("width", "a product below 2^63 bytes", ".pgm: the image does not fit into memory");
    header.array.bytes = file_samples_bytes / (header.colour ? 3 : 1);
    const std::uint64_t held = file_bytes - header.array.offset;
    // Text needs a digit and, but for the last, a blank for each sample.
    const std::uint64_t min = header.text ? header.file_samples() * 2 - 1 : file_samples_bytes;
    if (held < min) return truncated(header.text ? ".pgm (text)" : ".pgm", min, held);
    return header;
}

Expected<void> decode_pgm_text(std::string_view text, const PgmHeader& header, void* samples) {
    Numbers numbers(text, header.array.offset, false);
    if (header.array.type == TEGU_U8)
        return decode_samples(numbers, header, static_cast<std::uint8_t*>(samples));
    return decode_samples(numbers, header, static_cast<std::uint16_t*>(samples));
}

void decode_ppm_pixels(const char* pixels, std::uint64_t count, const PgmHeader& header, void* samples) {
    if (header.array.type == TEGU_U8) return luma_of(pixels, 3, static_cast<std::uint8_t*>(samples), count);
    auto* grey = static_cast<std::uint16_t*>(samples);
    for (std::uint64_t i = 0; i < count; ++i, pixels += 6) {
        const auto* at = reinterpret_cast<const unsigned char*>(pixels);
        const auto sample = [at](int c) {
            return static_cast<std::uint16_t>(at[2 * c] << 8 | at[2 * c + 1]);
        };
        grey[i] = luma(sample(0), sample(1), sample(2));
    }
}

std::string encode_pgm_header(std::uint64_t rows, std::uint64_t cols, std::uint32_t maximum,
                              const std::string& comment) {
    return "P5\n" + (comment.empty() ? std::string() : "# " + comment + "\n") + std::to_string(cols) + " " +
           std::to_string(rows) + "\n" + std::to_string(maximum) + "\n";
}

}  // namespace formats
}  // namespace tegu
