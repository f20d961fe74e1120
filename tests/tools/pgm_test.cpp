// SPDX-License-Identifier: Apache-2.0
// PGM files, binary and text: what is read, what is refused and by which name, and that what is written reads
// back.
#include "tools/formats/pgm.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tegu {
namespace formats {
namespace {

Expected<PgmHeader> parse(const std::string& file) {
    return parse_pgm(std::string_view(file).substr(0, kPrefixBytes), file.size());
}

std::string message(const std::string& file) {
    const Expected<PgmHeader> header = parse(file);
    return header ? "accepted" : header.error().message + " [" + header.error().field + "]";
}

TEST(PgmParse, Binary8) {
    const std::string file = "P5\n3 2\n255\nabcdef";
    const Expected<PgmHeader> header = parse(file);
    ASSERT_TRUE(header) << message(file);
    EXPECT_EQ(header->array.type, TEGU_U8);
    EXPECT_EQ(header->array.shape, (std::vector<std::uint64_t>{2, 3}));
    EXPECT_EQ(file.substr(header->array.offset, header->array.bytes), "abcdef");
    EXPECT_FALSE(header->array.big_endian);
}

TEST(PgmParse, Binary16IsBigEndian) {
    const Expected<PgmHeader> header = parse("P5 1 2 256 abcd");
    ASSERT_TRUE(header);
    EXPECT_EQ(header->array.type, TEGU_U16);
    EXPECT_TRUE(header->array.big_endian);
    EXPECT_EQ(header->array.bytes, 4u);
}

TEST(PgmParse, CommentsStandAnywhereInTheHeader) {
    const std::string file = "P5# one\n#two\r3#three\n \t2\n# 9 9\n255\nabcdef";
    const Expected<PgmHeader> header = parse(file);
    ASSERT_TRUE(header) << message(file);
    EXPECT_EQ(file.substr(header->array.offset), "abcdef");
}

TEST(PgmParse, FirstByteOfTheRasterMayLookLikeABlank) {
    const std::string file = "P5 2 1 255\n\n#";
    const Expected<PgmHeader> header = parse(file);
    ASSERT_TRUE(header);
    EXPECT_EQ(file.substr(header->array.offset, 2), "\n#");
}

TEST(PgmParse, OfSeveralImagesTheFirst) {
    const Expected<PgmHeader> header = parse("P5 1 1 255\naP5 1 1 255\nb");
    ASSERT_TRUE(header);
    EXPECT_EQ(header->array.bytes, 1u);
}

TEST(PgmParse, RefusesByName) {
    const struct {
        std::string file, message;
    } cases[] = {
        {"P4 1 1\na",
         "a netpbm image of kind P4 is not of grey or colour; convert it, e.g. with pnmtopnm or pamtopnm "
         "[format]"},
        {"P6 1 1 255\nab",
         ".pgm: truncated: the header announces 3 bytes of elements, the file holds 2 [bytes]"},
        {"P6 1 1 65535\nabcde",
         ".pgm: truncated: the header announces 6 bytes of elements, the file holds 5 [bytes]"},
        {"P6 4294967295 2147483647 255\nx", ".pgm: the image does not fit into memory [width]"},
        {"P3 1 1 255\n1 2",
         ".pgm (text): truncated: the header announces 5 bytes of elements, the file holds 3 [bytes]"},
        {"P5 3 2 255\nabcde",
         ".pgm: truncated: the header announces 6 bytes of elements, the file holds 5 [bytes]"},
        {"P5 3 2 65535\nabcdefghijk",
         ".pgm: truncated: the header announces 12 bytes of elements, the file holds 11 [bytes]"},
        {"P5 4294967295 4294967295 65535\nx", ".pgm: the image does not fit into memory [width]"},
        {"P5 4294967295 1 255\nx",
         ".pgm: truncated: the header announces 4294967295 bytes of elements, the file holds 1 [bytes]"},
        {"P5 4294967296 1 255\nx", ".pgm: width, height or maximum is not a number [header]"},
        {"P5 0 1 255\nx", ".pgm: an image without pixels [width]"},
        {"P5 1 0 255\nx", ".pgm: an image without pixels [width]"},
        {"P5 1 1 0\nx", ".pgm: a maximum of 0 [maximum]"},
        {"P5 1 1 65536\nx", ".pgm: a maximum of 65536 [maximum]"},
        {"P5 -1 1 255\nx", ".pgm: width, height or maximum is not a number [header]"},
        {"P5 1 1 255", ".pgm: truncated: the file ends within the header [header]"},
        {"P5 1 1 ", ".pgm: truncated: the file ends within the header [header]"},
        {"P5 1 1 255x", ".pgm: no blank after the maximum [header]"},
        {"P5 # no end", ".pgm: truncated: the file ends within the header [header]"},
        {"P5", ".pgm: the magic number is missing [header]"},
        {"P55 1 1 255\nx", ".pgm: the magic number is missing [header]"},
        {"P2 100 100 255\n1 2 3",
         ".pgm (text): truncated: the header announces 19999 bytes of elements, the file holds 5 [bytes]"},
    };
    for (const auto& c : cases) EXPECT_EQ(message(c.file), c.message) << c.file;
}

TEST(PgmText, Decodes) {
    const std::string file = "P2 # text\n3 2\n999\n0 1 2\n\t007 999\r\n5";
    const Expected<PgmHeader> header = parse(file);
    ASSERT_TRUE(header) << message(file);
    EXPECT_TRUE(header->text);
    EXPECT_EQ(header->array.type, TEGU_U16);
    std::vector<std::uint16_t> samples(6);
    ASSERT_TRUE(decode_pgm_text(file, *header, samples.data()));
    EXPECT_EQ(samples, (std::vector<std::uint16_t>{0, 1, 2, 7, 999, 5}));
}

TEST(PgmText, ColourBecomesItsLuma) {
    const std::string file = "P3\n2 1\n255\n255 0 0 0 255 0\n";
    const Expected<PgmHeader> header = parse(file);
    ASSERT_TRUE(header) << message(file);
    std::uint8_t samples[2];
    ASSERT_TRUE(decode_pgm_text(file, *header, samples));
    EXPECT_EQ(samples[0], 76);
    EXPECT_EQ(samples[1], 150);
}

TEST(PpmPixels, BecomeTheirLuma) {
    const Expected<PgmHeader> bytes = parse("P6 2 1 255\nabcdef");
    ASSERT_TRUE(bytes);
    EXPECT_EQ(bytes->array.bytes, 2u);
    std::uint8_t small[2];
    decode_ppm_pixels("\xff\0\0\0\xff\0", 2, *bytes, small);
    EXPECT_EQ(small[0], 76);
    EXPECT_EQ(small[1], 150);
    const Expected<PgmHeader> words = parse("P6 1 1 65535\nabcdef");
    ASSERT_TRUE(words);
    EXPECT_EQ(words->array.type, TEGU_U16);
    std::uint16_t large = 0;
    decode_ppm_pixels("\xff\xff\0\0\0\0", 1, *words, &large);
    EXPECT_EQ(large, (19595u * 65535u + 32768u) >> 16);
}

TEST(PgmText, RefusesByName) {
    const struct {
        std::string file, message;
    } cases[] = {
        {"P2 3 1 255\n1 2      ", ".pgm: truncated: the file ends before sample 2 of 3"},
        {"P2 3 1 255\n1 x 3", ".pgm: sample 1 of 3 is not a number"},
        {"P2 3 1 255\n1 2x 3", ".pgm: sample 2 of 3 is not a number"},
        {"P2 3 1 15\n1 16 3", ".pgm: sample 1 is 16, above the maximum of the header"},
        {"P2 1 1 15\n99999999999999999999", ".pgm: sample 0 of 1 is not a number"},
    };
    for (const auto& c : cases) {
        const Expected<PgmHeader> header = parse(c.file);
        ASSERT_TRUE(header) << message(c.file);
        std::vector<std::uint16_t> samples(3);
        const Expected<void> decoded = decode_pgm_text(c.file, *header, samples.data());
        ASSERT_FALSE(decoded) << c.file;
        EXPECT_EQ(decoded.error().message, c.message);
    }
}

TEST(PgmEncode, ReadsBack) {
    const std::string file = encode_pgm_header(2, 3, 255, "entropy 0 .. 4 bit") + "abcdef";
    const Expected<PgmHeader> header = parse(file);
    ASSERT_TRUE(header) << message(file);
    EXPECT_EQ(header->array.shape, (std::vector<std::uint64_t>{2, 3}));
    EXPECT_EQ(file.substr(header->array.offset), "abcdef");
}

}  // namespace
}  // namespace formats
}  // namespace tegu
