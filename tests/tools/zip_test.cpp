// SPDX-License-Identifier: Apache-2.0
// Archives of arrays: stored and deflated members, ZIP64, and archives that lie about themselves.
#include "tools/formats/zip.h"

#include <gtest/gtest.h>

#include "tests/tools/text_reader.h"

namespace tegu {
namespace formats {
namespace {

std::string number(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
    return text;
}

std::uint32_t crc_of(const std::string& text) {
    std::uint32_t crc = ~0u;
    for (const char c : text) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
    }
    return ~crc;
}

// Deflate without compression: one stored block.
std::string deflated(const std::string& text) {
    return '\x01' + number(text.size(), 2) + number(~text.size(), 2) + text;
}

struct Archive {
    std::string name = "a.npy", data = "hello", extra;
    unsigned method = 0, flags = 0;
    std::uint64_t bytes = 5, packed = 5, offset = 0;
    std::uint64_t entries = 1;
    std::uint32_t crc = crc_of("hello");
    std::string comment, end64;

    std::string text() const {
        std::string file = "PK\x03\x04" + number(20, 2) + number(flags, 2) + number(method, 2) +
                           number(0, 4) + number(crc, 4) + number(packed, 4) + number(bytes, 4) +
                           number(name.size(), 2) + number(0, 2) + name + data;
        const std::size_t begin = file.size();
        file += "PK\x01\x02" + number(20, 2) + number(20, 2) + number(flags, 2) + number(method, 2) +
                number(0, 4) + number(crc, 4) + number(packed, 4) + number(bytes, 4) +
                number(name.size(), 2) + number(extra.size(), 2) + number(0, 10) + number(offset, 4) + name +
                extra;
        const std::size_t size = file.size() - begin;
        file += end64;
        return file + "PK\x05\x06" + number(0, 4) + number(entries, 2) + number(entries, 2) +
               number(size, 4) + number(begin, 4) + number(comment.size(), 2) + comment;
    }
};

std::string message(const std::string& file) {
    const Expected<std::vector<ZipMember>> members = list_zip(text_reader(file));
    return members ? "accepted" : members.error().message;
}

std::string unpacked(const std::string& file) {
    const Reader reader = text_reader(file);
    const Expected<std::vector<ZipMember>> members = list_zip(reader);
    if (!members || members->empty()) return "no member";
    std::string text;
    const Expected<void> done =
        inflate_member(reader, members->front(), [&](const char* at, std::size_t size) {
            text.append(at, size);
            return true;
        });
    return done ? text : done.error().message;
}

TEST(Zip, StoredMemberLiesInTheFile) {
    Archive archive;
    archive.comment = "a comment";
    const std::string file = archive.text();
    const Expected<std::vector<ZipMember>> members = list_zip(text_reader(file));
    ASSERT_TRUE(members) << message(file);
    ASSERT_EQ(members->size(), 1u);
    EXPECT_EQ(members->front().name, "a.npy");
    EXPECT_FALSE(members->front().deflated);
    const Expected<std::uint64_t> offset = data_offset(text_reader(file), members->front());
    ASSERT_TRUE(offset);
    EXPECT_EQ(file.substr(*offset, members->front().bytes), "hello");
}

TEST(Zip, DeflatedMemberIsInflatedAndChecked) {
    Archive archive;
    archive.method = 8;
    archive.data = deflated("hello");
    archive.packed = archive.data.size();
    EXPECT_EQ(unpacked(archive.text()), "hello");
    archive.crc ^= 1;
    EXPECT_EQ(unpacked(archive.text()), ".npz: member 'a.npy' is damaged: its check sum differs");
    archive.crc ^= 1;
    archive.bytes = 4;  // more comes out than is announced
    EXPECT_EQ(unpacked(archive.text()), ".npz: member 'a.npy' is damaged");
    archive.bytes = 6;
    EXPECT_EQ(unpacked(archive.text()), ".npz: member 'a.npy' is damaged: its check sum differs");
    archive.bytes = 5;
    archive.packed = 7;  // ends within the data
    EXPECT_EQ(unpacked(archive.text()), ".npz: member 'a.npy' is damaged");
}

TEST(Zip, SinkEndsTheWork) {
    Archive archive;
    archive.method = 8;
    archive.data = deflated("hello");
    archive.packed = archive.data.size();
    const std::string file = archive.text();
    const Reader reader = text_reader(file);
    const Expected<std::vector<ZipMember>> members = list_zip(reader);
    ASSERT_TRUE(members);
    EXPECT_TRUE(inflate_member(reader, members->front(), [](const char*, std::size_t) { return false; }));
}

TEST(Zip, Zip64ExtraHasTheSizes) {
    Archive archive;
    archive.bytes = archive.packed = UINT32_MAX;
    archive.extra = number(1, 2) + number(16, 2) + number(5, 8) + number(5, 8);
    const std::string file = archive.text();
    const Expected<std::vector<ZipMember>> members = list_zip(text_reader(file));
    ASSERT_TRUE(members) << message(file);
    EXPECT_EQ(members->front().bytes, 5u);
    archive.extra = number(1, 2) + number(8, 2) + number(5, 8);  // one of two values
    EXPECT_EQ(message(archive.text()), ".npz: the list of members is damaged");
    archive.extra = number(1, 2) + number(99, 2) + number(5, 8);
    EXPECT_EQ(message(archive.text()), ".npz: the list of members is damaged");
}

TEST(Zip, RefusesByName) {
    const auto with = [](auto change) {
        Archive archive;
        change(archive);
        return message(archive.text());
    };
    EXPECT_EQ(with([](Archive& a) { a.flags = 1; }), ".npz: member 'a.npy' is encrypted");
    EXPECT_EQ(with([](Archive& a) { a.method = 12; }), ".npz: member 'a.npy' has compression 12");
    EXPECT_EQ(with([](Archive& a) { a.entries = 2; }), ".npz: the list of members is damaged");
    EXPECT_EQ(with([](Archive& a) { a.bytes = 4000000; }),
              ".npz: member 'a.npy' announces 4000000 bytes, which 5 packed ones cannot hold");
    // A bomb: more than deflate can make of it.
    EXPECT_EQ(with([](Archive& a) {
                  a.method = 8;
                  a.bytes = 4000000000;
              }),
              ".npz: member 'a.npy' announces 4000000000 bytes, which 5 packed ones cannot hold");
    EXPECT_EQ(with([](Archive& a) { a.packed = 4000000; }), ".npz: member 'a.npy' is not inside the file");
    EXPECT_EQ(with([](Archive& a) {
                  a.name = std::string("a\033[2J\n") + ".npy";
                  a.flags = 1;
              }),
              ".npz: member 'a?[2J?.npy' is encrypted");
    EXPECT_EQ(
        with([](Archive& a) { a.end64 = "PK\x06\x07" + number(0, 4) + number(1u << 30, 8) + number(1, 4); }),
        ".npz: the end of the archive is not inside the file");
    EXPECT_EQ(with([](Archive& a) { a.end64 = "PK\x06\x07" + number(0, 4) + number(0, 8) + number(1, 4); }),
              ".npz: the end of the archive is damaged");
    const std::string file = Archive().text();
    for (std::size_t size = 0; size < file.size(); ++size)
        EXPECT_NE(message(file.substr(0, size)), "accepted") << size;
}

TEST(Zip, LocalHeaderMustLieInTheFile) {
    for (const std::uint64_t offset : {std::uint64_t{1}, std::uint64_t{100}, std::uint64_t{4000000}}) {
        Archive archive;
        archive.offset = offset;
        const std::string file = archive.text();
        const Expected<std::vector<ZipMember>> members = list_zip(text_reader(file));
        ASSERT_TRUE(members);
        EXPECT_FALSE(data_offset(text_reader(file), members->front())) << offset;
    }
}

}  // namespace
}  // namespace formats
}  // namespace tegu
