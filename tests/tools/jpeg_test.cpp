// SPDX-License-Identifier: Apache-2.0
// JPEG files: their size without the library, and that a decoder gets what it announces. Decoding is skipped
// without libturbojpeg.
#include "tools/formats/jpeg.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/tools/text_reader.h"
#include "tools/formats/turbojpeg_abi.h"
#if __has_include(<turbojpeg.h>)
#include <turbojpeg.h>

#include <type_traits>

static_assert(std::is_same_v<decltype(&tjInitDecompress), TjInitDecompress*>);
static_assert(std::is_same_v<decltype(&tjDestroy), TjDestroy*>);
static_assert(std::is_same_v<decltype(&tjDecompressHeader3), TjDecompressHeader3*>);
static_assert(std::is_same_v<decltype(&tjDecompress2), TjDecompress2*>);
static_assert(std::is_same_v<decltype(&tjGetErrorStr), TjGetErrorStr*>);
static_assert(TJPF_GRAY == tegu::formats::kTjGray);
static_assert(TJFLAG_ACCURATEDCT == tegu::formats::kTjAccurateDct);
#ifdef TJFLAG_LIMITSCANS
static_assert(TJFLAG_LIMITSCANS == tegu::formats::kTjLimitScans);
#endif
#endif

namespace tegu {
namespace formats {
namespace {

using namespace std::string_literals;

// A segment of the size: 8 bits, rows, columns, components.
std::string size_segment(unsigned rows, unsigned cols, unsigned components, unsigned precision = 8) {
    std::string text = "\xff\xc0\x00\x0b"s;
    for (const unsigned value : {precision, rows >> 8, rows & 255, cols >> 8, cols & 255, components})
        text += static_cast<char>(value);
    return text + "\x01\x11\x00"s;
}

std::string message(const std::string& file) {
    const Expected<JpegHeader> header = parse_jpeg(text_reader(file));
    return header ? "accepted" : header.error().message;
}

TEST(JpegParse, FindsTheSizeBehindOtherSegments) {
    const std::string exif = "\xff\xe1\x00\x06"s + "abcd";
    const std::string file = "\xff\xd8"s + exif + "\xff\xff\xff" + exif.substr(1) + size_segment(2, 300, 3);
    const Expected<JpegHeader> header = parse_jpeg(text_reader(file));
    ASSERT_TRUE(header) << message(file);
    EXPECT_EQ(header->rows, 2u);
    EXPECT_EQ(header->cols, 300u);
    EXPECT_TRUE(header->colour);
}

TEST(JpegParse, RefusesByName) {
    const std::string start = "\xff\xd8"s;
    EXPECT_EQ(message(start + size_segment(65535, 65535, 1)),
              ".jpg: the header announces 65535 x 65535 pixels, which 15 bytes cannot hold");
    EXPECT_EQ(message(start + size_segment(2, 2, 1, 12)), ".jpg: samples of 12 bits");
    EXPECT_EQ(message(start + size_segment(2, 2, 4)), ".jpg: an image of 4 components");
    EXPECT_EQ(message(start + size_segment(0, 2, 1)), ".jpg: an image without pixels");
    EXPECT_EQ(message(start + "\xff\xda\x00\x08"s), ".jpg: no size stands before the image");
    EXPECT_EQ(message(start + "\xff\xe0\x00\x01"s), ".jpg: a segment of 1 bytes");
    EXPECT_EQ(message(start + "\xff\xe0\xff\xff"s), ".jpg: truncated: the file ends within the header");
    EXPECT_EQ(message(start + "abcdef"), ".jpg: no marker at byte 2");
    EXPECT_EQ(message("\xff\xd8\xff"s), ".jpg: truncated: the file ends within the header");
    std::string many = start;
    for (int i = 0; i < 20000; ++i) many += "\xff\xe0\x00\x02"s;
    EXPECT_EQ(message(many), ".jpg: more than 10000 segments before the size");
}

TEST(JpegDecode, RefusesWhatTheLibraryRefuses) {
    if (dlopen("libturbojpeg.so.0", RTLD_NOW) == nullptr) GTEST_SKIP() << "no libturbojpeg.so.0";
    const std::string file = "\xff\xd8"s + size_segment(8, 8, 1);
    const Expected<JpegHeader> header = parse_jpeg(text_reader(file));
    ASSERT_TRUE(header) << message(file);
    std::uint8_t samples[64];
    const Expected<void> decoded = decode_jpeg(file, *header, samples);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().message.substr(0, 6), ".jpg: ");
    EXPECT_EQ(decoded.error().field, "image");
}

}  // namespace
}  // namespace formats
}  // namespace tegu
