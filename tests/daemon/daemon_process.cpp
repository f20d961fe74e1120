// SPDX-License-Identifier: Apache-2.0
#include "tests/daemon/daemon_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

namespace tegu::test {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);  // for a machine that is busy

void pause() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

pid_t spawn(const DaemonProgram& daemon, const std::vector<std::string>& arguments,
            const std::string& output) {
    const std::string program = TEGU_BINARY_DIR "/" + daemon.path;
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    const int fd = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    (void)::dup2(fd, 1);
    (void)::dup2(fd, 2);
    for (const std::string& variable : daemon.environment)
        (void)::putenv(const_cast<char*>(variable.c_str()));
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
}

int exit_code(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool answers(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool connected = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    return connected;
}

// No client of a test is too slow for its HELLO, unless the settings say so.
std::string patient(std::string settings) {
    const std::string table = "[timeouts]\n", setting = "hello_ms = 600000\n";
    if (settings.find("hello_ms") != std::string::npos) return settings;
    const std::size_t at = settings.find(table);
    return at == std::string::npos ? "timeouts." + setting + settings
                                   : settings.insert(at + table.size(), setting);
}

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

std::string make_directory() {
    const char* base = std::getenv("TMPDIR");
    std::string name = std::string(base != nullptr ? base : "/tmp") + "/tegud-test-XXXXXX";
    EXPECT_NE(nullptr, ::mkdtemp(&name[0]));
    return name;
}

void remove_directory(const std::string& directory) {
    for (const char* name : {"tegud.sock", "tegud.toml", "log", "file", "directory/tegud.sock"})
        (void)::unlink((directory + "/" + name).c_str());
    (void)::rmdir((directory + "/directory").c_str());
    (void)::rmdir(directory.c_str());
}

int run_tegud(const std::vector<std::string>& arguments, std::string* output) {
    const std::string directory = make_directory();
    const pid_t pid = spawn({}, arguments, directory + "/log");
    int status = 0;
    EXPECT_EQ(pid, ::waitpid(pid, &status, 0));
    *output = read_file(directory + "/log");
    remove_directory(directory);
    return exit_code(status);
}

DaemonProcess::DaemonProcess(const std::string& settings, DaemonProgram program)
    : program_(std::move(program)), directory_(make_directory()), socket_(directory_ + "/tegud.sock") {
    write_settings(patient(settings));
    start();
}

void DaemonProcess::start() {
    pid_ =
        spawn(program_, {"--config", directory_ + "/tegud.toml", "--socket", socket_}, directory_ + "/log");
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!answers(socket_) && std::chrono::steady_clock::now() < end) pause();
}

DaemonProcess::~DaemonProcess() {
    if (pid_ > 0) {
        signal(SIGTERM);
        if (wait() == -1000) {
            signal(SIGKILL);
            (void)wait();
        }
    }
    if (::testing::Test::HasFailure()) std::cerr << "tegud said:\n" << log();
    remove_directory(directory_);
}

void DaemonProcess::write_settings(const std::string& settings) const {
    std::ofstream(directory_ + "/tegud.toml") << settings;
}

void DaemonProcess::signal(int number) const {
    (void)::kill(pid_, number);
}

int DaemonProcess::wait() {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) == pid_) {
            pid_ = -1;
            return exit_code(status);
        }
        pause();
    }
    return -1000;
}

std::string DaemonProcess::log() const {
    return read_file(directory_ + "/log");
}

bool DaemonProcess::wait_for_log(const std::string& text) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
        if (log().find(text) != std::string::npos) return true;
        pause();
    }
    return false;
}

}  // namespace tegu::test
