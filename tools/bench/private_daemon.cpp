// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/private_daemon.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "base/fd.h"

namespace tegu::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kReadyMs = 20000;  // a driver that starts up takes seconds

// The notify socket of the daemon, as systemd would create it.
Result<Fd> listen_for_ready(const std::string& path) {
    Fd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return io_error("the temporary folder's path", ENAMETOOLONG);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return io_error("bind " + path, errno);
    return fd;
}

// False if the daemon ended, which is noticed within a tenth of a second, or took too long.
bool wait_for_ready(int fd, pid_t* daemon) {
    const Clock::time_point end = Clock::now() + std::chrono::milliseconds(kReadyMs);
    while (Clock::now() < end) {
        pollfd one{fd, POLLIN, 0};
        if (poll(&one, 1, 100) <= 0) {
            if (waitpid(*daemon, nullptr, WNOHANG) == *daemon) {
                *daemon = -1;
                return false;
            }
            continue;
        }
        char text[4096];
        const ssize_t size = recv(fd, text, sizeof text, 0);
        if (size > 0 &&
            std::string(text, static_cast<std::size_t>(size)).find("READY=1") != std::string::npos)
            return true;
    }
    return false;
}

// Without a copy of this process, whose page tables alone would take longer than the daemon's start. The
// daemon ends with this thread, however that ends, and a Ctrl-C on the terminal is not for it.
Result<pid_t> spawn(char* const* arguments, char* const* environment, const std::string& log) {
    volatile int code = 0;  // the child writes it: it runs in this memory until it becomes the daemon
    const pid_t pid = vfork();
    if (pid == 0) {
        const int output = open(log.c_str(), O_WRONLY | O_CREAT, 0600);
        if (output < 0 || dup2(output, STDERR_FILENO) < 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 ||
            setsid() < 0 || execve(arguments[0], arguments, environment) != 0)
            code = errno;
        _exit(127);
    }
    if (pid < 0) return io_error("start " + std::string(arguments[0]), errno);
    if (code == 0) return pid;
    (void)waitpid(pid, nullptr, 0);
    return io_error("start " + std::string(arguments[0]), code);
}

// Variables that locate a driver outside the standard folders, and that select devices.
std::vector<std::string> inherited_environment() {
    std::vector<std::string> kept;
    for (const char* const name : {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"})
        if (const char* const value = std::getenv(name); value != nullptr)
            kept.push_back(std::string(name) + "=" + value);
    return kept;
}

std::string content_of(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void remove_folder(const std::string& folder) {
    DIR* list = opendir(folder.c_str());
    if (list == nullptr) return;
    while (const dirent* entry = readdir(list)) unlink((folder + "/" + entry->d_name).c_str());
    closedir(list);
    rmdir(folder.c_str());
}

}  // namespace

Result<PrivateDaemon> PrivateDaemon::start(const std::string& program, unsigned threads,
                                           const std::string& executor,
                                           const std::vector<std::string>& variables) {
    PrivateDaemon daemon;
    char name[] = "/tmp/tegu-bench-XXXXXX";
    if (mkdtemp(name) == nullptr) return io_error("mkdtemp " + std::string(name), errno);
    daemon.folder_ = name;
    Result<Fd> ready = listen_for_ready(daemon.folder_ + "/notify");
    if (!ready) return std::move(ready).error();
    const std::string settings = daemon.folder_ + "/tegud.toml";
    std::ofstream(settings) << "[executor]\nthreads = " << threads << "\n" << executor;

    std::string texts[] = {program, "--socket", daemon.socket_path(), "--config", settings};
    char* arguments[] = {texts[0].data(), texts[1].data(), texts[2].data(),
                         texts[3].data(), texts[4].data(), nullptr};
    std::vector<std::string> words = inherited_environment();
    words.insert(words.end(), variables.begin(), variables.end());
    words.push_back("NOTIFY_SOCKET=" + daemon.folder_ + "/notify");
    std::vector<char*> environment;
    for (std::string& word : words) environment.push_back(word.data());
    environment.push_back(nullptr);
    const std::string log = daemon.folder_ + "/log";
    const Clock::time_point began = Clock::now();
    const Result<pid_t> pid = spawn(arguments, environment.data(), log);
    if (!pid) return pid.error();
    daemon.pid_ = *pid;
    if (!wait_for_ready(ready->get(), &daemon.pid_))
        return make_error(Status::Unavailable, program + " did not become ready: " + content_of(log));
    daemon.ready_ns_ = std::chrono::duration<double, std::nano>(Clock::now() - began).count();
    return daemon;
}

PrivateDaemon::~PrivateDaemon() {
    if (pid_ > 0) {
        kill(pid_, SIGTERM);
        waitpid(pid_, nullptr, 0);
    }
    if (!folder_.empty()) remove_folder(folder_);
}

PrivateDaemon::PrivateDaemon(PrivateDaemon&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      pid_(std::exchange(other.pid_, -1)),
      ready_ns_(other.ready_ns_) {}

PrivateDaemon& PrivateDaemon::operator=(PrivateDaemon&& other) noexcept {
    std::swap(folder_, other.folder_);
    std::swap(pid_, other.pid_);
    std::swap(ready_ns_, other.ready_ns_);
    return *this;
}

std::uint64_t PrivateDaemon::cpu_ns() const {
    const std::string tasks = "/proc/" + std::to_string(pid_) + "/task";
    DIR* list = opendir(tasks.c_str());
    if (list == nullptr) return 0;
    std::uint64_t total = 0;
    while (const dirent* entry = readdir(list)) {
        std::uint64_t ran = 0;
        std::istringstream(content_of(tasks + "/" + entry->d_name + "/schedstat")) >> ran;
        total += ran;
    }
    closedir(list);
    return total;
}

double PrivateDaemon::resident_mb() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(file, line);)
        if (line.compare(0, 6, "VmRSS:") == 0) return std::atof(line.c_str() + 6) * 1024 / 1e6;
    return 0;
}

}  // namespace tegu::bench
