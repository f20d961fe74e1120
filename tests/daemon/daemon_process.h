// SPDX-License-Identifier: Apache-2.0
// A private tegud: its own directory, settings file and socket; killed and cleaned up at the end of the test.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tegu::test {

// A program that is tegud, from the build directory, and variables of its environment ("NAME=value").
struct DaemonProgram {
    std::string path = "bin/tegud";
    std::vector<std::string> environment{"CUDA_VISIBLE_DEVICES="};  // no GPU, whatever the machine has
};

class DaemonProcess {
  public:
    // Starts it with these settings (TOML) and waits until it answers.
    explicit DaemonProcess(const std::string& settings = "", DaemonProgram program = {});
    ~DaemonProcess();
    DaemonProcess(const DaemonProcess&) = delete;
    DaemonProcess& operator=(const DaemonProcess&) = delete;

    // Starts it again after it ended, in the same place.
    void start();

    const std::string& directory() const { return directory_; }
    const std::string& socket() const { return socket_; }
    pid_t pid() const { return pid_; }
    void write_settings(const std::string& settings) const;
    void signal(int number) const;
    // The exit code; -signal if one killed it; -1000 if it has not ended after a minute.
    int wait();
    // What it wrote to stderr so far.
    std::string log() const;
    // Waits until the log holds `text`; false after a minute.
    bool wait_for_log(const std::string& text) const;

  private:
    DaemonProgram program_;
    std::string directory_;
    std::string socket_;
    pid_t pid_ = -1;
};

// Makes a fresh directory under $TMPDIR.
std::string make_directory();
void remove_directory(const std::string& directory);
// Runs tegud to its end; returns the exit code, and its output in *output.
int run_tegud(const std::vector<std::string>& arguments, std::string* output);

}  // namespace tegu::test
