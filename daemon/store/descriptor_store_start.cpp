// SPDX-License-Identifier: Apache-2.0
// Adopts the previous daemon's buffers, with the same trust as a client's. The table is parsed as hostile
// input. Each descriptor passes the checks of BUFFER_REGISTER and the quota of its user before it is mapped.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <new>

#include "base/log.h"
#include "daemon/buffers/foreign_fd.h"
#include "daemon/store/descriptor_store.h"

namespace tegu::daemon {
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

// The number after `prefix` in a name; 0: the name has no such form.
std::uint64_t number_in(const std::string& name, const std::string& prefix) {
    if (name.rfind(prefix, 0) != 0) return 0;
    const std::string digits = name.substr(prefix.size());
    if (digits.empty() || digits.size() > 19 || digits.find_first_not_of("0123456789") != std::string::npos)
        return 0;
    return std::stoull(digits);
}

// Reads a whole table of the previous daemon. It is never mapped, because its file could shrink.
Result<std::vector<std::byte>> read_table(int fd) {
    std::vector<std::byte> bytes(kMaxTableBytes + 1);
    std::size_t size = 0;
    while (size < bytes.size()) {
        const ssize_t count = ::pread(fd, bytes.data() + size, bytes.size() - size, static_cast<off_t>(size));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return io_error("reading the table of buffers", errno);
        if (count == 0) break;
        size += static_cast<std::size_t>(count);
    }
    bytes.resize(size);
    return bytes;
}

}  // namespace

StoreEnvironment StoreEnvironment::read() {
    StoreEnvironment environment;
    environment.notify_socket = variable("NOTIFY_SOCKET");
    const std::string max = variable("FDSTORE");
    environment.managed = !max.empty() || !variable("INVOCATION_ID").empty();
    environment.max = kShippedStoreMax;
    if (max.empty()) return environment;
    if (max.size() <= 9 && max.find_first_not_of("0123456789") == std::string::npos)
        environment.max = std::stoul(max);
    else
        log(LogLevel::Warning, "$FDSTORE is not a number of descriptors, and is not believed");
    return environment;
}

void DescriptorStore::start(const StoreEnvironment& environment, StoredDescriptors left,
                            std::chrono::milliseconds grace) {
    if (environment.notify_socket.empty() || !environment.managed) {
        reason_ = "the daemon is not a service of systemd: buffers end with it";
        return;
    }
    if (environment.max <= kOwnDescriptors) {
        reason_ =
            "FileDescriptorStoreMax= of the service is too small for a buffer: buffers end with the daemon";
        state_ = StoreStatus::State::Refused;
        return log(LogLevel::Warning, reason_);
    }
    limit_ = max_ = std::min(environment.max - kOwnDescriptors, kMaxTableRecords - 1);
    Result<StoreSocket> socket = StoreSocket::open(environment.notify_socket);
    Result<void> ready = socket ? make_table() : Result<void>(socket.error());
    if (!ready) {
        state_ = StoreStatus::State::Refused;
        reason_ = ready.error().message + ": buffers do not survive the daemon";
        return log(LogLevel::Warning, reason_);
    }
    socket_ = std::move(*socket);
    state_ = StoreStatus::State::Ok;
    adopt(std::move(left));
    store_table();
    soon(milliseconds(0));
    if (!orphans_.empty()) wait_for_owners(grace);
}

void DescriptorStore::wait_for_owners(std::chrono::milliseconds time) {
    grace_timer_.expires_after(time);
    grace_timer_.async_wait([this](const boost::system::error_code& error) {
        if (error || orphans_.empty()) return;
        try {
            log(LogLevel::Notice, "buffers are dropped whose clients have not come back",
                {{"BUFFERS", std::to_string(orphans_.size())}});
            while (!orphans_.empty()) drop_orphan(orphans_.size() - 1);
        } catch (const std::bad_alloc&) {
            wait_for_owners(milliseconds(1000));
        }
    });
}

Result<void> DescriptorStore::make_table() {
    // one more, for the newer of two records of a buffer
    const std::uint64_t bytes = kTableHeaderBytes + (max_ + 1) * kTableRecordBytes;
    Result<Fd> fd = make_memfd(bytes);
    if (!fd) return std::move(fd).error();
    Result<void> whole = populate_memfd(fd->get(), 0, bytes);
    if (!whole) return whole;
    Result<Mapping> memory = Mapping::writable(fd->get(), bytes);
    if (!memory) return std::move(memory).error();
    table_ = std::move(*fd);
    table_memory_ = std::move(*memory);
    return {};
}

