// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/memory_class.h"

#include <gtest/gtest.h>

namespace tegu::device {
namespace {

// integrated, managed, concurrent managed access, pageable access, host register, can map
constexpr MemoryAttributes kNano{true, true, false, false, false, true};
constexpr MemoryAttributes kOrin{true, true, false, false, true, true};
constexpr MemoryAttributes kThor{true, true, true, true, true, true};
constexpr MemoryAttributes kCard{false, true, true, false, true, true};

TEST(MemoryClass, IsChosenByAttributes) {
    EXPECT_EQ(MemoryClass::A, choose_memory_class(kNano));
    EXPECT_EQ(MemoryClass::B, choose_memory_class(kOrin));
    EXPECT_EQ(MemoryClass::C, choose_memory_class(kThor));
    EXPECT_EQ(MemoryClass::Discrete, choose_memory_class(kCard));
}

TEST(MemoryClass, ACardThatReadsPageableMemoryStaysDiscrete) {
    MemoryAttributes card = kCard;
    card.pageable_memory_access = true;
    EXPECT_EQ(MemoryClass::Discrete, choose_memory_class(card));
}

TEST(MemoryClass, NeedsAllThatItsPathUses) {
    MemoryAttributes no_mapping = kOrin;
    no_mapping.can_map_host_memory = false;
    EXPECT_EQ(MemoryClass::A, choose_memory_class(no_mapping));
    MemoryAttributes no_managed = kOrin;
    no_managed.managed_memory = false;
    EXPECT_EQ(MemoryClass::Discrete, choose_memory_class(no_managed));
}

TEST(MemoryClass, IsForcedWhereTheDeviceCan) {
    for (const MemoryClass wanted : {MemoryClass::A, MemoryClass::B, MemoryClass::Discrete})
        EXPECT_EQ(wanted, force_memory_class(wanted, kCard).value());
    EXPECT_EQ(MemoryClass::C, force_memory_class(MemoryClass::C, kThor).value());
}

TEST(MemoryClass, IsNotForcedWhereTheDeviceCannot) {
    const Result<MemoryClass> c = force_memory_class(MemoryClass::C, kCard);
    ASSERT_FALSE(c.ok());
    EXPECT_EQ(Status::BadRange, c.error().status);
    EXPECT_EQ("gpu.memory_class", c.error().field);
    EXPECT_EQ("auto, discrete", c.error().allowed);
    EXPECT_NE(std::string::npos, c.error().message.find("pageable"));
    EXPECT_FALSE(force_memory_class(MemoryClass::B, kNano).ok());
    EXPECT_FALSE(force_memory_class(MemoryClass::None, kCard).ok());
    MemoryAttributes no_managed = kNano;
    no_managed.managed_memory = false;
    EXPECT_FALSE(force_memory_class(MemoryClass::A, no_managed).ok());
}

TEST(MemoryClass, WordsGoBothWays) {
    for (const MemoryClass each :
         {MemoryClass::None, MemoryClass::A, MemoryClass::B, MemoryClass::C, MemoryClass::Discrete})
        EXPECT_EQ(each, find_memory_class(memory_class_word(each)));
    EXPECT_EQ(std::nullopt, find_memory_class("D"));
    EXPECT_EQ(std::nullopt, find_memory_class(""));
}

}  // namespace
}  // namespace tegu::device
