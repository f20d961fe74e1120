// SPDX-License-Identifier: Apache-2.0
// Counts small keys, eight bytes of keys at a time. One addition counts a word whose keys are all equal,
// because flat data would otherwise be slowest. Bit planes (byte_planes.h) count bytes where they cost less
// than a store per byte.
//
// The number of cache lines that the counters touch limits the speed of bytes. So their counters have 16 bits
// and are added to the totals block by block.
#include "kernels/counting/cpu/key_counts.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace tegu::kernels {
namespace {

constexpr std::uint32_t kFewKeys = 2048;  // four tables are 32 KiB, and fit L1

unsigned tables_of(std::uint32_t keys) {
    return keys <= kFewKeys ? 4 : 1;
}

std::size_t pitch_of(std::uint32_t keys) {
    return (static_cast<std::size_t>(keys) + 15) / 16 * 16;
}

std::uint64_t load_word(const std::byte* source) {
    std::uint64_t word;
    std::memcpy(&word, source, sizeof word);
    return word;
}

template <class Key>
std::size_t key_at(std::uint64_t word, unsigned position) {
    return static_cast<Key>(word >> (8 * sizeof(Key) * position));
}

// The order of keys within a word is arbitrary, so byte order does not matter.
template <class Key, unsigned Tables>
void count_words(const std::byte* source, std::size_t words, std::uint32_t* counters, std::size_t pitch) {
    constexpr unsigned kKeysPerWord = sizeof(std::uint64_t) / sizeof(Key);
    constexpr unsigned kKeyBits = 8 * sizeof(Key);
    for (std::size_t i = 0; i < words; ++i) {
        const std::uint64_t word = load_word(source + i * sizeof word);
        if (word == ((word << kKeyBits) | (word >> (64 - kKeyBits)))) {
            counters[key_at<Key>(word, 0)] += kKeysPerWord;
            continue;
        }
        for (unsigned position = 0; position < kKeysPerWord; ++position)
            ++counters[position % Tables * pitch + key_at<Key>(word, position)];
    }
}

constexpr std::uint32_t kByteKeys = 256;
// keys that come before the planes: these cost a microsecond at the end
constexpr std::uint64_t kPlanesFrom = 16384;
constexpr std::size_t kByteBlock = 32768;  // below 2^16
constexpr std::size_t kFewBytes = 1024;
constexpr unsigned kByteTables = 3;  // measured: 2 are slower for runs and bell curves, 4 for uniform data

bool is_one_byte(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    return ((a ^ b) | (c ^ d) | (a ^ c) | (a ^ ((a << 8) | (a >> 56)))) == 0;
}

// Bytes First .. First + 7 of `source`, each loaded separately: faster than extracting them from words.
template <unsigned First>
inline void count_eight(const std::byte* source, std::uint16_t (*tables)[256]) {
    for (unsigned position = First; position < First + 8; ++position)
        ++tables[position % kByteTables][std::to_integer<std::uint8_t>(source[position])];
}

void count_byte_block(const std::byte* source, std::size_t n, std::uint32_t* counters) {
    alignas(64) std::uint16_t tables[kByteTables][256] = {};
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32) {
        const std::uint64_t a = load_word(source + i), b = load_word(source + i + 8);
        const std::uint64_t c = load_word(source + i + 16), d = load_word(source + i + 24);
        if (is_one_byte(a, b, c, d)) {
            tables[0][key_at<std::uint8_t>(a, 0)] =
                static_cast<std::uint16_t>(tables[0][key_at<std::uint8_t>(a, 0)] + 32);
            continue;
        }
        count_eight<0>(source + i, tables);
        count_eight<8>(source + i, tables);
        count_eight<16>(source + i, tables);
        count_eight<24>(source + i, tables);
    }
    for (; i < n; ++i) ++tables[0][std::to_integer<std::uint8_t>(source[i])];
    for (unsigned key = 0; key < 256; ++key)
        counters[key] += std::uint32_t{tables[0][key]} + tables[1][key] + tables[2][key];
}

// True if all bytes of a block are equal. Another process may write it meanwhile: then either result is
// valid.
bool is_flat(const std::byte* block) {
    return block[0] == block[kPlaneBlock - 1] && std::memcmp(block, block + 1, kPlaneBlock - 1) == 0;
}

