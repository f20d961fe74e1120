// SPDX-License-Identifier: Apache-2.0
// .npy headers: what NumPy writes is read, what we write is read back, and every way to be wrong has its own
// message.
#include "tools/formats/npy.h"

#include <gtest/gtest.h>

namespace tegu {
namespace formats {
namespace {

// A file: the header text in version `major`, and as many zero bytes of elements as asked.
std::string file_of(const std::string& dictionary, std::size_t data_bytes, int major = 1) {
    std::string file("\x93NUMPY", 6);
    file += static_cast<char>(major);
    file += '\0';
    const std::size_t size = dictionary.size() + 1;
    for (int i = 0; i < (major == 1 ? 2 : 4); ++i) file += static_cast<char>(size >> 8 * i & 0xff);
    return file + dictionary + "\n" + std::string(data_bytes, '\0');
}

std::string dictionary_of(const std::string& descr, const std::string& shape, const char* order = "False") {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

Expected<ArrayHeader> parse(const std::string& file) {
    return parse_npy(std::string_view(file).substr(0, kPrefixBytes), file.size());
}

std::string message(const std::string& file) {
    const Expected<ArrayHeader> header = parse(file);
    return header ? "accepted" : header.error().message + " [" + header.error().field + "]";
}

TEST(NpyParse, ElevenTypesAndBool) {
    const struct {
        const char* descr;
        int type;
        std::size_t bytes;
    } cases[] = {{"|u1", TEGU_U8, 1},  {"|i1", TEGU_I8, 1},  {"<u2", TEGU_U16, 2}, {"<i2", TEGU_I16, 2},
                 {"<u4", TEGU_U32, 4}, {"<i4", TEGU_I32, 4}, {"<u8", TEGU_U64, 8}, {"<i8", TEGU_I64, 8},
                 {"<f2", TEGU_F16, 2}, {"<f4", TEGU_F32, 4}, {"<f8", TEGU_F64, 8}, {"|b1", TEGU_U8, 1},
                 {">u1", TEGU_U8, 1},  {"=f4", TEGU_F32, 4}, {"f4", TEGU_F32, 4}};
    for (const auto& c : cases) {
        const std::string file =
            file_of(dictionary_of("'" + std::string(c.descr) + "'", "(2, 3)"), 6 * c.bytes);
        const Expected<ArrayHeader> header = parse(file);
        ASSERT_TRUE(header) << c.descr << ": " << message(file);
        EXPECT_EQ(header->type, c.type) << c.descr;
        EXPECT_EQ(header->shape, (std::vector<std::uint64_t>{2, 3}));
        EXPECT_EQ(header->bytes, 6 * c.bytes);
        EXPECT_EQ(header->offset + header->bytes, file.size());
        EXPECT_FALSE(header->column_major);
    }
}

TEST(NpyParse, VersionsTwoAndThreeHaveALongerLength) {
    for (const int major : {1, 2, 3}) {
        const Expected<ArrayHeader> header = parse(file_of(dictionary_of("'<f4'", "(5,)"), 20, major));
        ASSERT_TRUE(header) << major;
        EXPECT_EQ(header->bytes, 20u);
    }
}

TEST(NpyParse, ShapesOfEveryKind) {
    const struct {
        const char* text;
        std::vector<std::uint64_t> shape;
        std::size_t elements;
    } cases[] = {{"()", {}, 1},
                 {"(0,)", {0}, 0},
                 {"(7,)", {7}, 7},
                 {"(7L, 2L)", {7, 2}, 14},
                 {"(2,3)", {2, 3}, 6},
                 {"(2, 3,)", {2, 3}, 6},
                 {"(2, 0, 9)", {2, 0, 9}, 0},
                 {"( 1 , )", {1}, 1}};
    for (const auto& c : cases) {
        const Expected<ArrayHeader> header = parse(file_of(dictionary_of("'|u1'", c.text), c.elements));
        ASSERT_TRUE(header) << c.text << message(file_of(dictionary_of("'|u1'", c.text), c.elements));
        EXPECT_EQ(header->shape, c.shape) << c.text;
        EXPECT_EQ(header->bytes, c.elements) << c.text;
    }
}

TEST(NpyParse, KeysInAnyOrderAndBothQuotes) {
    const std::string file = file_of("{\"shape\":(3,),'fortran_order':True,\"descr\":'<i2'}   ", 6);
    const Expected<ArrayHeader> header = parse(file);
    ASSERT_TRUE(header) << message(file);
    EXPECT_TRUE(header->column_major);
}

TEST(NpyParse, KnowsTheByteOrder) {
    for (const auto& [descr, big] : {std::pair{"'>f4'", true}, {"'<f4'", false}, {"'=f4'", false}}) {
        const std::string file = file_of(dictionary_of(descr, "(1,)"), 4);
        const Expected<ArrayHeader> header = parse_npy(file, file.size());
        ASSERT_TRUE(header) << descr;
        EXPECT_EQ(header->type, TEGU_F32);
        EXPECT_EQ(header->big_endian, big) << descr;
    }
}

TEST(NpyParse, RefusesByName) {
    const struct {
        std::string file, message;
    } cases[] = {
        {file_of(dictionary_of("'<c8'", "(1,)"), 8), ".npy: element type '<c8' is not known here [descr]"},
        {file_of(dictionary_of("'|O'", "(1,)"), 8), ".npy: element type '|O' is not known here [descr]"},
        {file_of(dictionary_of("'<U99'", "(1,)"), 8), ".npy: element type '<U99' is not known here [descr]"},
        {file_of(dictionary_of("'\x1b[31mred'", "(1,)"), 8),
         ".npy: element type '?[31mred' is not known here [descr]"},
        {file_of(dictionary_of("[('a', '<f4')]", "(1,)"), 4),
         ".npy: a structured array; save one of its fields [descr]"},
        {file_of(dictionary_of("'<f4'", "(3,)"), 11),
         ".npy: truncated: the header announces 12 bytes of elements, the file holds 11 [bytes]"},
        {file_of(dictionary_of("'<f4'", "(3,)"), 13),
         ".npy: 1 bytes follow the elements of the shape [bytes]"},
        {file_of(dictionary_of("'<f8'", "(9223372036854775807,)"), 8),
         ".npy: 'shape' is not a tuple of at most 32 integers of 63 bits [header]"},
        {file_of(dictionary_of("'<f8'", "(4611686018427387904,)"), 8),
         ".npy: the shape does not fit into memory [shape]"},
        {file_of(dictionary_of("'<f8'", "(4294967296, 4294967296)"), 8),
         ".npy: the shape does not fit into memory [shape]"},
        {file_of(dictionary_of("'<f8'", "(4294967296, 4294967296, 0)"), 0),
         ".npy: the shape does not fit into memory [shape]"},
        {file_of(dictionary_of("'<f4'", "(-1,)"), 4),
         ".npy: 'shape' is not a tuple of at most 32 integers of 63 bits [header]"},
        {file_of(dictionary_of("'<f4'", "(1"), 4),
         ".npy: 'shape' is not a tuple of at most 32 integers of 63 bits [header]"},
        {file_of(dictionary_of("'<f4'", "3"), 12),
         ".npy: 'shape' is not a tuple of at most 32 integers of 63 bits [header]"},
        {file_of(dictionary_of("'<f4'", "(3)"), 12),
         ".npy: 'shape' is not a tuple of at most 32 integers of 63 bits [header]"},
        {file_of(dictionary_of("'<f4'", "(1,)", "0"), 4),
         ".npy: 'fortran_order' is neither True nor False [header]"},
        {file_of("{'descr': '<f4', 'shape': (1,), }", 4),
         ".npy: the header lacks one of 'descr', 'fortran_order', 'shape' [header]"},
        {file_of("{'descr': '<f4', 'descr': '<f4', }", 4),
         ".npy: key 'descr' is unknown or stands there twice [header]"},
        {file_of("{'extra': 1, }", 4), ".npy: key 'extra' is unknown or stands there twice [header]"},
        {file_of("__import__('os')", 4), ".npy: the header is not a dictionary [header]"},
        {file_of("{'descr': '<f4'", 4), ".npy: the header is not a dictionary [header]"},
        {file_of(dictionary_of("'<f4'", "(1,)") + " x", 4),
         ".npy: text after the dictionary of the header [header]"},
        {file_of(dictionary_of("'<f4'", "(1,)"), 4, 4), ".npy: version 4.0 is not known here [version]"},
        {file_of(dictionary_of("'<f4'", "(1,)"), 4, 0), ".npy: version 0.0 is not known here [version]"},
        {file_of(std::string(70000, ' '), 4, 2), ".npy: a header of 70001 bytes [header]"},
        {"PK\x03\x04", ".npy: the magic string is missing [header]"},
        {"", ".npy: the magic string is missing [header]"},
    };
    for (const auto& c : cases) EXPECT_EQ(message(c.file), c.message);
}

TEST(NpyParse, EveryCutIsRefused) {
    for (const int major : {1, 2}) {
        const std::string file = file_of(dictionary_of("'<f4'", "(3,)"), 12, major);
        ASSERT_TRUE(parse(file));
        for (std::size_t size = 0; size < file.size(); ++size)
            EXPECT_FALSE(parse(std::string(file, 0, size))) << "version " << major << " cut to " << size;
    }
}

TEST(NpyParse, AHeaderLengthBeyondTheFileIsRefused) {
    std::string file = file_of(dictionary_of("'<f4'", "(1,)"), 4, 2);
    file[8] = file[9] = file[10] = file[11] = '\xff';
    EXPECT_EQ(message(file), ".npy: a header of 4294967295 bytes [header]");
    file[10] = file[11] = '\0';
    EXPECT_EQ(message(file), ".npy: truncated: the file ends within the header [header]");
}

TEST(NpyEncode, ReadsBack) {
    const std::vector<std::vector<std::uint64_t>> shapes = {{}, {0}, {5}, {2, 3}, {1, 1000000, 7}};
    for (const auto& shape : shapes) {
        const std::string header = encode_npy_header({{"", TEGU_I16, 1}}, shape);
        EXPECT_EQ(header.size() % 64, 0u);
        std::uint64_t bytes = 2;
        for (const std::uint64_t extent : shape) bytes *= extent;
        const Expected<ArrayHeader> parsed = parse_npy(header, header.size() + bytes);
        ASSERT_TRUE(parsed) << header << parsed.error().message;
        EXPECT_EQ(parsed->shape, shape);
        EXPECT_EQ(parsed->type, TEGU_I16);
        EXPECT_EQ(parsed->offset, header.size());
    }
}

TEST(NpyEncode, StructuredColumns) {
    const std::string header = encode_npy_header({{"sum", TEGU_F64, 1}, {"minmax", TEGU_U8, 2}}, {4});
    EXPECT_NE(
        header.find(
            "{'descr': [('sum', '<f8'), ('minmax', '|u1', (2,))], 'fortran_order': False, 'shape': (4,), }"),
        std::string::npos)
        << header;
}

}  // namespace
}  // namespace formats
}  // namespace tegu