// The name of a table has its epoch; the newest readable table counts. The names of all are recorded for
// removal.
std::vector<StoredBuffer> DescriptorStore::read_tables(std::vector<PassedFd>& tables) {
    StoredTable newest;
    bool found = false;
    for (PassedFd& table : tables) {
        epoch_ = std::max(epoch_, number_in(table.name, kStoredTableName) + 1);
        old_tables_.push_back(table.name);
        const bool memory = closes_at_once(table.fd);  // otherwise the read might block
        const ForeignFd fd(std::move(table.fd), 0);
        Result<std::vector<std::byte>> bytes =
            memory ? read_table(fd.get())
                   : Result<std::vector<std::byte>>(
                         make_error(Status::BadDescriptor, "the table of buffers is no memfd"));
        Result<StoredTable> parsed = bytes ? parse_table(*bytes) : Result<StoredTable>(bytes.error());
        if (!parsed) {
            log(LogLevel::Warning, parsed.error().message + ": its buffers are dropped",
                {{"FDNAME", table.name}});
            continue;
        }
        if (parsed->damaged > 0)
            log(LogLevel::Warning, "the table of buffers has damaged records, which are passed over",
                {{"RECORDS", std::to_string(parsed->damaged)}});
        if (found && parsed->epoch <= newest.epoch) continue;
        newest = std::move(*parsed);
        found = true;
    }
    epoch_ = std::max(epoch_, newest.epoch < UINT64_MAX / 2 ? newest.epoch + 1 : 1);
    return std::move(newest.buffers);
}

void DescriptorStore::adopt(StoredDescriptors left) {
    std::vector<PassedFd> tables;
    std::map<std::uint64_t, PassedFd> buffers;
    for (PassedFd& each : left.known) {
        const std::uint64_t number = number_in(each.name, kStoredBufferName);
        if (number_in(each.name, kStoredTableName) != 0)
            tables.push_back(std::move(each));
        else if (number != 0)
            buffers[number] = std::move(each);
        else
            left.surplus.push_back(each.name);
    }
    const std::vector<StoredBuffer> records = read_tables(tables);
    writer_.emplace(MutableBytes(table_memory_.data(), kTableHeaderBytes + (max_ + 1) * kTableRecordBytes),
                    epoch_);
    if (!buffers.empty()) next_number_ = buffers.rbegin()->first + 1;
    std::size_t lost = 0;
    for (const StoredBuffer& record : records) {
        const auto found = buffers.find(record.number);
        if (found == buffers.end()) {
            ++lost;
            continue;
        }
        next_number_ = std::max(next_number_, record.number + 1);
        const std::string name = found->second.name;
        Result<void> adopted = adopt_buffer(record, std::move(found->second.fd));
        buffers.erase(found);
        if (adopted) continue;
        log(LogLevel::Warning, "a stored buffer is dropped: " + adopted.error().message,
            {{"FDNAME", name}, {"CLIENT_UID", std::to_string(record.uid)}});
        left.surplus.push_back(name);
    }
    if (lost > 0)
        log(LogLevel::Warning, "the descriptor store had not kept all buffers of the daemon before",
            {{"BUFFERS", std::to_string(lost)}});
    for (auto& each : buffers) {  // their owners are unknown
        const ForeignFd fd(std::move(each.second.fd), 0);
        left.surplus.push_back(each.second.name);
    }
    for (std::string& name : left.surplus)
        if (is_store_name(name)) remove_name(std::move(name));
    if (!orphans_.empty())
        log(LogLevel::Notice, "buffers of the daemon before wait for their clients",
            {{"BUFFERS", std::to_string(orphans_.size())}});
}

Result<void> DescriptorStore::adopt_buffer(const StoredBuffer& record, Fd descriptor) {
    ForeignFd fd(std::move(descriptor), record.uid);
    if (entries_.size() >= max_)
        return make_error(Status::OverQuota, "there are more than the store takes now");
    const bool sealed = is_sealed_against_writing(fd.get());
    Result<void> secured = secure_memfd(fd.get(), record.bytes, sealed ? wire::Access::Read : record.access);
    if (!secured) return secured;
    struct stat status;
    if (::fstat(fd.get(), &status) != 0) return io_error("fstat of a descriptor", errno);
    if (static_cast<std::uint64_t>(status.st_ino) != record.inode)
        return make_error(Status::BadDescriptor, "its descriptor is another than the one that was stored");
    // The client may use a part of memory that the daemon made; all of it was charged.
    const std::uint64_t bytes =
        record.created_by_daemon ? static_cast<std::uint64_t>(status.st_size) : std::uint64_t{record.bytes};
    Result<BufferCharge> charge = services_.quotas.charge_buffer(record.uid, 0, bytes);
    if (!charge) return std::move(charge).error();
    Result<std::shared_ptr<Buffer>> buffer = Buffer::from_store(
        fd.release(), {record.bytes, record.access, record.generation, record.created_by_daemon},
        std::move(*charge));
    if (!buffer) return std::move(buffer).error();
    (*buffer)->free_on(services_.pages, services_.held, services_.endings);
    (*buffer)->kept_by(this, record.number);
    Entry entry;
    entry.record = record;
    entry.buffer = *buffer;
    entry.sent = kAdopted;
    if (!writer_->put(record)) return make_error(Status::Internal, "the new table is full");
    shares_.add_kept(record.uid, record.number);
    entries_.emplace(record.number, std::move(entry));
    orphans_.push_back(std::move(*buffer));
    return {};
}

}  // namespace tegu::daemon
