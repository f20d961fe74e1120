// SPDX-License-Identifier: Apache-2.0
// Frames of a V4L2 device, a video or a folder of images, as grey pixels. ffmpeg decodes and scales them; a
// thread reads them straight into buffers of tegud.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <tegu.hpp>
#include <thread>
#include <utility>
#include <vector>

extern char** environ;
struct Size {
    std::uint64_t width = 1280, height = 720;
};

struct Frame {
    std::uint64_t number = 0;
    tegu::client::Buffer* buffer = nullptr;
    std::chrono::steady_clock::time_point read_at;
};

// Three buffers: one is filled, one waits, one is in use. A live source never waits: if its newest frame
// finds an older one that nobody took, the older one is dropped.
class Frames {
  public:
    Frames(const std::string& source, Size size, bool realtime, std::vector<tegu::client::Buffer>& buffers)
        : bytes_(size.width * size.height) {
        struct stat kind = {};
        stat(source.c_str(), &kind);
        live_ = realtime || S_ISCHR(kind.st_mode);
        for (tegu::client::Buffer& buffer : buffers) free_.push_back(&buffer);
        start_ffmpeg(source, kind.st_mode, size, realtime);
        reader_ = std::thread([this] { read_all(); });
    }
    ~Frames() { close(); }

    // The next frame; none when the source has ended. The frame before it is free again.
    std::optional<Frame> next() {
        std::unique_lock<std::mutex> lock(mutex_);
        if (in_use_.buffer != nullptr) free_.push_back(in_use_.buffer);
        in_use_ = Frame();
        changed_.notify_all();
        changed_.wait(lock, [this] { return waiting_ || ended_; });
        if (!waiting_) return std::nullopt;
        in_use_ = *std::exchange(waiting_, std::nullopt);
        changed_.notify_all();
        return in_use_;
    }
    std::uint64_t dropped() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return dropped_;
    }
    // Ends ffmpeg if it has not ended, and waits for it, once. Returns whether it has ended well.
    bool close() {
        if (reader_.joinable()) {
            if (std::unique_lock<std::mutex> lock(mutex_); !std::exchange(ended_, true) && ffmpeg_ > 0)
                ::kill(ffmpeg_, SIGTERM);
            changed_.notify_all();
            reader_.join();
            ::close(pipe_);
            if (ffmpeg_ > 0) waitpid(ffmpeg_, &status_, 0);
        }
        return status_ == 0;
    }

  private:
    void start_ffmpeg(const std::string& source, mode_t kind, Size size, bool realtime) {
        const std::string by = std::to_string(size.width) + "x" + std::to_string(size.height);
        std::vector<std::string> words = {"ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin"};
        const auto add = [&words](const std::vector<std::string>& more) {
            words.insert(words.end(), more.begin(), more.end());
        };
        if (realtime) add({"-re"});
        if (S_ISDIR(kind)) add({"-f", "image2", "-framerate", "30", "-pattern_type", "glob"});
        if (S_ISCHR(kind)) add({"-f", "v4l2", "-video_size", by, "-framerate", "30"});
        add({"-i", S_ISDIR(kind) ? source + "/*" : source, "-vf", "scale=" + by, "-pix_fmt", "gray"});
        add({"-f", "rawvideo", "-"});
        std::vector<char*> raw;
        for (std::string& word : words) raw.push_back(word.data());
        raw.push_back(nullptr);
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) return;
        pipe_ = ends[0];
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        if (posix_spawnp(&ffmpeg_, "ffmpeg", &actions, nullptr, raw.data(), environ) != 0) ffmpeg_ = -1;
        posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
    }

    void read_all() {
        std::uint64_t number = 0;
        std::unique_lock<std::mutex> lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return ended_ || !free_.empty(); });
            if (ended_) break;
            tegu::client::Buffer* buffer = free_.back();
            free_.pop_back();
            lock.unlock();
            const bool whole = fill(buffer->as<char>());
            lock.lock();
            if (!whole) break;
            if (live_ && waiting_) {
                ++dropped_;
                free_.push_back(std::exchange(waiting_, std::nullopt)->buffer);
            }
            changed_.wait(lock, [this] { return ended_ || !waiting_; });
            waiting_ = Frame{++number, buffer, std::chrono::steady_clock::now()};
            changed_.notify_all();
        }
        ended_ = true;
        changed_.notify_all();
    }

    bool fill(char* memory) const {
        for (std::uint64_t have = 0; have < bytes_;) {
            const ssize_t count = read(pipe_, memory + have, bytes_ - have);
            if (count <= 0) return false;
            have += static_cast<std::uint64_t>(count);
        }
        return true;
    }

    const std::uint64_t bytes_;  // of a frame
    bool live_ = false;
    pid_t ffmpeg_ = -1;
    int pipe_ = -1, status_ = -1;
    std::thread reader_;
    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::vector<tegu::client::Buffer*> free_;
    std::optional<Frame> waiting_;
    Frame in_use_;
    std::uint64_t dropped_ = 0;
    bool ended_ = false;
};
