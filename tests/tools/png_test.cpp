// SPDX-License-Identifier: Apache-2.0
// PNG: what we write is read back; files of other kinds (sixteen bits, colour, alpha, palettes, interlaced)
// are made by cli_files_test.py and read end to end; here the malformed ones.
#include "tools/formats/png.h"

#include <gtest/gtest.h>

namespace tegu {
namespace formats {
namespace {

Picture gradient(std::uint32_t rows, std::uint32_t cols, std::uint32_t channels) {
    Picture picture;
    picture.rows = rows;
    picture.cols = cols;
    picture.channels = channels;
    for (std::uint32_t i = 0; i < rows * cols * channels; ++i)
        picture.pixels.push_back(static_cast<std::uint8_t>(i * 7 % 251));
    return picture;
}

std::string encoded(const Picture& picture) {
    Expected<std::string> file = encode_png(picture, "a test");
    EXPECT_TRUE(file) << file.error().message;
    return file ? *file : std::string();
}

std::string message(const std::string& file) {
    const Expected<PngHeader> header = parse_png(std::string_view(file).substr(0, kPrefixBytes), file.size());
    if (!header) return header.error().message;
    std::vector<std::uint16_t> samples(header->rows * header->cols);
    const Expected<void> decoded = decode_png(file, *header, samples.data());
    return decoded ? "accepted" : decoded.error().message;
}

TEST(Png, GreyReadsBack) {
    for (const std::uint32_t cols : {1u, 7u, 300u}) {
        const Picture picture = gradient(5, cols, 1);
        const std::string file = encoded(picture);
        const Expected<PngHeader> header = parse_png(file, file.size());
        ASSERT_TRUE(header);
        EXPECT_EQ(header->type, TEGU_U8);
        EXPECT_EQ(header->rows, 5u);
        EXPECT_EQ(header->cols, cols);
        EXPECT_FALSE(header->colour);
        std::vector<std::uint8_t> samples(header->rows * header->cols);
        ASSERT_TRUE(decode_png(file, *header, samples.data()));
        EXPECT_EQ(samples, picture.pixels);
    }
}

TEST(Png, ColourBecomesLuma) {
    Picture picture;
    picture.rows = 1;
    picture.cols = 4;
    picture.channels = 3;
    picture.pixels = {255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255};
    const std::string file = encoded(picture);
    const Expected<PngHeader> header = parse_png(file, file.size());
    ASSERT_TRUE(header);
    EXPECT_TRUE(header->colour);
    std::vector<std::uint8_t> samples(4);
    ASSERT_TRUE(decode_png(file, *header, samples.data()));
    EXPECT_EQ(samples, (std::vector<std::uint8_t>{255, 76, 150, 29}));
}

TEST(Png, EveryCutIsRefused) {
    const std::string file = encoded(gradient(3, 5, 1));
    ASSERT_EQ(message(file), "accepted");
    for (std::size_t size = 0; size < file.size(); ++size)
        EXPECT_NE(message(file.substr(0, size)), "accepted") << size;
}

TEST(Png, ALyingHeaderIsRefusedBeforeAnyoneAllocates) {
    std::string file = encoded(gradient(3, 5, 1));
    file[18] = '\x0f';  // a width of 3840 + 5 pixels, a height of about 1 million
    file[21] = '\x0f';
    EXPECT_EQ(message(file).substr(0, 36), ".png: the header announces 3845 x 98");
    file[16] = '\x7f';
    EXPECT_EQ(message(file).substr(0, 17), ".png: an image of");
}

// A chunk that changes no pixel may announce any length: nobody allocates it. libpng skips it, or (1.6.37)
// refuses it by the limit of chunks.
TEST(Png, AChunkThatLiesAboutItsLengthIsNotAllocated) {
    std::string file = encoded(gradient(3, 5, 1));
    file.insert(33, std::string("\x7f\xff\xff\xfesPLT", 8) + std::string(64, 'x'));
    const std::string said = message(file);
    if (said == ".png: sPLT: chunk data is too large") return;
    EXPECT_EQ(said, ".png: truncated: the file ends within the image");
}

TEST(Png, RefusesByName) {
    const std::string file = encoded(gradient(3, 5, 1));
    std::string flipped = file;
    // in the pixels: a checksum fails
    flipped[flipped.size() - 20] = static_cast<char>(flipped[flipped.size() - 20] ^ 1);
    EXPECT_NE(message(flipped), "accepted");
    EXPECT_EQ(message("\x89PNG\r\n\x1a\n"), ".png: truncated: the file ends within the header");
    EXPECT_EQ(message("\x89PNG\n"), ".png: the signature is missing");
    std::string depth = file;
    depth[24] = 3;
    EXPECT_EQ(message(depth), ".png: unknown depth or colour type in the header");
    std::string chunk = file;
    chunk[12] = 'J';
    EXPECT_EQ(message(chunk), ".png: the first chunk is not the header of an image");
    EXPECT_EQ(message(file.substr(0, file.size() - 20)), ".png: truncated: the file ends within the image");
}

TEST(Png, AnEmptyPictureCannotBeWritten) {
    const Expected<std::string> file = encode_png(Picture(), "");
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().message.substr(0, 23), "cannot encode a .png: I");
}

}  // namespace
}  // namespace formats
}  // namespace tegu
