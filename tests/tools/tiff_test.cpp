// SPDX-License-Identifier: Apache-2.0
// TIFF files through libtiff: strips and tiles, types and byte orders, and files that lie. Skipped without
// libtiff.
#include "tools/formats/tiff.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/tools/text_reader.h"
#include "tools/formats/tiff_abi.h"
#if __has_include(<tiffio.h>)
#include <tiffio.h>

#include <type_traits>

// libtiff has types of its own for the same integers: what is compared is their size.
static_assert(sizeof(tmsize_t) == sizeof(TiffSize) && sizeof(toff_t) == 8 && sizeof(thandle_t) == 8);
static_assert(std::is_same_v<decltype(&TIFFClose), void (*)(TIFF*)>);
static_assert(std::is_same_v<decltype(&TIFFIsTiled), int (*)(TIFF*)>);
static_assert(std::is_same_v<decltype(&TIFFGetField), int (*)(TIFF*, std::uint32_t, ...)>);
static_assert(
    std::is_same_v<decltype(&TIFFReadEncodedStrip), tmsize_t (*)(TIFF*, std::uint32_t, void*, tmsize_t)>);
static_assert(
    std::is_same_v<decltype(&TIFFReadEncodedTile), tmsize_t (*)(TIFF*, std::uint32_t, void*, tmsize_t)>);
static_assert(std::is_same_v<decltype(&TIFFSetErrorHandler), TIFFErrorHandler (*)(TIFFErrorHandler)>);
static_assert(TIFFTAG_ROWSPERSTRIP == tegu::formats::kTiffRowsPerStrip);
static_assert(TIFFTAG_SAMPLEFORMAT == tegu::formats::kTiffSampleFormat);
static_assert(TIFFTAG_TILELENGTH == tegu::formats::kTiffTileLength);
#endif

namespace tegu {
namespace formats {
namespace {

// A little-endian file with one directory of LONG values, then the data of one strip or tile.
struct File {
    std::map<unsigned, std::uint32_t> tags = {{256, 3}, {257, 2}, {258, 8}, {259, 1}, {262, 1},
                                              {277, 1}, {278, 2}, {279, 6}, {339, 1}};
    std::string data = "abcdef";
    bool tiled = false;

    static std::string number(std::uint32_t value, int bytes) {
        std::string text;
        for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
        return text;
    }
    std::string text() const {
        std::map<unsigned, std::uint32_t> all = tags;
        const auto entries = static_cast<std::uint32_t>(all.size() + 1);
        all[tiled ? 324 : 273] = 8 + 2 + 12 * entries + 4;
        std::string file = std::string("II*\0", 4) + number(8, 4) + number(entries, 2);
        for (const auto& [tag, value] : all) {
            const bool is_short = tag == 258 || tag == 259 || tag == 262 || tag == 277 || tag == 339;
            file += number(tag, 2) + number(is_short ? 3 : 4, 2) + number(1, 4) + number(value, 4);
        }
        return file + number(0, 4) + data;
    }
};

std::string decoded(const File& file) {
    const std::string text = file.text();
    const Reader reader = text_reader(text);
    const Expected<TiffHeader> header = parse_tiff(reader);
    if (!header) return header.error().message;
    std::string samples(header->rows * header->cols * tegu_element_bytes(header->type), '\0');
    const Expected<void> done = decode_tiff(reader, *header, samples.data());
    return done ? samples : done.error().message;
}

class Tiff : public ::testing::Test {
  protected:
    void SetUp() override {
        const std::string text = File().text();
        const Expected<TiffHeader> header = parse_tiff(text_reader(text));
        if (!header && header.error().status == TEGU_UNAVAILABLE) GTEST_SKIP() << header.error().message;
    }
};

TEST_F(Tiff, OneStrip) {
    EXPECT_EQ(decoded(File()), "abcdef");
}

TEST_F(Tiff, AlphaIsDropped) {
    File file;
    file.tags[277] = 2;
    file.tags[256] = 2;
    file.tags[257] = 1;
    file.tags[279] = 4;
    file.data = "aXbY";
    EXPECT_EQ(decoded(file), "ab");
}

TEST_F(Tiff, TilesAreCutAtTheEdge) {
    File file;
    file.tiled = true;
    file.tags.erase(278);
    file.tags.erase(279);
    file.tags[322] = file.tags[323] = 16;
    file.tags[325] = 256;
    file.data = std::string(256, '.');
    file.data.replace(0, 3, "abc");
    file.data.replace(16, 3, "def");
    EXPECT_EQ(decoded(file), "abcdef");
}

TEST_F(Tiff, RefusesByName) {
    const auto with = [](unsigned tag, std::uint32_t value) {
        File file;
        file.tags[tag] = value;
        return decoded(file);
    };
    EXPECT_EQ(with(258, 1), ".tif: samples of 1 bits, format 1");
    EXPECT_EQ(with(339, 6), ".tif: samples of 8 bits, format 6");
    EXPECT_EQ(with(262, 0), ".tif: photometric interpretation 0");
    EXPECT_EQ(with(262, 2), ".tif: 1 samples in a pixel");
    EXPECT_EQ(with(277, 9), ".tif: 9 samples in a pixel");
    EXPECT_EQ(with(259, 7).substr(0, 6), ".tif: ");
    EXPECT_EQ(with(256, 0).substr(0, 6), ".tif: ");
    const std::string huge = with(256, 2000000000);
    EXPECT_EQ(huge.substr(0, 47), ".tif: the header announces 2000000000 x 2 pixel") << huge;
    File file;
    file.data = "abcde";
    EXPECT_EQ(decoded(file).substr(0, 6), ".tif: ");
    file = File();
    file.tiled = true;
    file.tags.erase(278);
    file.tags.erase(279);
    file.tags[322] = file.tags[323] = 1u << 20;
    file.tags[325] = 6;
    EXPECT_EQ(decoded(file), ".tif: tiles of 1048576 x 1048576 pixels");
}

TEST_F(Tiff, EveryTruncatedFileIsAnError) {
    const std::string whole = File().text();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::string text = whole.substr(0, size);
        const Reader reader = text_reader(text);
        const Expected<TiffHeader> header = parse_tiff(reader);
        if (!header) continue;
        std::string samples(header->rows * header->cols, '\0');
        EXPECT_FALSE(decode_tiff(reader, *header, samples.data())) << size;
    }
}

}  // namespace
}  // namespace formats
}  // namespace tegu
