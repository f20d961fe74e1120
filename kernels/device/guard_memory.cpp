// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/guard_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <string>

#include "base/fd.h"

namespace tegu::device {
namespace {

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

std::size_t whole_pages(std::size_t bytes) {
    return (std::max<std::size_t>(bytes, 1) + page_bytes() - 1) / page_bytes() * page_bytes();
}

// munmap() may fail for lack of memory in the operating system.
void unmap_pages(void* addresses, std::size_t bytes) {
    constexpr int kTries = 3;
    for (int tries = 0; tries < kTries && ::munmap(addresses, bytes) != 0; ++tries) {
    }
}

void give_back(void* addresses, std::size_t bytes) {
    unmap_pages(addresses, bytes + page_bytes());
}

// Address space without memory: `bytes` for a mapping, and a page behind it that catches overruns.
class Reserved {
  public:
    explicit Reserved(std::size_t bytes)
        : data_(::mmap(nullptr, bytes + page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                       -1, 0)),
          bytes_(bytes) {}
    ~Reserved() {
        if (data_ != MAP_FAILED) give_back(data_, bytes_);
    }
    Reserved(const Reserved&) = delete;
    Reserved& operator=(const Reserved&) = delete;
    bool valid() const { return data_ != MAP_FAILED; }
    void* get() const { return data_; }
    void release() { data_ = MAP_FAILED; }  // the new owner unmaps them

  private:
    void* data_;
    std::size_t bytes_;
};

bool map_pages(void* at, std::size_t bytes, int fd, int protection) {
    return ::mmap(at, bytes, protection, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
}

// The addresses and files in the lines of /proc/self/maps. Allocates nothing, because destructors read them.
class Maps {
  public:
    Maps() : file_(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
    // The next line, truncated if it is long; null: end, or a read error.
    const char* next() {
        for (std::size_t length = 0; fill(); ++at_) {
            const char c = buffer_[at_];
            if (c != '\n' && length < sizeof line_ - 1) line_[length++] = c;
            line_[length] = '\0';
            if (c != '\n') continue;
            ++at_;
            return line_;
        }
        return nullptr;
    }

  private:
    bool fill() {
        if (at_ < size_) return true;
        ssize_t got = 0;
        do {
            got = ::read(file_.get(), buffer_, sizeof buffer_);
        } while (got < 0 && errno == EINTR);
        at_ = 0;
        size_ = got > 0 ? static_cast<std::size_t>(got) : 0;
        return size_ > 0;
    }

    const Fd file_;
    char buffer_[4096];
    char line_[128];
    std::size_t at_ = 0, size_ = 0;
};

Error fault(const std::string& what) {
    return make_error(Status::DeviceLost, "an illegal memory access was encountered: " + what);
}

}  // namespace

// The mapping of [data, data + bytes). Empty: it cannot be read.
std::optional<GuardMemory::MappedFile> GuardMemory::mapped_file(const void* data, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    Maps maps;
    MappedFile file;
    std::uintptr_t next = begin;
    while (next < begin + bytes) {
        const char* const line = maps.next();
        if (line == nullptr) return std::nullopt;
        unsigned long first = 0, last = 0, offset = 0, major = 0, minor = 0, inode = 0;
        if (std::sscanf(line, "%lx-%lx %*s %lx %lx:%lx %lu", &first, &last, &offset, &major, &minor,
                        &inode) != 6)
            return std::nullopt;
        if (last <= next) continue;
        const MappedFile here{std::uint64_t{major} << 32 | minor, inode,
                              static_cast<std::int64_t>(offset - (first - begin))};
        if (first > next || (next != begin && !(file == here))) return MappedFile();
        file = here;
        next = last;
    }
    return file;
}

// Also true where this cannot be determined.
bool GuardMemory::is_there(const Piece& piece) {
    const std::optional<MappedFile> now = mapped_file(piece.registered, piece.mapped);
    return !now || *now == piece.file;
}

GuardMemory::~GuardMemory() {
    while (!pieces_.empty()) unmap(pieces_.begin());
}

Result<void*> GuardMemory::allocate(Kind kind, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t mapped = whole_pages(bytes);
    if (held_ + elsewhere_ + mapped > limit_)
        return make_error(Status::OutOfMemory, "the memory of the guarded device is full");
    const Fd file(static_cast<int>(::syscall(SYS_memfd_create, "tegu-guard", 1U)));  // MFD_CLOEXEC
    if (!file) return io_error("memfd_create", errno);
    if (::ftruncate(file.get(), static_cast<off_t>(mapped)) != 0) return io_error("ftruncate", errno);
    Reserved first(mapped), second(mapped);
    const bool starts_here = kind == Kind::Managed || kind == Kind::Pinned;
    const int host = starts_here ? PROT_READ | PROT_WRITE : PROT_NONE;
    if (!first.valid() || !second.valid() || !map_pages(first.get(), mapped, file.get(), host) ||
        !map_pages(second.get(), mapped, file.get(), PROT_READ | PROT_WRITE))
        return io_error("mmap", errno);
    void* const memory = first.get();
    pieces_.emplace(reinterpret_cast<std::uintptr_t>(memory),
                    Piece{kind, bytes, mapped, static_cast<std::byte*>(second.get()), nullptr, {}, nullptr});
    first.release();
    second.release();
    held_ += mapped;
    return memory;
}

Result<void*> GuardMemory::add_mapping(void* data, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t mapped = whole_pages(bytes);
    const std::optional<MappedFile> file = mapped_file(data, mapped);
    if (!file) return make_error(Status::Unsupported, "what is mapped there cannot be told");
    Reserved addresses(mapped);
    void* const address = addresses.get();
    if (!addresses.valid())
        return make_error(Status::Unsupported, io_error("a second mapping", errno).message);
    const auto piece = pieces_.emplace(reinterpret_cast<std::uintptr_t>(address),
                                       Piece{Kind::Registered, bytes, mapped, nullptr, data, *file, nullptr});
    // An old size of 0 maps the same pages once more, with the same permissions.
    void* const second = ::mremap(data, 0, mapped, MREMAP_MAYMOVE);
    if (second == MAP_FAILED) {
        const int cause = errno;
        pieces_.erase(piece.first);
        return make_error(Status::Unsupported, io_error("a second mapping", cause).message);
    }
    piece.first->second.second = static_cast<std::byte*>(second);
    addresses.release();
    return address;
}

Result<void> GuardMemory::remove_mapping(void* data) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find_if(pieces_.begin(), pieces_.end(), [&](const auto& piece) {
        return piece.second.kind == Kind::Registered && piece.second.registered == data;
    });
    assert(found != pieces_.end());
    const bool there = is_there(found->second);
    unmap(found);
    return there ? Result<void>() : fault("a mapping ended while it was registered");
}

void GuardMemory::take_elsewhere(std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    elsewhere_ = bytes;
}

std::size_t GuardMemory::free_bytes() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return limit_ - std::min(limit_, held_ + elsewhere_);
}

void GuardMemory::release(void* memory) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = pieces_.find(reinterpret_cast<std::uintptr_t>(memory));
    assert(found != pieces_.end() && found->second.owner == nullptr);
    held_ -= found->second.mapped;
    unmap(found);
}

