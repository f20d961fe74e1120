// SPDX-License-Identifier: Apache-2.0
// faults_client SOCKET: a program that uses the client library while each of its allocations and system calls
// fails once. What a call of tegu.h says then must be a status with an error that names it, or OK with the
// right result; afterwards a new client works and no descriptor is left. $TEGU_FAULTS is a file of its own
// for the faults. Prints a line for each path; exit code 1 if one went wrong.
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "client/tegu.h"
#include "tests/faults/faults.h"

namespace {

using tegu::faults::FaultControl;
using tegu::faults::Kind;

constexpr std::uint32_t kMaxCalls = 5000;
const char* g_socket = nullptr;

const char* const kKindNames[] = {"none",
#define TEGU_X(name) #name,
                                  TEGU_FAULT_KINDS(TEGU_X)
#undef TEGU_X
};

struct Fault {
    Kind kind;
    int error;
};
// What Linux may say where a client calls it.
constexpr Fault kFaults[] = {
    {Kind::allocate, ENOMEM}, {Kind::socket, EMFILE},       {Kind::connect, EINTR},
    {Kind::connect, EAGAIN},  {Kind::setsockopt, ENOMEM},   {Kind::getsockopt, ENOBUFS},
    {Kind::sendmsg, EAGAIN},  {Kind::sendmsg, EINTR},       {Kind::sendmsg, ENOBUFS},
    {Kind::sendmsg, EPIPE},   {Kind::recvmsg, EAGAIN},      {Kind::recvmsg, EINTR},
    {Kind::recvmsg, ENOMEM},  {Kind::recvmsg, ECONNRESET},  {Kind::ppoll, EINTR},
    {Kind::ppoll, ENOMEM},    {Kind::memfd_create, EMFILE}, {Kind::memfd_create, ENOMEM},
    {Kind::fallocate, EINTR}, {Kind::fallocate, ENOSPC},    {Kind::fcntl, EINVAL},
    {Kind::fcntl, EMFILE},    {Kind::fstat, ENOMEM},        {Kind::mmap, ENOMEM},
    {Kind::munmap, ENOMEM},
};

FaultControl& control() {
    static FaultControl& mapped = *[] {
        const char* path = std::getenv("TEGU_FAULTS");
        const int fd = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
        void* const memory = ::mmap(nullptr, sizeof(FaultControl), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ::close(fd);
        if (memory == MAP_FAILED) std::abort();
        return static_cast<FaultControl*>(memory);
    }();
    return mapped;
}

int open_descriptors() {
    int count = 0;
    DIR* folder = ::opendir("/proc/self/fd");
    while (folder != nullptr && ::readdir(folder) != nullptr) ++count;
    if (folder != nullptr) ::closedir(folder);
    return count;
}

// One use of the library. Its calls stop at the first that fails.
class Use {
  public:
    ~Use() {
        for (tegu_buffer* buffer : {first_, second_})
            if (buffer != nullptr) tegu_buffer_free(buffer);
        if (client_ != nullptr) tegu_close(client_);
    }
    tegu_status status() const { return status_; }
    // A failure without a word, or another status in the error than was returned.
    bool broken() const {
        return status_ != TEGU_OK && (error_.status != status_ || error_.message[0] == '\0');
    }
    const std::vector<double>& results() const { return results_; }

    void connect() {
        results_.reserve(16);  // so that none is lost with a result in hand
        tegu_options options;
        tegu_options_init(&options, sizeof options);
        options.socket_path = g_socket;
        options.spin_us = 0;
        take(tegu_connect(&options, &client_, &error_));
    }
    void run(std::uint64_t count, bool in_buffers) {
        if (status_ != TEGU_OK) return;
        // counted: an allocation of the caller, which is caught by it
        std::vector<float> numbers(in_buffers ? 1 : count);
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 97);
        tegu_request request;
        tegu_request_init(&request, sizeof request, TEGU_TOPK);
        request.type = TEGU_F32;
        request.cols = count;
        request.inputs[0].data = in_buffers ? nullptr : numbers.data();
        request.inputs[0].buffer = in_buffers ? first_ : nullptr;
        request.output = in_buffers ? second_ : nullptr;
        request.params.topk.k = 4;
        tegu_result* result = nullptr;
        take(tegu_run(client_, &request, &result, &error_));
        if (result == nullptr) return;
        tegu_array values;
        if (tegu_result_find(result, TEGU_ROLE_VALUES, &values) != 0)
            for (std::uint64_t i = 0; i < values.cols; ++i)
                results_.push_back(static_cast<double>(static_cast<const float*>(values.data)[i]));
        tegu_result_free(result);
    }
    void make_buffers(std::uint64_t count) {
        for (tegu_buffer** buffer : {&first_, &second_})
            if (status_ == TEGU_OK) take(tegu_buffer_create(client_, count * sizeof(float), buffer, &error_));
        if (status_ != TEGU_OK) return;
        auto* numbers = static_cast<float*>(tegu_buffer_data(first_));
        for (std::uint64_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i % 89);
        tegu_buffer_commit(first_);
    }
    void freeze() {
        if (status_ == TEGU_OK) take(tegu_buffer_freeze(first_, &error_));
    }
    void report() {
        if (status_ == TEGU_OK) take(tegu_ping(client_, nullptr, &error_));
        tegu_fields* fields = nullptr;
        if (status_ == TEGU_OK) take(tegu_info(client_, &fields, &error_));
        if (fields != nullptr) tegu_fields_free(fields);
        tegu_kernels* kernels = nullptr;
        if (status_ == TEGU_OK) take(tegu_kernels_get(client_, &kernels, &error_));
        if (kernels != nullptr) tegu_kernels_free(kernels);
    }

  private:
    void take(tegu_status status) { status_ = status; }

    tegu_client* client_ = nullptr;
    tegu_buffer *first_ = nullptr, *second_ = nullptr;
    tegu_status status_ = TEGU_OK;
    tegu_error error_ = {};
    std::vector<double> results_;
};

struct Path {
    const char* name;
    void (*go)(Use& use);
};
constexpr Path kPaths[] = {
    {"small job", [](Use& use) { use.run(64, false); }},
    {"large job", [](Use& use) { use.run(100000, false); }},
    {"jobs in buffers",
     [](Use& use) {
         use.make_buffers(20000);
         use.run(20000, true);
         use.freeze();
         use.run(20000, true);
     }},
    {"reports", [](Use& use) { use.report(); }},
};

struct Outcome {
    bool right = false, failed = false, broken = false;
};

Outcome go(const Path& path, std::vector<double>& results) {
    Outcome outcome;
    try {
        Use use;
        use.connect();
        if (use.status() == TEGU_OK) path.go(use);
        results = use.results();
        outcome.right = use.status() == TEGU_OK;
        outcome.failed = !outcome.right;
        outcome.broken = use.broken();
    } catch (const std::bad_alloc&) {  // of this program: the library throws nothing
        outcome.failed = true;
    }
    return outcome;
}

bool check_path(const Path& path) {
    std::vector<double> expected, results;
    if (!go(path, expected).right) return false;
    int descriptors = open_descriptors();
    std::map<std::string, int> counts;
    bool good = true;
    for (const Fault& fault : kFaults) {
        for (std::uint32_t number = 1; number < kMaxCalls; ++number) {
            FaultControl& faults = control();
            faults.order = tegu::faults::make_order(fault.kind, fault.error, number);
            const Outcome outcome = go(path, results);
            if (faults.order.exchange(0) != tegu::faults::kFired) break;
            const char* wrong = outcome.broken                                    ? "a failure without a word"
                                : outcome.right && results != expected            ? "a wrong result"
                                : open_descriptors() != descriptors               ? "a descriptor is left"
                                : !go(path, results).right || results != expected ? "the next client fails"
                                                                                  : nullptr;
            ++counts[outcome.right ? "right" : "an error"];
            if (wrong == nullptr) continue;
            good = false;
            descriptors = open_descriptors();
            std::printf("FAILED %s: call %u of %s fails with %s: %s\n", path.name, number,
                        kKindNames[static_cast<std::size_t>(fault.kind)], std::strerror(fault.error), wrong);
        }
    }
    std::printf("%s: %d faults: %d right, %d an error\n", path.name, counts["right"] + counts["an error"],
                counts["right"], counts["an error"]);
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 64;
    g_socket = argv[1];
    bool good = true;
    for (const Path& path : kPaths) good = check_path(path) && good;
    return good ? 0 : 1;
}
