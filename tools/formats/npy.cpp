// SPDX-License-Identifier: Apache-2.0
// The header of a .npy is a Python dictionary in text. The scanner below reads exactly the literals that it
// may hold: strings, True and False, tuples of integers. It takes one pass, without recursion.
#include "tools/formats/npy.h"

#include <cstring>

#include "base/ascii.h"
#include "tools/formats/dtype.h"

namespace tegu {
namespace formats {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    void skip_blanks() {
        while (at_ < text_.size() && std::strchr(" \t\n\r", text_[at_]) != nullptr && text_[at_] != '\0')
            ++at_;
    }
    bool take(char wanted) {
        skip_blanks();
        if (at_ >= text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }
    bool take_word(std::string_view word) {
        skip_blanks();
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }
    // 'text' or "text", without escapes.
    bool take_string(std::string_view& value) {
        skip_blanks();
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
        const std::size_t end = text_.find(text_[at_], at_ + 1);
        if (end == std::string_view::npos) return false;
        value = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return value.find('\\') == std::string_view::npos;
    }
    // Decimal digits, with the L that Python 2 wrote. False if there are none or they do not fit 63 bits.
    bool take_integer(std::uint64_t& value) {
        skip_blanks();
        const std::size_t begin = at_;
        value = 0;
        for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
            if (value > (static_cast<std::uint64_t>(INT64_MAX) - 9) / 10) return false;
            value = value * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
        }
        if (at_ == begin) return false;
        if (at_ < text_.size() && text_[at_] == 'L') ++at_;
        return true;
    }
    // (), (3,), (3, 4), (3, 4,)
    bool take_tuple(std::vector<std::uint64_t>& values) {
        if (!take('(')) return false;
        while (!take(')')) {
            std::uint64_t value = 0;
            if (values.size() == kMaxDimensions || !take_integer(value)) return false;
            values.push_back(value);
            if (!take(',') && !(values.size() > 1 && peek(')'))) return false;
        }
        return true;
    }
    bool peek(char wanted) {
        skip_blanks();
        return at_ < text_.size() && text_[at_] == wanted;
    }
    bool at_end() {
        skip_blanks();
        return at_ == text_.size();
    }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
};

constexpr const char* kAllowedDescr = "u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8, or bool";

// Text of a file in a message: printable and short.
std::string quoted(std::string_view text) {
    std::string result = "'";
    for (const char c : text.substr(0, 32)) result += c >= ' ' && c < 0x7f && c != '\'' ? c : '?';
    return result + (text.size() > 32 ? "...'" : "'");
}

Error malformed_npy(const std::string& what) {
    return bad_data("header", "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", ".npy: " + what);
}

struct Keys {
    bool descr = false, order = false, shape = false;
};

// One entry of the dictionary.
Expected<void> parse_entry(Scanner& scanner, ArrayHeader& header, Keys& seen) {
    std::string_view key;
    if (!scanner.take_string(key) || !scanner.take(':'))
        return malformed_npy("the header is not a dictionary");
    if (key == "descr" && !seen.descr) {
        std::string_view descr;
        if (scanner.peek('['))
            return bad_data("descr", kAllowedDescr, ".npy: a structured array; save one of its fields");
        if (!scanner.take_string(descr)) return malformed_npy("'descr' is not a string");
        const std::optional<Dtype> dtype = parse_descr(descr);
        if (!dtype)
            return bad_data("descr", kAllowedDescr,
                            ".npy: element type " + quoted(descr) + " is not known here");
        header.type = dtype->type;
        header.big_endian = dtype->big_endian;
        seen.descr = true;
    } else if (key == "fortran_order" && !seen.order) {
        header.column_major = scanner.take_word("True");
        if (!header.column_major && !scanner.take_word("False"))
            return malformed_npy("'fortran_order' is neither True nor False");
        seen.order = true;
    } else if (key == "shape" && !seen.shape) {
        if (!scanner.take_tuple(header.shape))
            return malformed_npy("'shape' is not a tuple of at most 32 integers of 63 bits");
        seen.shape = true;
    } else {
        return malformed_npy("key " + quoted(key) + " is unknown or stands there twice");
    }
    return {};
}

Expected<ArrayHeader> parse_dictionary(std::string_view text) {
    ArrayHeader header;
    Keys seen;
    Scanner scanner(text);
    if (!scanner.take('{')) return malformed_npy("the header is not a dictionary");
    while (!scanner.take('}')) {
        Expected<void> entry = parse_entry(scanner, header, seen);
        if (!entry) return entry.error();
        if (!scanner.take(',') && !scanner.peek('}')) return malformed_npy("the header is not a dictionary");
    }
    if (!scanner.at_end()) return malformed_npy("text after the dictionary of the header");
    if (!seen.descr || !seen.order || !seen.shape)
        return malformed_npy("the header lacks one of 'descr', 'fortran_order', 'shape'");
    return header;
}

std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

std::string descr_of(const NpyColumn& column) {
    const char* code = numpy_code(column.type);
    return std::string(tegu_element_bytes(column.type) == 1 ? "'|" : "'<") + (code != nullptr ? code : "") +
           "'";
}

}  // namespace

