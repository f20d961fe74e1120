// SPDX-License-Identifier: Apache-2.0
#include "kernels/module/module_file.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/fd.h"

namespace tegu::module {
namespace {

constexpr char kPrefix[] = "tegu-cuda-", kSuffix[] = ".so";
constexpr std::size_t kMaxDigits = 4;

// The processors that CUDA knows; elsewhere the dynamic linker alone judges.
#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#else
constexpr unsigned kMachine = EM_NONE;
#endif

// 0: not the name of a module.
unsigned toolkit_of(const std::string& name) {
    const std::size_t prefix = sizeof kPrefix - 1, suffix = sizeof kSuffix - 1;
    if (name.size() <= prefix + suffix || name.size() > prefix + suffix + kMaxDigits) return 0;
    if (name.compare(0, prefix, kPrefix) != 0 || name.compare(name.size() - suffix, suffix, kSuffix) != 0)
        return 0;
    unsigned number = 0;
    for (std::size_t i = prefix; i < name.size() - suffix; ++i) {
        if (name[i] < '0' || name[i] > '9') return 0;
        number = 10 * number + static_cast<unsigned>(name[i] - '0');
    }
    return number;
}

Error refused(std::string reason) {
    return make_error(Status::Unavailable, std::move(reason));
}

// A group of the same number as the owner is the owner's own.
Result<void> check_owner(const struct stat& of, const std::string& what) {
    if (of.st_uid != 0 && of.st_uid != ::geteuid())
        return refused(what + " belongs to user " + std::to_string(of.st_uid) +
                       ", neither to root nor to the daemon's");
    const bool group_writes = (of.st_mode & S_IWGRP) != 0 && of.st_gid != of.st_uid;
    if (group_writes || (of.st_mode & S_IWOTH) != 0) return refused(what + " can be written by other users");
    return {};
}

// All folders above the file: who may write one could put another file in its place. In a sticky folder such
// as /tmp nobody can replace what is another user's.
Result<void> check_folders(const std::string& path) {
    bool nearest = true;
    for (std::size_t slash = path.rfind('/'); slash != std::string::npos; nearest = false) {
        const std::string folder = path.substr(0, std::max<std::size_t>(slash, 1));
        struct stat of_folder {};
        if (::stat(folder.c_str(), &of_folder) != 0)
            return refused("its folder " + folder + " cannot be examined: " + std::strerror(errno));
        const bool sticky = !nearest && of_folder.st_uid == 0 && (of_folder.st_mode & S_ISVTX) != 0;
        Result<void> owned = check_owner(of_folder, nearest ? "its folder" : "the folder " + folder);
        if (!owned && !sticky) return owned;
        if (slash == 0) break;
        slash = path.rfind('/', slash - 1);
    }
    return {};
}

std::string machine_name(unsigned machine) {
    switch (machine) {
        case EM_X86_64: return "x86_64";
        case EM_AARCH64: return "aarch64";
        case EM_ARM: return "arm";
        case EM_386: return "i386";
        default: return "machine " + std::to_string(machine);
    }
}

bool read_at(int file, std::uint64_t offset, void* to, std::size_t bytes) {
    return ::pread(file, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

// Whether [offset, offset + bytes) lies within `size`.
bool fits(std::uint64_t offset, std::uint64_t bytes, std::uint64_t size) {
    return offset <= size && bytes <= size - offset;
}

// The sections lie at the end of the file, and the segments are what is mapped.
bool is_complete(int file, const Elf64_Ehdr& header, std::uint64_t size) {
    if (!fits(header.e_shoff, std::uint64_t{header.e_shentsize} * header.e_shnum, size)) return false;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        if (!read_at(file, header.e_phoff + std::uint64_t{i} * sizeof segment, &segment, sizeof segment))
            return false;
        if (!fits(segment.p_offset, segment.p_filesz, size)) return false;
    }
    return true;
}

Result<void> check_content(int file, std::uint64_t size) {
    Elf64_Ehdr header;
    if (!read_at(file, 0, &header, SELFMAG) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return refused("it is not a shared object");
    if (!read_at(file, 0, &header, sizeof header)) return refused("the file is cut short");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        (kMachine != EM_NONE && header.e_machine != kMachine))
        return refused("it is made for another processor (" + machine_name(header.e_machine) +
                       "), this program for " + machine_name(kMachine));
    if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr))
        return refused("it is not a shared object");
    if (!is_complete(file, header, size))
        return refused("the file is cut short: it has " + std::to_string(size) + " bytes");
    return {};
}

}  // namespace

std::vector<ModuleFile> find_modules(const std::vector<std::string>& folders) {
    std::vector<ModuleFile> found;
    for (const std::string& folder : folders) {
        const std::unique_ptr<char, void (*)(void*)> real(::realpath(folder.c_str(), nullptr), &::free);
        if (real == nullptr) continue;
        const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(real.get()), &::closedir);
        if (open == nullptr) continue;
        while (const dirent* const entry = ::readdir(open.get()))
            if (const unsigned toolkit = toolkit_of(entry->d_name))
                found.push_back({std::string(real.get()) + "/" + entry->d_name, toolkit});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const ModuleFile& a, const ModuleFile& b) { return a.toolkit > b.toolkit; });
    return found;
}

Result<void> check_module_file(const std::string& path) {
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file) {
        if (errno == ELOOP) return refused("it is a symbolic link, not a regular file");
        return refused(std::string("it cannot be opened: ") + std::strerror(errno));
    }
    struct stat of_file {};
    if (::fstat(file.get(), &of_file) != 0)
        return refused(std::string("it cannot be examined: ") + std::strerror(errno));
    if (!S_ISREG(of_file.st_mode)) return refused("it is not a regular file");
    Result<void> owned = check_owner(of_file, "the file");
    if (owned) owned = check_folders(path);
    if (!owned) return owned;
    return check_content(file.get(), static_cast<std::uint64_t>(of_file.st_size));
}

}  // namespace tegu::module
