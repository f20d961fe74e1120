// SPDX-License-Identifier: Apache-2.0
#include "tools/field/recorder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "tools/field/field_json.h"

namespace tegu::field {
namespace {

constexpr std::chrono::seconds kSyncPeriod{1};
constexpr off_t kMaxBytes = off_t{256} << 20;

Result<std::string> content_of(int fd, const std::string& path) {
    const off_t size = lseek(fd, 0, SEEK_END);
    if (size > kMaxBytes)
        return make_error(Status::BadRequest, path + ": it is too large for a file of tegu-bench run");
    std::string text(static_cast<std::size_t>(size > 0 ? size : 0), '\0');
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t got = pread(fd, &text[done], text.size() - done, static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return io_error("read " + path, errno);
        if (got == 0) text.resize(done);
        done += static_cast<std::size_t>(got);
    }
    return text;
}

}  // namespace

Result<Recorder> Recorder::open_file(const std::string& path) {
    Recorder recorder;
    recorder.path_ = path;
    recorder.file_ = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!recorder.file_) return io_error("open " + path, errno);
    if (flock(recorder.file_.get(), LOCK_EX | LOCK_NB) != 0)
        return make_error(Status::Busy, path + ": another tegu-bench run writes it");
    return recorder;
}

Result<Recorder> Recorder::replace(const std::string& path, const FieldHead& head) {
    Result<Recorder> recorder = open_file(path);
    if (!recorder) return recorder;
    Result<void> written = recorder->rewrite(head, {});
    if (!written) return std::move(written).error();
    return recorder;
}

Result<Recorder> Recorder::open(const std::string& path, const FieldHead& head) {
    Result<Recorder> recorder = open_file(path);
    if (!recorder) return recorder;
    Result<std::string> text = content_of(recorder->file_.get(), path);
    if (!text) return std::move(text).error();
    FieldText field;
    field.whole = false;
    if (!text->empty()) {
        Result<FieldText> parsed = parse_field_file(*text, head);
        if (!parsed) return make_error(parsed.error().status, path + ": " + parsed.error().message);
        field = std::move(*parsed);
    }
    recorder->known_ = std::move(field.keys);
    recorder->results_ = recorder->continued_ = field.results;
    recorder->elapsed_s_ = field.elapsed_s;
    recorder->empty_ = field.records.empty();
    if (!field.whole) {
        Result<void> written = recorder->rewrite(head, field.records);
        if (!written) return std::move(written).error();
        return recorder;
    }
    recorder->end_ = text->rfind("\n],\n");
    return recorder;
}

// Writes a new file and renames it over the old one, so that the name never has a partial file.
Result<void> Recorder::rewrite(const FieldHead& head, const std::vector<std::string>& records) {
    const std::string made = path_ + ".new";
    Fd file(::open(made.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file) return io_error("open " + made, errno);
    (void)flock(file.get(), LOCK_EX | LOCK_NB);
    std::string text = head_text(head);
    for (std::size_t i = 0; i < records.size(); ++i) text += (i == 0 ? "\n" : ",\n") + records[i];
    end_ = text.size();
    empty_ = records.empty();
    std::swap(file, file_);  // the lock of the old one stays until the new one has the name
    Result<void> written = write_at(0, text + tail_text(false));
    if (written && fsync(file_.get()) != 0) written = io_error("write " + made, errno);
    if (written && rename(made.c_str(), path_.c_str()) != 0) written = io_error("rename " + made, errno);
    return written;
}

Result<void> Recorder::write_at(std::uint64_t offset, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t put =
            pwrite(file_.get(), text.data() + done, text.size() - done, static_cast<off_t>(offset + done));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return io_error("write " + path_, errno);
        done += static_cast<std::size_t>(put);
    }
    if (ftruncate(file_.get(), static_cast<off_t>(offset + text.size())) != 0)
        return io_error("write " + path_, errno);
    if (Clock::now() - synced_ < kSyncPeriod) return {};
    synced_ = Clock::now();
    if (fdatasync(file_.get()) != 0) return io_error("write " + path_, errno);
    return {};
}

Result<void> Recorder::append(const std::string& record) {
    const std::string line = (empty_ ? "\n" : ",\n") + record;
    Result<void> written = write_at(end_, line + tail_text(false));
    if (!written) return written;
    end_ += line.size();
    empty_ = false;
    return {};
}

Result<void> Recorder::add(const ResultRecord& record) {
    Result<void> done = append(record_json(record));
    if (!done) return done;
    known_.insert(case_key(record.part, record.name, record.backend));
    ++results_;
    return {};
}

Result<void> Recorder::add(const ConditionRecord& record) {
    return append(record_json(record));
}

Result<void> Recorder::add(const SkippedRecord& record) {
    return append(record_json(record));
}

Result<void> Recorder::finish() {
    synced_ = Clock::time_point();
    return write_at(end_, tail_text(true));
}

}  // namespace tegu::field