bool looks_like_npy(std::string_view prefix) {
    return prefix.substr(0, kMagic.size()) == kMagic;
}

Expected<ArrayHeader> parse_npy(std::string_view prefix, std::uint64_t file_bytes) {
    if (!looks_like_npy(prefix)) return malformed_npy("the magic string is missing");
    if (prefix.size() < 10) return malformed_npy("truncated: the file ends within the header");
    const auto major = static_cast<unsigned char>(prefix[6]);
    const auto minor = static_cast<unsigned char>(prefix[7]);
    if (major < 1 || major > 3 || minor != 0) {
        return bad_data(
            "version", "1.0, 2.0 or 3.0",
            ".npy: version " + std::to_string(major) + "." + std::to_string(minor) + " is not known here");
    }
    const std::size_t length_bytes = major == 1 ? 2 : 4;
    const std::uint64_t begin = 8 + length_bytes;
    if (prefix.size() < begin) return malformed_npy("truncated: the file ends within the header");
    const std::uint64_t length = little_endian(prefix.substr(8, length_bytes));
    if (length > 65535)
        return bad_data("header", "0..65535 bytes", ".npy: a header of " + std::to_string(length) + " bytes");
    if (begin + length > file_bytes || begin + length > prefix.size())
        return malformed_npy("truncated: the file ends within the header");

    Expected<ArrayHeader> header = parse_dictionary(prefix.substr(begin, length));
    if (!header) return header;
    header->offset = begin + length;
    if (!data_bytes(header->shape, header->type, header->bytes))
        return bad_data("shape", "a product below 2^63 bytes", ".npy: the shape does not fit into memory");
    const std::uint64_t held = file_bytes - header->offset;
    if (header->bytes > held) return truncated(".npy", header->bytes, held);
    if (header->bytes < held) {
        return bad_data(
            "bytes", std::to_string(header->bytes),
            ".npy: " + std::to_string(held - header->bytes) + " bytes follow the elements of the shape");
    }
    return header;
}

std::string encode_npy_header(const std::vector<NpyColumn>& columns,
                              const std::vector<std::uint64_t>& shape) {
    std::string descr;
    if (columns.size() == 1 && columns[0].name.empty()) {
        descr = descr_of(columns[0]);
    } else {
        for (const NpyColumn& column : columns) {
            descr += (descr.empty() ? "[('" : ", ('") + column.name + "', " + descr_of(column);
            if (column.values != 1) descr += ", (" + std::to_string(column.values) + ",)";
            descr += ")";
        }
        descr += "]";
    }
    std::string tuple;
    for (const std::uint64_t extent : shape)
        tuple += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
    if (shape.size() > 1) tuple.resize(tuple.size() - 2);
    std::string text = "{'descr': " + descr + ", 'fortran_order': False, 'shape': (" + tuple + "), }";
    const std::size_t unpadded = kMagic.size() + 4 + text.size() + 1;
    text.append((64 - unpadded % 64) % 64, ' ');
    text += '\n';
    std::string header(kMagic);
    header += '\x01';
    header += '\x00';
    header += static_cast<char>(text.size() & 0xff);
    header += static_cast<char>(text.size() >> 8);
    return header + text;
}

}  // namespace formats
}  // namespace tegu
