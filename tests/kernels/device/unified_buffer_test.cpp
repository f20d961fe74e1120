// SPDX-License-Identifier: Apache-2.0
// UnifiedBuffer: its states, and what a touch in the wrong one does.
#include "kernels/device/unified_buffer.h"

#include <thread>

#include "tests/kernels/device/guard_util.h"

namespace tegu::device {
namespace {

using test::kTouched;
using test::touch;

class UnifiedBuffers : public testing::Test {
  protected:
    GuardGpu gpu{GuardOptions()};
    Arena arena{gpu, Arena::Kind::Managed, 1 << 20};
    Stream stream = gpu.create_stream().value();
    Stream other = gpu.create_stream().value();
};

TEST_F(UnifiedBuffers, BeginAsTheHosts) {
    UnifiedBuffer buffer = UnifiedBuffer::create(arena, 1000).value();
    EXPECT_TRUE(buffer.host_owned());
    EXPECT_EQ(1000u, buffer.bytes());
    Result<UnifiedBuffer::HostView> view = buffer.host_view();
    ASSERT_TRUE(view.ok());
    EXPECT_EQ(1000u, view->bytes().size());
    std::memset(view->bytes().data(), 1, 1000);
}

TEST_F(UnifiedBuffers, GoToAStreamAndBack) {
    UnifiedBuffer buffer = UnifiedBuffer::create(arena, 8).value();
    void* const address = buffer.host_view().value().bytes().data();
    ASSERT_TRUE(buffer.attach(stream).ok());
    EXPECT_FALSE(buffer.host_owned());
    EXPECT_EQ(address, buffer.device_data(stream).value());
    ASSERT_TRUE(buffer.detach().ok());
    EXPECT_TRUE(buffer.host_owned());
    EXPECT_EQ(std::byte{0}, buffer.host_view().value().bytes()[7]);
    EXPECT_TRUE(buffer.detach().ok()) << "there is nothing to do";
}

TEST_F(UnifiedBuffers, RefuseWhatTheirStateForbids) {
    UnifiedBuffer buffer = UnifiedBuffer::create(arena, 8).value();
    EXPECT_EQ(Status::Internal, buffer.device_data(stream).error().status) << "the host's";
    EXPECT_EQ(Status::Internal, buffer.attach(nullptr).error().status);
    {
        const Result<UnifiedBuffer::HostView> view = buffer.host_view();
        EXPECT_EQ(Status::Internal, buffer.attach(stream).error().status) << "a view is held";
    }
    ASSERT_TRUE(buffer.attach(stream).ok());
    EXPECT_TRUE(buffer.attach(stream).ok()) << "it is there already";
    EXPECT_EQ(Status::Internal, buffer.host_view().error().status);
    EXPECT_EQ(Status::Internal, buffer.attach(other).error().status);
    EXPECT_EQ(Status::Internal, buffer.device_data(other).error().status);
    ASSERT_TRUE(buffer.detach().ok());
    EXPECT_TRUE(buffer.attach(other).ok());
}

TEST_F(UnifiedBuffers, AreEmptyAfterAMove) {
    UnifiedBuffer buffer = UnifiedBuffer::create(arena, 8).value();
    ASSERT_TRUE(buffer.attach(stream).ok());
    UnifiedBuffer moved = std::move(buffer);
    EXPECT_EQ(Status::Internal, buffer.host_view().error().status);
    EXPECT_EQ(Status::Internal, buffer.attach(stream).error().status);
    EXPECT_EQ(Status::Internal, buffer.detach().error().status);
    EXPECT_EQ(Status::Internal, buffer.device_data(stream).error().status);
    EXPECT_TRUE(moved.device_data(stream).ok());
}

TEST_F(UnifiedBuffers, AreTheHostsAgainWhenTheyEnd) {
    {
        UnifiedBuffer buffer = UnifiedBuffer::create(arena, 8).value();
        ASSERT_TRUE(buffer.attach(stream).ok());
    }
    EXPECT_EQ(0u, arena.used_bytes());
    UnifiedBuffer again = UnifiedBuffer::create(arena, 8).value();
    EXPECT_EQ(1u, arena.allocations());
    again.host_view().value().bytes()[0] = std::byte{1};  // would crash if it were still the stream's
}

TEST_F(UnifiedBuffers, EndWithALostDevice) {
    {
        UnifiedBuffer buffer = UnifiedBuffer::create(arena, 64).value();
        ASSERT_TRUE(buffer.attach(stream).ok());
        std::byte result[8];
        const Job job = test::sum_job(16);
        const kernels::InputView input{static_cast<std::byte*>(buffer.device_data(stream).value()), 16};
        const kernels::OutputView output{result};  // the host's: an illegal access
        EXPECT_EQ(Status::DeviceLost,
                  gpu.run({job, {}, {&input, 1}, {&output, 1}, {}}, stream).error().status);
        EXPECT_EQ(Status::DeviceLost, buffer.detach().error().status);
    }
    EXPECT_EQ(0u, arena.used_bytes());
    EXPECT_EQ(Status::DeviceLost, UnifiedBuffer::create(arena, 1 << 19).error().status);
}

// A buffer, with its kernel's streams, in the process that is to end.
struct Victim {
    explicit Victim(bool strict) : gpu(options(strict)) {}
    static GuardOptions options(bool strict) {
        GuardOptions options;
        options.strict = strict;
        return options;
    }
    // Runs a sum of the input on the stream, and returns once it is under way.
    void begin_kernel() {
        gpu.hold_kernels();
        (void)input.attach(stream);
        (void)output.attach(stream);
        std::thread([this] {
            const Job job = test::sum_job(16);
            const kernels::InputView view{static_cast<std::byte*>(input.device_data(stream).value()), 16};
            const kernels::OutputView result{static_cast<std::byte*>(output.device_data(stream).value())};
            (void)gpu.run({job, {}, {&view, 1}, {&result, 1}, {}}, stream);
        }).detach();
        gpu.wait_for_kernel();
    }
    GuardGpu gpu;
    Arena arena{gpu, Arena::Kind::Managed, 1 << 20};
    Stream stream = gpu.create_stream().value();
    UnifiedBuffer input = UnifiedBuffer::create(arena, 64).value();
    UnifiedBuffer output = UnifiedBuffer::create(arena, 8).value();
};

// How a touch of an input ends while its kernel runs.
void touch_while_running(bool strict, bool write) {
    Victim victim(strict);
    void* const data = victim.input.host_view().value().bytes().data();
    victim.begin_kernel();
    touch(data, write);
}

void touch_attached_but_idle(bool strict) {
    Victim victim(strict);
    void* const data = victim.input.host_view().value().bytes().data();
    (void)victim.input.attach(victim.stream);
    touch(data, false);
}

void touch_before_synchronising() {
    Victim victim(true);
    void* const data = victim.input.host_view().value().bytes().data();
    (void)victim.input.attach(victim.stream);
    (void)victim.gpu.attach_to_host(data, victim.stream);
    touch(data, false);
}

// A buffer of the host is never taken from it.
void touch_another_while_running(bool strict) {
    Victim victim(strict);
    UnifiedBuffer bystander = UnifiedBuffer::create(victim.arena, 64).value();
    void* const data = bystander.host_view().value().bytes().data();
    victim.begin_kernel();
    touch(data, true);
}

void touch_device_memory() {
    Victim victim(false);
    touch(victim.gpu.allocate_device(64).value(), false);
}

class UnifiedBufferDeathTest : public testing::TestWithParam<bool> {
  protected:
    void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

TEST_P(UnifiedBufferDeathTest, ATouchWhileTheKernelRunsEndsTheProcess) {
    EXPECT_EXIT(touch_while_running(GetParam(), false), testing::ExitedWithCode(kTouched), "");
    EXPECT_EXIT(touch_while_running(GetParam(), true), testing::ExitedWithCode(kTouched), "");
}

TEST_P(UnifiedBufferDeathTest, ABufferOfTheHostMayBeTouched) {
    EXPECT_EXIT(touch_another_while_running(GetParam()), testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Modes, UnifiedBufferDeathTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& mode) {
                             return mode.param ? "Strict" : "Lenient";
                         });

TEST(GuardModesDeathTest, StrictTakesTheBufferFromTheAttachmentOn) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(touch_attached_but_idle(true), testing::ExitedWithCode(kTouched), "");
    EXPECT_EXIT(touch_attached_but_idle(false), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(touch_before_synchronising(), testing::ExitedWithCode(kTouched), "");
}

TEST(GuardModesDeathTest, DeviceMemoryIsNeverTheHosts) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(touch_device_memory(), testing::ExitedWithCode(kTouched), "");
}

}  // namespace
}  // namespace tegu::device
