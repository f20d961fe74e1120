// SPDX-License-Identifier: Apache-2.0
// Runs CUDA kernels on the host: what kernels/execution/cuda/simt.cuh asks for when a host compiler reads it.
// A grid runs block after block in an order that the seed decides; the threads of a block are fibers, and at
// every barrier, shuffle, ballot and atomic the seed decides which one goes on. Shared memory is a fresh
// allocation per block, full of garbage, so that a sanitizer sees its bounds.
//
// It shows: accesses out of bounds, reads of what was never written (by changing results), barriers and
// collectives that not all threads reach (the program ends with a message that says where), and dependence on
// the order of threads. It does not show blocks that wait for each other or launches that overlap, weak
// memory order, or races that no order of whole threads between collectives brings about: tests and
// compute-sanitizer on a GPU do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tegu::simt {

// Decides all orders from here on. Tests print it when they fail.
void set_seed(std::uint64_t seed);

// Called before each step of a thread, where another side could write into memory that kernels read; null:
// nothing is.
void on_every_step(std::function<void()> act);

// What ran since the last call of reset_counts().
struct Counts {
    std::uint64_t launches = 0;
    std::uint64_t blocks = 0;
    std::uint64_t switches = 0;    // of fibers
    std::size_t shared_bytes = 0;  // the most of a block, static and dynamic
};
Counts counts();
void reset_counts();

}  // namespace tegu::simt
