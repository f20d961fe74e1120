// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/ascii.h"
#include "tools/formats/dtype.h"
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
    const std::optional<formats::Dtype> dtype = formats::parse_dtype(words.dtype);
    if (!dtype)
        return usage_error("--dtype", words.dtype, element_type_words() + ", or of NumPy, as float32 or <f4");
    header.type = dtype->type;
    header.big_endian = dtype->big_endian;
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

// Raw elements of a file that has a header: its bytes would count as data.
Expected<void> check_raw(const Source& source, const RawWords& words) {
    if (words.raw) return {};
    char first[8] = "";
    const std::uint64_t count = std::min<std::uint64_t>(source.bytes(), sizeof first);
    Expected<void> read = source.read_at(0, first, count);
    if (!read) return read;
    const char* kind = kind_of(std::string_view(first, count));
    if (kind == nullptr) return {};
    return failure(kDataError, source.name() + " is " + kind + ": --dtype would count its header as elements",
                   "--dtype", "no --dtype, or --raw to insist");
}

}  // namespace

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
        Expected<void> checked = check_raw(source, words);
        if (!checked) return checked.error();
        Expected<formats::ArrayHeader> raw = raw_header(source, words);
        if (!raw) return raw.error();
        InputHeader header;
        header.name = source.name();
        header.array = std::move(*raw);
        return header;
    }
    if (!words.shape.empty())
        return failure(kUsage, "--shape needs --dtype: the files that say their type say their shape",
                       "--shape");
    return sniff(source);
}

void* InputData::memory() {
    return in_buffer_ ? buffer_.data() : static_cast<void*>(small_.data());
}

Expected<InputData> InputData::read(const Source& source, const InputHeader& header, client::Client& client,
                                    Progress& progress) {
    InputData data;
    const std::uint64_t bytes = header.array.bytes;
    data.in_buffer_ = bytes > kInlineBytes;
    if (data.in_buffer_ && source.memfd() >= 0 && header.lies_ready()) {
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