void GuardMemory::unmap(Pieces::iterator piece) {
    give_back(reinterpret_cast<void*>(piece->first), piece->second.mapped);
    if (piece->second.kind == Kind::Registered) {
        unmap_pages(piece->second.second, piece->second.mapped);
    } else {
        give_back(piece->second.second, piece->second.mapped);
    }
    pieces_.erase(piece);
}

bool GuardMemory::allow_host(void* memory, bool allowed) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = pieces_.find(reinterpret_cast<std::uintptr_t>(memory));
    assert(found != pieces_.end() && found->second.kind == Kind::Managed);
    return ::mprotect(memory, found->second.mapped, allowed ? PROT_READ | PROT_WRITE : PROT_NONE) == 0;
}

void GuardMemory::set_owner(void* memory, Stream stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = pieces_.find(reinterpret_cast<std::uintptr_t>(memory));
    assert(found != pieces_.end() && found->second.kind == Kind::Managed);
    found->second.owner = stream;
}

bool GuardMemory::allow_host_of(Stream stream, bool allowed) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bool done = true;
    for (const auto& piece : pieces_)
        if (piece.second.kind == Kind::Managed && piece.second.owner == stream)
            done = ::mprotect(reinterpret_cast<void*>(piece.first), piece.second.mapped,
                              allowed ? PROT_READ | PROT_WRITE : PROT_NONE) == 0 &&
                   done;
    return done;
}

GuardMemory::Pieces::const_iterator GuardMemory::find(const void* data) const {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    auto found = pieces_.upper_bound(address);
    if (found == pieces_.begin()) return pieces_.end();
    --found;
    return address < found->first + found->second.mapped ? found : pieces_.end();
}

bool GuardMemory::knows(const void* data) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return find(data) != pieces_.end();
}

Result<std::byte*> GuardMemory::translate(const void* data, std::size_t bytes, Stream stream,
                                          Access access) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = find(data);
    if (found == pieces_.end()) {
        if (access == Access::Kernel) return fault("memory of the host");
        return const_cast<std::byte*>(static_cast<const std::byte*>(data));
    }
    const Piece& piece = found->second;
    const std::size_t offset = reinterpret_cast<std::uintptr_t>(data) - found->first;
    if (offset > piece.bytes || bytes > piece.bytes - offset) return fault("beyond the end of its memory");
    if (piece.kind == Kind::Managed && piece.owner != stream && access == Access::Kernel)
        return fault(piece.owner == nullptr ? "managed memory that is attached to the host"
                                            : "managed memory that is attached to another stream");
    if (piece.kind == Kind::Registered && !is_there(piece))
        return fault("a mapping that ended while it was registered");
    return piece.second + offset;
}

}  // namespace tegu::device
