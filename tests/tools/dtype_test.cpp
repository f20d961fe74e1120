// SPDX-License-Identifier: Apache-2.0
// Words for element types: ours, NumPy's names and codes, and what is none of them.
#include "tools/formats/dtype.h"

#include <gtest/gtest.h>

#include "client/tegu.hpp"

namespace tegu {
namespace formats {
namespace {

std::string described(const std::optional<Dtype>& dtype) {
    if (!dtype) return "none";
    return std::string(tegu_element_word(dtype->type)) + (dtype->big_endian ? " big-endian" : "");
}

TEST(Dtype, TakesWordsOfBothWorlds) {
    const struct {
        const char *word, *meaning;
    } cases[] = {
        {"f32", "f32"},
        {"float32", "f32"},
        {"f4", "f32"},
        {"<f4", "f32"},
        {"=f4", "f32"},
        {">f4", "f32 big-endian"},
        {"single", "f32"},
        {"double", "f64"},
        {"float", "f64"},
        {"half", "f16"},
        {"int32", "i32"},
        {"i4", "i32"},
        {"<i4", "i32"},
        {"uint16", "u16"},
        {"int", "i64"},
        {"bool", "u8"},
        {"|b1", "u8"},
        {">u1", "u8"},
        {">i2", "i16 big-endian"},
        // Ours before NumPy's: 8 bits, not 8 bytes. With a byte order it is NumPy's.
        {"u8", "u8"},
        {"i8", "i8"},
        {"<u8", "u64"},
        {"<i8", "i64"},
        {"f8", "f64"},
        {"c8", "none"},
        {"", "none"},
        {"<", "none"},
        {"<f32", "none"},
        {"float128", "none"},
        {"F32", "none"},
        {"nan", "none"},
    };
    for (const auto& c : cases) EXPECT_EQ(described(parse_dtype(c.word)), c.meaning) << c.word;
}

TEST(Dtype, DescriptionsOfFilesAreCodesAlone) {
    EXPECT_EQ(described(parse_descr("u8")), "u64");
    EXPECT_EQ(described(parse_descr("<i8")), "i64");
    EXPECT_EQ(described(parse_descr("float32")), "none");
}

TEST(Dtype, EveryElementTypeHasACode) {
    int found = 0;
    for (unsigned type = 1; type < 256; ++type) {
        if (tegu_element_word(static_cast<std::uint8_t>(type)) == nullptr) continue;
        const char* code = numpy_code(static_cast<std::uint8_t>(type));
        ASSERT_NE(code, nullptr) << type;
        const std::optional<Dtype> back = parse_descr(code);
        EXPECT_TRUE(back && back->type == type) << code;
        ++found;
    }
    EXPECT_EQ(found, 11);
}

}  // namespace
}  // namespace formats
}  // namespace tegu
