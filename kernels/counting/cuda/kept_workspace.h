// SPDX-License-Identifier: Apache-2.0
// The workspace of a step that repeats within one job. Every repetition gets the memory of the first one.
#pragma once

#include <vector>

#include "kernels/counting/cuda/count.h"
#include "kernels/execution/cuda/context.h"

namespace tegu::cuda {

class KeptWorkspace final : public Workspace {
  public:
    // `under` and its memory outlive this object.
    KeptWorkspace(Workspace* under, Stream stream) : under_(under), stream_(stream) {}

    // Releases all taken memory for later takes in the same order. A take that is larger than before gets new
    // memory.
    void rewind() { next_ = 0; }

    Result<void*> take(std::size_t bytes) override {
        const std::size_t words = bytes / sizeof(std::uint64_t) + 1;
        if (next_ == pieces_.size()) pieces_.push_back(Piece{nullptr, 0});
        Piece& piece = pieces_[next_++];
        if (piece.words >= words) return static_cast<void*>(piece.memory);
        Result<void*> taken = under_->take(words * sizeof(std::uint64_t));
        if (taken) piece = Piece{static_cast<std::uint64_t*>(*taken), words};
        return taken;
    }
    Result<void*> take_zeroed(std::size_t bytes) override {
        Result<void*> taken = take(bytes);
        if (!taken) return taken;
        const Result<void> zeroed = check_cuda(
            zero_counters(static_cast<std::uint64_t*>(*taken), bytes / sizeof(std::uint64_t) + 1, stream_),
            "zeroes");
        if (!zeroed) return zeroed.error();
        return taken;
    }
    Result<void> read(void* to, const void* from, std::size_t bytes) override {
        return under_->read(to, from, bytes);
    }
    Result<void> write(void* to, const void* from, std::size_t bytes) override {
        return under_->write(to, from, bytes);
    }
    Result<void> copy(void* to, const void* from, std::size_t bytes) override {
        return under_->copy(to, from, bytes);
    }
    Result<void> synchronize() override { return under_->synchronize(); }
    void reset() override { rewind(); }

  private:
    struct Piece {
        std::uint64_t* memory;
        std::size_t words;
    };
    Workspace* under_;
    Stream stream_;
    std::vector<Piece> pieces_;
    std::size_t next_ = 0;
};

}  // namespace tegu::cuda
