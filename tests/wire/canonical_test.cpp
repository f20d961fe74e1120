// SPDX-License-Identifier: Apache-2.0
// The property of canonical.h on every message: whole, cut anywhere, with every byte changed, and mutated at
// random.
#include "tests/wire/canonical.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/wire/document.h"
#include "wire/messages.h"

namespace tegu::wire {
namespace {

struct Seed {
    std::string title;
    const BodyCodec* codec;
    std::vector<std::byte> body;
};

// The bodies of the worked examples.
std::vector<Seed> seeds() {
    std::vector<Seed> result;
    for (const Example& example : read_protocol_document().examples) {
        const std::string name =
            example.title == "EVENT" ? "error reply" : example.title.substr(0, example.title.find(':'));
        const std::vector<std::byte> bytes = example.bytes();
        if (const BodyCodec* codec = find_codec(name))
            result.push_back({example.title, codec, {bytes.begin() + kHeaderBytes, bytes.end()}});
    }
    return result;
}

// In memory of exactly that size, so that a sanitizer sees a read beyond it.
Outcome check(const Seed& seed, const std::vector<std::byte>& body) {
    const std::vector<std::byte> exact(body);
    return seed.codec->check(exact);
}

TEST(Canonical, EveryExampleIs) {
    for (const Seed& seed : seeds()) EXPECT_EQ(check(seed, seed.body), Outcome::Canonical) << seed.title;
}

TEST(Canonical, EveryTruncationIsRefused) {
    for (const Seed& seed : seeds())
        for (std::size_t size = 0; size < seed.body.size(); ++size)
            EXPECT_EQ(check(seed, {seed.body.begin(), seed.body.begin() + static_cast<std::ptrdiff_t>(size)}),
                      Outcome::Refused)
                << seed.title << " cut to " << size;
}

TEST(Canonical, OneByteMoreIsRefused) {
    for (const Seed& seed : seeds()) {
        std::vector<std::byte> body = seed.body;
        body.push_back(std::byte{0});
        const bool may_have_slack =  // after the last array
            seed.codec == find_codec("JOB reply") && !decode_job_reply(seed.body)->in_output;
        EXPECT_EQ(check(seed, body), may_have_slack ? Outcome::Canonical : Outcome::Refused) << seed.title;
    }
}

TEST(Canonical, EveryByteMayTakeAnyValue) {
    for (const Seed& seed : seeds())
        for (std::size_t i = 0; i < seed.body.size(); ++i) {
            std::vector<std::byte> body = seed.body;
            for (unsigned value = 0; value < 256; ++value) {
                body[i] = static_cast<std::byte>(value);
                ASSERT_NE(check(seed, body), Outcome::Broken)
                    << seed.title << " byte " << i << " = " << value;
            }
        }
}

TEST(Canonical, RandomMutationsAreRefusedOrCanonical) {
    const unsigned number = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(number));
    std::mt19937 random(number);
    const std::vector<Seed> all = seeds();
    for (int i = 0; i < 20000; ++i) {
        const Seed& seed = all[random() % all.size()];
        std::vector<std::byte> body = seed.body;
        for (unsigned changes = 1 + random() % 6; changes > 0; --changes) {
            if (random() % 8 == 0) body.resize(body.size() + random() % 9);
            if (random() % 8 == 0)
                body.resize(body.size() - std::min<std::size_t>(random() % 9, body.size()));
            if (!body.empty())
                body[random() % body.size()] = static_cast<std::byte>(random() % 3 == 0 ? 0xff : random());
        }
        ASSERT_NE(check(seed, body), Outcome::Broken) << seed.title;
    }
}

TEST(Canonical, ForeignBodiesAreRefusedOrCanonical) {
    for (const Seed& seed : seeds())
        for (std::size_t i = 0; i < kBodyCodecCount; ++i)
            EXPECT_NE(kBodyCodecs[i].check(seed.body), Outcome::Broken)
                << seed.title << " read as " << kBodyCodecs[i].name;
}

}  // namespace
}  // namespace tegu::wire
