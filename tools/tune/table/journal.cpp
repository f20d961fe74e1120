// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/table/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "tools/tune/table/files.h"

namespace tegu::tune {
namespace {

constexpr std::size_t kMaxBytes = 64 << 20;  // no journal is that long

Result<void> lock(int fd, const std::string& path) {
    Result<void> regular = check_regular(fd, path);
    if (!regular) return regular;
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
        return make_error(Status::Busy, "another tegu-tune writes to " + path);
    return {};
}

}  // namespace

Result<Journal> Journal::open(const std::string& path, const std::string& identity) {
    Journal journal;
    journal.path_ = path;
    journal.file_ =
        Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644));
    if (!journal.file_) return io_error(path, errno);
    Result<void> locked = lock(journal.file_.get(), path);
    if (!locked) return std::move(locked).error();
    Result<void> done = journal.read(identity);
    if (!done) return std::move(done).error();
    return Result<Journal>(std::move(journal));
}

Result<void> Journal::read(const std::string& identity) {
    const Result<std::string> bytes = read_file(path_, kMaxBytes);
    if (!bytes) return bytes.error();
    JournalContent content = parse_journal(*bytes);
    const std::string header = journal_header(identity);
    // A header that a power cut tore is no loss: nothing stood behind it.
    const bool is_new = !content.identity && header.compare(0, bytes->size(), *bytes) == 0;
    if (!is_new && !content.identity)
        return make_error(Status::BadRequest, path_ + " is no journal of tegu-tune");
    if (!is_new && *content.identity != parse_journal(header).identity)
        return make_error(Status::BadRequest, path_ + " is the journal of another run, on \"" +
                                                  *content.identity + "\"; this is \"" + identity + "\"");
    const std::size_t kept = is_new ? 0 : content.whole_bytes;
    cut_bytes_ = bytes->size() - kept;
    if (cut_bytes_ != 0 && ::ftruncate(file_.get(), static_cast<off_t>(kept)) != 0)
        return io_error(path_, errno);
    records_ = std::move(content.records);
    if (!is_new) return {};
    Result<void> written = write_and_sync(file_.get(), header, path_);
    return written ? sync_folder_of(path_) : written;
}

const JournalRecord* Journal::find(const std::string& id) const {
    for (auto record = records_.rbegin(); record != records_.rend(); ++record)
        if (record->id == id) return &*record;
    return nullptr;
}

Result<void> Journal::append(JournalRecord record) {
    Result<void> written = write_and_sync(file_.get(), record_text(record), path_);
    if (written) records_.push_back(std::move(record));
    return written;
}

Result<void> Journal::remove() {
    if (::unlink(path_.c_str()) != 0) return io_error(path_, errno);
    return sync_folder_of(path_);
}

Result<std::string> set_journal_aside(const std::string& path) {
    const std::string aside = path + ".old";
    // The journal of a run in progress stays.
    const Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd)
        return errno == ENOENT ? Result<std::string>(std::string())
                               : Result<std::string>(io_error(path, errno));
    Result<void> locked = lock(fd.get(), path);
    if (!locked) return std::move(locked).error();
    if (::rename(path.c_str(), aside.c_str()) == 0) return aside;
    if (errno == ENOENT) return std::string();
    return io_error(path, errno);
}

}  // namespace tegu::tune
