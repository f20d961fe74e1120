// SPDX-License-Identifier: Apache-2.0
// The grid, the block and its scheduler.
#include "tests/simt/simt.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/execution/cuda/launch.cuh"
#include "tests/simt/fiber.h"

namespace tegu::simt {
namespace {

constexpr unsigned kLanes = cuda::kWarpLanes;
constexpr unsigned kMaxThreads = 1024;

// What a thread waits for.
enum class Wait : std::uint8_t { None, Block, Warp, Exchange, Ballot, Match, Ended };

const char* word(Wait wait) {
    switch (wait) {
        case Wait::None: return "runs";
        case Wait::Block: return "waits at a block barrier";
        case Wait::Warp: return "waits at a warp barrier";
        case Wait::Exchange: return "waits at a shuffle";
        case Wait::Ballot: return "waits at a ballot";
        case Wait::Match: return "waits at a match";
        case Wait::Ended: return "has ended";
    }
    return "?";
}

struct Thread {
    std::unique_ptr<Fiber> fiber;
    Wait wait = Wait::None;
    std::uint32_t word = 0;  // given to the collective
    unsigned from = 0;
    std::uint32_t result = 0;
};

constexpr std::align_val_t kSharedAlignment{16};

struct FreeShared {
    void operator()(unsigned char* data) const { ::operator delete[](data, kSharedAlignment); }
};
using SharedObject = std::unique_ptr<unsigned char[], FreeShared>;

// Memory of the exact size, so that a sanitizer sees its end, full of garbage.
SharedObject make_shared_object(std::size_t bytes, std::mt19937_64& random) {
    SharedObject object(static_cast<unsigned char*>(::operator new[](bytes, kSharedAlignment)));
    for (std::size_t i = 0; i < bytes; ++i) object[i] = static_cast<unsigned char>(random());
    return object;
}

std::function<void()> step_action;

class Block {
  public:
    Block(const cuda::LaunchShape& shape, unsigned x, unsigned y, const std::function<void()>& body,
          std::vector<Stack>& stacks, std::mt19937_64& random)
        : shape_(shape), random_(random), threads_(shape.threads) {
        position_ = Position{0, shape.threads, x, y, shape.blocks_x, shape.blocks_y};
        dynamic_ = make_shared_object(shape.shared_bytes, random);
        shared_bytes_ = shape.shared_bytes;
        for (unsigned t = 0; t < shape.threads; ++t) {
            threads_[t].fiber = std::make_unique<Fiber>(stacks[t], body);
            ready_.push_back(t);
        }
    }

    void run() {
        while (!ready_.empty()) {
            const std::size_t pick = random_() % ready_.size();
            current_ = ready_[pick];
            position_.thread = current_;
            Thread& thread = threads_[current_];
            if (step_action) step_action();
            thread.fiber->resume();
            ++switches_;
            if (thread.fiber->ended()) thread.wait = Wait::Ended;
            if (thread.wait == Wait::None) continue;  // gave way, may go on
            ready_[pick] = ready_.back();
            ready_.pop_back();
            if (thread.wait == Wait::Ended)
                ++ended_;
            else
                release_if_all_there(current_);
        }
        if (ended_ != threads_.size()) fail("no thread can go on");
    }

    // Called in a fiber: stops it until the collective is complete.
    std::uint32_t collective(Wait wait, std::uint32_t given, unsigned from) {
        Thread& self = threads_[current_];
        self.wait = wait;
        self.word = given;
        self.from = from;
        self.fiber->suspend();
        return self.result;
    }
    void give_way() { threads_[current_].fiber->suspend(); }

    const Position& position() const { return position_; }
    void* shared_memory(const void* tag, std::size_t bytes) {
        auto found = shared_.find(tag);
        if (found == shared_.end()) {
            found = shared_.emplace(tag, make_shared_object(bytes, random_)).first;
            shared_bytes_ += bytes;
        }
        return found->second.get();
    }
    unsigned char* dynamic_shared_memory() { return dynamic_.get(); }
    std::uint64_t switches() const { return switches_; }
    std::size_t shared_bytes() const { return shared_bytes_; }

  private:
    void release_if_all_there(unsigned t) {
        const Wait wait = threads_[t].wait;
        const unsigned begin = wait == Wait::Block ? 0 : t / kLanes * kLanes;
        const unsigned end = wait == Wait::Block ? static_cast<unsigned>(threads_.size()) : begin + kLanes;
        for (unsigned i = begin; i < end; ++i) {
            const Wait other = threads_[i].wait;
            if (other == Wait::None) return;
            if (other == wait) continue;
            // The others of the warp stand elsewhere and can never come; at a block barrier they may still.
            if (wait != Wait::Block || other == Wait::Ended) fail("not all threads reach a collective");
            return;
        }
        complete(wait, begin, end);
        for (unsigned i = begin; i < end; ++i) {
            threads_[i].wait = Wait::None;
            ready_.push_back(i);
        }
    }

