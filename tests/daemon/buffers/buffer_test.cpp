// SPDX-License-Identifier: Apache-2.0
#include "daemon/buffers/buffer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <string>

#include "tests/daemon/raw_client.h"

#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#define F_GET_SEALS 1034
#define F_SEAL_SHRINK 0x2
#define F_SEAL_WRITE 0x8
#endif

namespace tegu::daemon {
namespace {

using test::make_client_memfd;
constexpr std::uint64_t kBytes = 64 * 1024;

Result<std::shared_ptr<Buffer>> register_fd(Fd fd, std::uint64_t bytes = kBytes,
                                            wire::Access access = wire::Access::Read) {
    Result<void> secured = secure_memfd(fd.get(), bytes, access);
    if (!secured) return std::move(secured).error();
    return Buffer::from_client(std::move(fd), {bytes, access}, BufferCharge());
}

// The three steps of a freeze at once.
Result<void> freeze(Buffer& buffer) {
    if (buffer.frozen()) return {};
    Result<Mapping> writable = buffer.begin_freeze();
    if (!writable) return std::move(writable).error();
    writable->reset();
    Result<void> sealed = seal_against_writing(buffer.fd());
    buffer.end_freeze(sealed.ok());
    return sealed;
}

void expect_refused(Fd fd, wire::Access access = wire::Access::Read, std::uint64_t bytes = kBytes) {
    const Result<std::shared_ptr<Buffer>> buffer = register_fd(std::move(fd), bytes, access);
    ASSERT_FALSE(buffer.ok());
    EXPECT_EQ(Status::BadDescriptor, buffer.error().status) << buffer.error().message;
    EXPECT_EQ("descriptor", buffer.error().field);
    EXPECT_FALSE(buffer.error().allowed.empty());
}

Fd reopened(const Fd& fd, int flags) {
    return Fd(::open(("/proc/self/fd/" + std::to_string(fd.get())).c_str(), flags | O_CLOEXEC));
}

TEST(Buffer, AWholeMemfdIsMappedAndSealedAgainstShrinking) {
    Fd fd = make_client_memfd(kBytes);
    const Fd mine(::dup(fd.get()));
    ASSERT_EQ(4, ::pwrite(mine.get(), "abcd", 4, 100));
    Result<std::shared_ptr<Buffer>> buffer = register_fd(std::move(fd));
    ASSERT_TRUE(buffer.ok()) << buffer.error().message;
    EXPECT_EQ(0, std::memcmp((*buffer)->read_data() + 100, "abcd", 4));
    EXPECT_NE(0, ::ftruncate(mine.get(), 0));
    EXPECT_EQ(EPERM, errno);
    EXPECT_NE(0, ::fcntl(mine.get(), F_GET_SEALS) & F_SEAL_SHRINK);
}

TEST(Buffer, DescriptorsThatAreNoMemfdAreRefused) {
    int pipe_fds[2];
    ASSERT_EQ(0, ::pipe2(pipe_fds, O_CLOEXEC));
    const Fd other_end(pipe_fds[1]);
    expect_refused(Fd(pipe_fds[0]));
    expect_refused(Fd(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
    expect_refused(Fd(::open("/dev/zero", O_RDWR | O_CLOEXEC)));
    expect_refused(Fd(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)));
    const std::string directory = test::make_client_memfd(1).valid() ? "/dev/shm" : "";
    const std::string name = directory + "/tegud-test-" + std::to_string(::getpid());
    Fd shm(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (shm) {
        (void)::unlink(name.c_str());
        ASSERT_EQ(0, ::ftruncate(shm.get(), kBytes));
        ASSERT_EQ(0, ::posix_fallocate(shm.get(), 0, kBytes));
        expect_refused(std::move(shm));
    }
}

TEST(Buffer, HugePagesAreRefused) {
    constexpr unsigned kCloexec = 1, kAllowSealing = 2, kHugetlb = 4;
    Fd fd(static_cast<int>(::syscall(SYS_memfd_create, "huge", kCloexec | kAllowSealing | kHugetlb)));
    if (!fd) GTEST_SKIP() << "no huge pages in this kernel";
    expect_refused(std::move(fd), wire::Access::Read, 2 * 1024 * 1024);
}

TEST(Buffer, AMemfdThatCannotBeSealedIsRefused) {
    expect_refused(make_client_memfd(kBytes, false));
    const Fd fd = make_client_memfd(kBytes);
    expect_refused(reopened(fd, O_RDONLY));  // adding a seal needs a writable descriptor
}

TEST(Buffer, ShortAndSparseMemfdsAreRefused) {
    expect_refused(make_client_memfd(kBytes - 1));
    expect_refused(make_client_memfd(kBytes, true, false));
    Fd half = make_client_memfd(2 * kBytes, true, false);
    ASSERT_EQ(0, ::fallocate(half.get(), 0, kBytes, kBytes));  // as many pages as the buffer, but not its own
    expect_refused(std::move(half));
    expect_refused(make_client_memfd(kBytes), wire::Access::Read, UINT64_MAX);
}

TEST(Buffer, WritingNeedsAWritableUnsealedMemfd) {
    Fd fd = make_client_memfd(kBytes);
    ASSERT_EQ(0, ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK));
    Fd read_only = reopened(fd, O_RDONLY);
    expect_refused(reopened(read_only, O_RDONLY), wire::Access::ReadWrite);
    EXPECT_TRUE(register_fd(std::move(read_only)).ok());  // sealed before, so it is good enough to read
    Fd sealed = make_client_memfd(kBytes);
    ASSERT_EQ(0, ::fcntl(sealed.get(), F_ADD_SEALS, F_SEAL_WRITE));
    const Fd again(::dup(sealed.get()));
    expect_refused(std::move(sealed), wire::Access::ReadWrite);
    Result<std::shared_ptr<Buffer>> frozen = register_fd(Fd(::dup(again.get())));
    ASSERT_TRUE(frozen.ok());
    EXPECT_TRUE((*frozen)->frozen());
}

TEST(Buffer, OurMappingForReadingDoesNotStopTheClientFromSealing) {
    Fd fd = make_client_memfd(kBytes);
    const Fd mine(::dup(fd.get()));
    Result<std::shared_ptr<Buffer>> buffer = register_fd(std::move(fd));
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(0, ::fcntl(mine.get(), F_ADD_SEALS, F_SEAL_WRITE));
}

TEST(Buffer, HolesPunchedLaterAreFoundBeforeAJob) {
    Fd fd = make_client_memfd(kBytes);
    const Fd mine(::dup(fd.get()));
    Result<std::shared_ptr<Buffer>> buffer = register_fd(std::move(fd));
    ASSERT_TRUE(buffer.ok());
    EXPECT_TRUE((*buffer)->check_pages().ok());
    ASSERT_EQ(0, ::fallocate(mine.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 8192));
    const Result<void> pages = (*buffer)->check_pages();
    ASSERT_FALSE(pages.ok());
    EXPECT_EQ(Status::BadDescriptor, pages.error().status);
    EXPECT_EQ(std::byte{0}, (*buffer)->read_data()[0]);  // and reading it is no more than slow
}

TEST(Buffer, WriteNeedsAccessAndNoFreeze) {
    Result<std::shared_ptr<Buffer>> reading = register_fd(make_client_memfd(kBytes));
    ASSERT_TRUE(reading.ok());
    EXPECT_EQ(Status::Denied, (*reading)->write_data().error().status);
    Result<std::shared_ptr<Buffer>> writing =
        register_fd(make_client_memfd(kBytes), kBytes, wire::Access::ReadWrite);
    ASSERT_TRUE(writing.ok());
    Result<std::byte*> data = (*writing)->write_data();
    ASSERT_TRUE(data.ok());
    (*data)[5] = std::byte{42};
    EXPECT_EQ(std::byte{42}, (*writing)->read_data()[5]);
    EXPECT_TRUE(freeze(**writing).ok());
    EXPECT_EQ(Status::Denied, (*writing)->write_data().error().status);
    EXPECT_EQ(std::byte{42}, (*writing)->read_data()[5]);
}

TEST(Buffer, FreezeSaysWhoStandsInTheWay) {
    Fd fd = make_client_memfd(kBytes);
    void* mapped = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    ASSERT_NE(MAP_FAILED, mapped);
    Result<std::shared_ptr<Buffer>> buffer = register_fd(std::move(fd), kBytes, wire::Access::ReadWrite);
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(Status::BadDescriptor, freeze(**buffer).error().status);
    ASSERT_EQ(0, ::munmap(mapped, kBytes));
    {
        Result<BufferUse> writer = BufferUse::begin(*buffer, {0, 100, true});
        ASSERT_TRUE(writer.ok());
        EXPECT_EQ(Status::Busy, freeze(**buffer).error().status);
    }
    Result<BufferUse> reader = BufferUse::begin(*buffer, {0, 100, false});
    ASSERT_TRUE(reader.ok());
    EXPECT_TRUE(freeze(**buffer).ok());
    EXPECT_TRUE(freeze(**buffer).ok());  // again is no error
}

TEST(Buffer, ManyReadersOrOneWriterOfARange) {
    Result<std::shared_ptr<Buffer>> made =
        register_fd(make_client_memfd(kBytes), kBytes, wire::Access::ReadWrite);
    ASSERT_TRUE(made.ok());
    const std::shared_ptr<Buffer>& buffer = *made;
    {
        Result<BufferUse> one = BufferUse::begin(buffer, {0, 100, false});
        Result<BufferUse> two = BufferUse::begin(buffer, {50, 150, false});
        ASSERT_TRUE(one.ok() && two.ok());
        EXPECT_EQ(Status::Busy, BufferUse::begin(buffer, {149, 200, true}).error().status);
        Result<BufferUse> beside = BufferUse::begin(buffer, {150, 200, true});
        ASSERT_TRUE(beside.ok());
        const Result<BufferUse> late = BufferUse::begin(buffer, {0, 151, false});
        EXPECT_EQ(Status::Busy, late.error().status);
        EXPECT_GT(late.error().retry_after_ns, 0u);
    }
    EXPECT_TRUE(BufferUse::begin(buffer, {0, kBytes, true}).ok());
    EXPECT_TRUE(BufferUse::begin(buffer, {0, kBytes, true}).ok());  // the one before has ended
}

TEST(Buffer, TheFirstUseOfPagesThroughAMappingIsCold) {
    Result<std::shared_ptr<Buffer>> made =
        register_fd(make_client_memfd(kBytes), kBytes, wire::Access::ReadWrite);
    ASSERT_TRUE(made.ok());
    const auto cold = [&](const BufferRange& range) {
        const Result<BufferUse> use = BufferUse::begin(*made, range);
        return use.ok() && use->cold();
    };
    EXPECT_FALSE(cold({0, 0, false}));  // nothing is touched
    EXPECT_TRUE(cold({0, 4096, false}));
    EXPECT_FALSE(cold({0, 4096, false}));
    EXPECT_FALSE(cold({100, 200, false}));
    EXPECT_TRUE(cold({0, 4096, true}));      // the other mapping
    EXPECT_TRUE(cold({4096, 9000, false}));  // joins what is known
    EXPECT_FALSE(cold({0, 9000, false}));
    EXPECT_TRUE(cold({20000, 21000, false}));  // apart from it: the larger range is remembered
    EXPECT_FALSE(cold({0, 9000, false}));
    EXPECT_TRUE(cold({20000, 40000, false}));
    EXPECT_FALSE(cold({20000, 40000, false}));
    ASSERT_TRUE(freeze(**made).ok());  // ends the mapping for writing
    EXPECT_FALSE(cold({20000, 40000, false}));
}

TEST(Buffer, GenerationsNeverGoBackwards) {
    Result<std::shared_ptr<Buffer>> buffer = register_fd(make_client_memfd(kBytes));
    ASSERT_TRUE(buffer.ok());
    EXPECT_TRUE((*buffer)->note_generation(0).ok());
    EXPECT_TRUE((*buffer)->note_generation(7).ok());
    EXPECT_TRUE((*buffer)->note_generation(7).ok());
    EXPECT_TRUE((*buffer)->note_generation(0).ok());
    const Result<void> older = (*buffer)->note_generation(6);
    ASSERT_FALSE(older.ok());
    EXPECT_EQ(Status::BadRange, older.error().status);
    EXPECT_EQ("generation", older.error().field);
    EXPECT_EQ(7u, (*buffer)->generation());
}

TEST(Buffer, MadeByTheDaemonItIsWholeZeroAndCannotChangeItsSize) {
    Result<Fd> fd = make_memfd(kBytes);
    ASSERT_TRUE(fd.ok());
    EXPECT_FALSE(check_not_sparse(fd->get(), kBytes).ok());
    ASSERT_TRUE(populate_memfd(fd->get(), 0, kBytes).ok());
    EXPECT_TRUE(check_not_sparse(fd->get(), kBytes).ok());
    EXPECT_NE(0, ::ftruncate(fd->get(), kBytes - 1));
    EXPECT_NE(0, ::ftruncate(fd->get(), kBytes + 1));
    Result<std::shared_ptr<Buffer>> buffer =
        Buffer::from_daemon(std::move(fd).value(), kBytes, BufferCharge());
    ASSERT_TRUE(buffer.ok());
    EXPECT_TRUE((*buffer)->created_by_daemon());
    EXPECT_EQ(std::byte{0}, (*buffer)->read_data()[kBytes - 1]);
    EXPECT_TRUE(freeze(**buffer).ok());
}

TEST(Buffer, TellsADeviceWhatItIs) {
    Result<std::shared_ptr<Buffer>> made =
        register_fd(make_client_memfd(kBytes), kBytes, wire::Access::ReadWrite);
    Result<std::shared_ptr<Buffer>> other = register_fd(make_client_memfd(kBytes));
    ASSERT_TRUE(made.ok() && other.ok());
    Buffer& buffer = **made;
    EXPECT_NE(buffer.id(), (*other)->id());
    EXPECT_NE(0u, buffer.id());
    device::ClientBuffer seen = buffer.client_buffer();
    EXPECT_EQ(buffer.id(), seen.id);
    EXPECT_EQ(buffer.read_data(), seen.readable);
    EXPECT_EQ(nullptr, seen.writable);
    EXPECT_EQ(kBytes, seen.bytes);
    EXPECT_FALSE(seen.sealed);
    EXPECT_EQ(0u, seen.writes);
    std::byte* const writable = buffer.write_data().value();
    ASSERT_TRUE(buffer.begin_use({0, 8, false}).ok());
    EXPECT_EQ(0u, buffer.client_buffer().writes);
    ASSERT_TRUE(buffer.begin_use({8, 16, true}).ok());
    EXPECT_EQ(1u, buffer.client_buffer().writes);
    EXPECT_EQ(writable, buffer.client_buffer().writable);
    buffer.end_use({8, 16, true});
    ASSERT_TRUE(freeze(buffer).ok());
    EXPECT_TRUE(buffer.client_buffer().sealed);
    EXPECT_EQ(nullptr, buffer.client_buffer().writable);
}

// What a buffer that devices use needs for its end; all of it ends on this thread.
struct Ends {
    Ends() { helper.stop(); }
    HelperThread helper{"test", [] {}};
    HeldMemory held;
    int looks_wanted = 0;
    BufferEndings endings{[this] { ++looks_wanted; }};
};

// Keeps what it is asked until it is let go.
class SlowDevice final : public BufferDevice {
  public:
    void forget(std::uint64_t id, std::function<void()> then) override {
        if (refusals > 0 && refusals-- > 0) throw std::bad_alloc();
        ++asked;
        forgotten = id;
        let_go = std::move(then);
    }
    void allow_registering(std::uint64_t, bool allowed, std::function<void()> then) override {
        if (refusals > 0 && refusals-- > 0) throw std::bad_alloc();
        registers = allowed;
        let_go = std::move(then);
    }
    int refusals = 0, asked = 0;
    std::uint64_t forgotten = 0;
    bool registers = true;
    std::function<void()> let_go;
};

TEST(Buffer, ADeviceThatCouldNotBeToldIsToldLater) {
    Ends ends;
    const auto first = std::make_shared<SlowDevice>(), second = std::make_shared<SlowDevice>();
    Result<std::shared_ptr<Buffer>> buffer = register_fd(make_client_memfd(kBytes));
    ASSERT_TRUE(buffer.ok());
    (*buffer)->free_on(ends.helper, ends.held, ends.endings);
    (*buffer)->used_by(first, 0);
    (*buffer)->used_by(second, 0);
    second->refusals = 2;
    bool freed = false;
    (*buffer)->when_freed([&] { freed = true; });
    buffer->reset();
    EXPECT_EQ(1, ends.looks_wanted);
    first->let_go();
    ends.endings.poll();
    EXPECT_FALSE(ends.endings.empty() || freed);
    ends.endings.poll();
    EXPECT_TRUE(ends.endings.empty());
    EXPECT_EQ(1, first->asked);
    EXPECT_EQ(1, second->asked);
    EXPECT_FALSE(freed);
    second->let_go();
    EXPECT_TRUE(freed);
}

TEST(Buffer, ItsMemoryEndsAfterTheDeviceHasLetGo) {
    Ends ends;
    const auto device = std::make_shared<SlowDevice>();
    Result<std::shared_ptr<Buffer>> buffer = register_fd(make_client_memfd(kBytes));
    ASSERT_TRUE(buffer.ok());
    EXPECT_FALSE((*buffer)->ends_elsewhere());
    (*buffer)->free_on(ends.helper, ends.held, ends.endings);
    (*buffer)->used_by(device, 0);
    EXPECT_TRUE((*buffer)->ends_elsewhere());
    bool freed = false;
    (*buffer)->when_freed([&] { freed = true; });
    const std::uint64_t id = (*buffer)->id();
    const std::byte* const memory = (*buffer)->read_data();
    buffer->reset();
    EXPECT_EQ(id, device->forgotten);
    EXPECT_FALSE(freed);
    EXPECT_EQ(std::byte{0}, memory[0]) << "it is still mapped";
    device->let_go();
    EXPECT_TRUE(freed);
}

TEST(Buffer, WaitsForAllDevicesThatUsedIt) {
    Ends ends;
    const auto one = std::make_shared<SlowDevice>(), two = std::make_shared<SlowDevice>(),
               other = std::make_shared<SlowDevice>();
    Result<std::shared_ptr<Buffer>> buffer = register_fd(make_client_memfd(kBytes));
    ASSERT_TRUE(buffer.ok());
    int done = 0;
    (*buffer)->forbid_registering([&] { ++done; });
    EXPECT_EQ(1, done) << "no device: at once";
    (*buffer)->free_on(ends.helper, ends.held, ends.endings);
    for (const auto& device : {one, two, one}) (*buffer)->used_by(device, 0);
    (*buffer)->forbid_registering([&] { ++done; });
    EXPECT_FALSE(one->registers || two->registers);
    EXPECT_TRUE(other->registers);
    one->let_go();
    EXPECT_EQ(1, done);
    two->let_go();
    EXPECT_EQ(2, done);
    (*buffer)->end_freeze(false);
    EXPECT_TRUE(one->registers && two->registers);
    (*buffer)->when_freed([&] { ++done; });
    buffer->reset();
    EXPECT_EQ(one->forgotten, two->forgotten);
    EXPECT_EQ(0u, other->forgotten);
    two->let_go();
    EXPECT_EQ(2, done);
    one->let_go();
    EXPECT_EQ(3, done);
}

TEST(Buffer, KnowsWhichDevicesHaveACopyOfItsContent) {
    Ends ends;
    const auto one = std::make_shared<SlowDevice>(), two = std::make_shared<SlowDevice>();
    Result<std::shared_ptr<Buffer>> buffer =
        register_fd(make_client_memfd(kBytes), kBytes, wire::Access::ReadWrite);
    ASSERT_TRUE(buffer.ok());
    (*buffer)->free_on(ends.helper, ends.held, ends.endings);
    (*buffer)->used_by(one, 0);
    EXPECT_FALSE((*buffer)->has_copy(*one, 0)) << "nobody promised that it stays";
    ASSERT_TRUE((*buffer)->note_generation(3).ok());
    (*buffer)->set_missed_ns(77);
    (*buffer)->used_by(one, 3);
    EXPECT_TRUE((*buffer)->has_copy(*one, 3));
    EXPECT_FALSE((*buffer)->has_copy(*two, 3));
    EXPECT_FALSE((*buffer)->has_copy(*one, 0)) << "a job that promises nothing";
    ASSERT_TRUE((*buffer)->note_generation(3).ok());
    EXPECT_EQ(77u, (*buffer)->missed_ns());
    ASSERT_TRUE((*buffer)->note_generation(4).ok());
    EXPECT_FALSE((*buffer)->has_copy(*one, 4));
    EXPECT_EQ(0u, (*buffer)->missed_ns()) << "of another content";
    (*buffer)->used_by(one, 4);
    const BufferRange whole{0, kBytes, true};
    (*buffer)->set_missed_ns(77);
    ASSERT_TRUE((*buffer)->begin_use(whole).ok());
    (*buffer)->end_use(whole);
    EXPECT_FALSE((*buffer)->has_copy(*one, 4)) << "a job has written";
    EXPECT_EQ(0u, (*buffer)->missed_ns());
    (*buffer)->used_by(one, 4);
    EXPECT_TRUE((*buffer)->has_copy(*one, 4));
    (*buffer)->forget_copies();
    EXPECT_FALSE((*buffer)->has_copy(*one, 4));
    buffer->reset();
    one->let_go();
}

TEST(Buffer, AFreezeThatDevicesCannotBeToldOfIsTakenBack) {
    Ends ends;
    const auto one = std::make_shared<SlowDevice>(), two = std::make_shared<SlowDevice>();
    Result<std::shared_ptr<Buffer>> buffer =
        register_fd(make_client_memfd(kBytes), kBytes, wire::Access::ReadWrite);
    ASSERT_TRUE(buffer.ok());
    (*buffer)->free_on(ends.helper, ends.held, ends.endings);
    for (const auto& device : {one, two}) (*buffer)->used_by(device, 0);
    const Result<std::byte*> before = (*buffer)->write_data();
    ASSERT_TRUE(before.ok());
    for (const int refusals :
         {1, 2}) {  // of the second device: that nothing be registered, then also that it may be again
        Result<Mapping> writable = (*buffer)->begin_freeze();
        ASSERT_TRUE(writable.ok());
        two->refusals = refusals;
        EXPECT_THROW((*buffer)->forbid_registering([] { FAIL(); }), std::bad_alloc);
        EXPECT_FALSE(one->registers);
        (*buffer)->cancel_freeze(std::move(*writable));
        EXPECT_TRUE(one->registers);
        EXPECT_EQ(*before, (*buffer)->write_data().value())
            << "the mapping that a device may have registered";
    }
    one->registers = two->registers = false;
    (*buffer)->used_by(one, 0);
    EXPECT_TRUE(one->registers && two->registers) << "the next job says what could not be said";
}

TEST(BufferTable, HandlesAreNeverZeroNorUsedTwice) {
    Result<std::shared_ptr<Buffer>> buffer = register_fd(make_client_memfd(kBytes));
    ASSERT_TRUE(buffer.ok());
    BufferTable one, two;
    const std::uint64_t first = one.add(*buffer);
    const std::uint64_t second = two.add(*buffer);
    EXPECT_NE(0u, first);
    EXPECT_NE(first, second);
    EXPECT_EQ(nullptr, two.find(first));
    EXPECT_EQ(nullptr, one.find(0));
    EXPECT_EQ(*buffer, one.take(first));
    EXPECT_EQ(nullptr, one.take(first));
    EXPECT_NE(first, one.add(*buffer));
}

TEST(Buffer, BeingFrozenIsBusyForWritersAndAnotherFreeze) {
    Result<std::shared_ptr<Buffer>> buffer =
        register_fd(make_client_memfd(kBytes), kBytes, wire::Access::ReadWrite);
    ASSERT_TRUE(buffer.ok());
    ASSERT_TRUE((*buffer)->write_data().ok());
    {
        const Result<Mapping> writable = (*buffer)->begin_freeze();
        ASSERT_TRUE(writable.ok());
        EXPECT_NE(nullptr, writable->data());
    }
    const Error again = (*buffer)->begin_freeze().error();
    EXPECT_EQ(Status::Busy, again.status);
    EXPECT_GT(again.retry_after_ns, 0u);
    EXPECT_EQ(Status::Busy, (*buffer)->write_data().error().status);
    EXPECT_TRUE((*buffer)->begin_use({0, 8, false}).ok());
    (*buffer)->end_freeze(false);
    EXPECT_TRUE((*buffer)->write_data().ok());
    EXPECT_TRUE(freeze(**buffer).ok());
    EXPECT_EQ(Status::Denied, (*buffer)->write_data().error().status);
}

}  // namespace
}  // namespace tegu::daemon