bool counts_planes(std::uint32_t keys) {
    return keys == kByteKeys && has_byte_planes();
}

std::size_t counter_bytes(std::uint32_t keys) {
    return tables_of(keys) * pitch_of(keys) * sizeof(std::uint32_t);
}

template <class Key>
void count_keys(const std::byte* source, std::size_t n, std::uint32_t* counters, std::size_t pitch,
                unsigned tables) {
    constexpr std::size_t kKeysPerWord = sizeof(std::uint64_t) / sizeof(Key);
    if (tables == 4)
        count_words<Key, 4>(source, n / kKeysPerWord, counters, pitch);
    else
        count_words<Key, 1>(source, n / kKeysPerWord, counters, pitch);
    for (std::size_t i = n / kKeysPerWord * kKeysPerWord; i < n; ++i) {
        Key key;
        std::memcpy(&key, source + i * sizeof key, sizeof key);
        ++counters[key];
    }
}

}  // namespace

std::size_t KeyCounts::bytes(std::uint32_t keys) {
    return counter_bytes(keys) + (counts_planes(keys) ? sizeof(PlaneSums) : 0);
}

KeyCounts::KeyCounts(std::byte* memory, std::uint32_t keys)
    : counters_(reinterpret_cast<std::uint32_t*>(memory)), pitch_(pitch_of(keys)), tables_(tables_of(keys)) {
    if (counts_planes(keys)) planes_ = reinterpret_cast<PlaneSums*>(memory + counter_bytes(keys));
}

void KeyCounts::clear() {
    std::memset(counters_, 0, tables_ * pitch_ * sizeof *counters_);
    in_planes_ = 0;
    counted_ = 0;
}

// Counts the whole blocks of `source`; returns their size in bytes.
std::size_t KeyCounts::count_blocks(const std::byte* source, std::size_t n) {
    std::size_t begin = 0;
    for (; begin + kPlaneBlock <= n; begin += kPlaneBlock) {
        const std::byte* const block = source + begin;
        if (is_flat(block)) {
            counters_[std::to_integer<std::uint8_t>(*block)] += kPlaneBlock;
            continue;
        }
        if (in_planes_ == 0) std::memset(planes_, 0, sizeof *planes_);
        count_byte_planes(block, planes_);
        in_planes_ += kPlaneBlock;
    }
    return begin;
}

void KeyCounts::count_u8(const std::byte* source, std::size_t n) {
    assert(has_capacity(n));
    if (planes_ != nullptr && counted_ >= kPlanesFrom) {
        const std::size_t done = count_blocks(source, n);
        source += done;
        n -= done;
        counted_ += done;
    }
    counted_ += n;
    if (n < kFewBytes) {
        for (std::size_t i = 0; i < n; ++i) ++counters_[std::to_integer<std::uint8_t>(source[i])];
        return;
    }
    for (std::size_t begin = 0; begin < n; begin += kByteBlock)
        count_byte_block(source + begin, std::min(kByteBlock, n - begin), counters_);
}

void KeyCounts::count_u16(const std::byte* source, std::size_t n) {
    assert(has_capacity(n));
    counted_ += n;
    count_keys<std::uint16_t>(source, n, counters_, pitch_, tables_);
}

void KeyCounts::count_u32(const std::uint32_t* source, std::size_t n) {
    assert(has_capacity(n));
    counted_ += n;
    count_keys<std::uint32_t>(reinterpret_cast<const std::byte*>(source), n, counters_, pitch_, tables_);
}

void KeyCounts::add_to(std::uint64_t* totals, std::uint32_t count) const {
    for (unsigned table = 0; table < tables_; ++table) {
        const std::uint32_t* counters = counters_ + table * pitch_;
        for (std::uint32_t key = 0; key < count; ++key) totals[key] += counters[key];
    }
    if (in_planes_ == 0) return;
    std::uint64_t counts[kByteKeys] = {};
    add_plane_counts(*planes_, in_planes_, counts);
    for (std::uint32_t key = 0; key < std::min(count, kByteKeys); ++key) totals[key] += counts[key];
}

}  // namespace tegu::kernels