    void complete(Wait wait, unsigned begin, unsigned end) {
        std::uint32_t bits = 0;
        std::uint32_t count = 0;
        for (unsigned i = begin; i < end; ++i) {
            if (threads_[i].word != 0) bits |= 1u << (i % kLanes);
            count += threads_[i].word != 0;
        }
        for (unsigned i = begin; i < end; ++i) {
            Thread& thread = threads_[i];
            if (wait == Wait::Exchange && thread.from >= kLanes)
                fail("a shuffle from a lane that is not there");
            thread.result = wait == Wait::Exchange ? threads_[begin + thread.from % kLanes].word
                            : wait == Wait::Match  ? lanes_with(thread.word, begin)
                            : wait == Wait::Ballot ? bits
                                                   : count;
        }
    }

    std::uint32_t lanes_with(std::uint32_t word, unsigned begin) const {
        std::uint32_t lanes = 0;
        for (unsigned lane = 0; lane < kLanes; ++lane)
            lanes |= std::uint32_t{threads_[begin + lane].word == word} << lane;
        return lanes;
    }

    [[noreturn]] void fail(const char* what) const {
        std::fprintf(stderr, "simt: %s: block (%u, %u) of a %u x %u grid, thread %u %s;", what,
                     position_.block_x, position_.block_y, shape_.blocks_x, shape_.blocks_y, current_,
                     word(threads_[current_].wait));
        for (const Wait wait :
             {Wait::Block, Wait::Warp, Wait::Exchange, Wait::Ballot, Wait::Match, Wait::Ended})
            std::fprintf(stderr, " %ld %s%s",
                         std::count_if(threads_.begin(), threads_.end(),
                                       [&](const Thread& t) { return t.wait == wait; }),
                         word(wait), wait == Wait::Ended ? "\n" : ",");
        std::abort();
    }

    const cuda::LaunchShape shape_;
    std::mt19937_64& random_;
    std::vector<Thread> threads_;
    std::vector<unsigned> ready_;
    std::map<const void*, SharedObject> shared_;
    std::size_t shared_bytes_ = 0;
    SharedObject dynamic_;
    Position position_;
    unsigned current_ = 0;
    std::size_t ended_ = 0;
    std::uint64_t switches_ = 0;
};

std::mt19937_64 random_source(1);
std::vector<Stack> stacks;
Block* running = nullptr;  // grids run one after another on one thread
Counts total;

}  // namespace

void on_every_step(std::function<void()> act) {
    step_action = std::move(act);
}
void set_seed(std::uint64_t seed) {
    random_source.seed(seed);
}
Counts counts() {
    return total;
}
void reset_counts() {
    total = Counts{};
}

const Position& position() {
    return running->position();
}
void* shared_memory(const void* tag, std::size_t bytes) {
    return running->shared_memory(tag, bytes);
}
unsigned char* dynamic_shared_memory() {
    return running->dynamic_shared_memory();
}
void block_barrier() {
    running->collective(Wait::Block, 0, 0);
}
void warp_barrier() {
    running->collective(Wait::Warp, 0, 0);
}
std::uint32_t exchange(std::uint32_t given, unsigned from) {
    return running->collective(Wait::Exchange, given, from);
}
std::uint32_t ballot(bool predicate) {
    return running->collective(Wait::Ballot, predicate, 0);
}
std::uint32_t match(std::uint32_t given) {
    return running->collective(Wait::Match, given, 0);
}
int count_of_block(bool predicate) {
    return static_cast<int>(running->collective(Wait::Block, predicate, 0));
}
void let_others_run() {
    running->give_way();
}

void run_grid(const cuda::LaunchShape& shape, const std::function<void()>& thread) {
    if (shape.blocks_x == 0 || shape.blocks_y == 0 || shape.blocks_y > 65535 || shape.threads == 0 ||
        shape.threads % kLanes != 0 || shape.threads > kMaxThreads) {
        std::fprintf(stderr, "simt: a launch of %u x %u blocks of %u threads\n", shape.blocks_x,
                     shape.blocks_y, shape.threads);
        std::abort();
    }
    while (stacks.size() < shape.threads) stacks.emplace_back();
    std::vector<std::uint64_t> order(std::uint64_t{shape.blocks_x} * shape.blocks_y);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_source);
    for (const std::uint64_t number : order) {
        Block block(shape, static_cast<unsigned>(number % shape.blocks_x),
                    static_cast<unsigned>(number / shape.blocks_x), thread, stacks, random_source);
        running = &block;
        block.run();
        running = nullptr;
        total.switches += block.switches();
        if (block.shared_bytes() > total.shared_bytes) total.shared_bytes = block.shared_bytes();
    }
    ++total.launches;
    total.blocks += order.size();
}

}  // namespace tegu::simt
