// SPDX-License-Identifier: Apache-2.0
// Seed S1: the extremes by a tree and an atomic per block, and the k largest distinct values by a sorted list
// in every thread. Two launches: the first leaves one list per block, the second merges these lists.
//
// Right at every n. C++14.
#pragma once

#include "kernels/execution/cuda/kernel_list.h"

// X(k): the list sizes. A kernel is compiled for each, because the list is an array of a thread.
#define TEGU_SEED_LIST_SIZES(X) X(5) X(10) X(20) X(40) X(48) X(50) X(96) X(100) X(192) X(384) X(768) X(1536)

namespace tegu {
namespace seeds {

constexpr unsigned kMaxListThreads = 512;  // of a block with lists

struct ListPolicy {
    unsigned threads;  // of a block: a power of two, 32..1024; with lists up to kMaxListThreads
    unsigned blocks;   // of the first launch
};

// The way a value enters a list, and the way the lists of a block are merged.
enum class ListMethod : std::uint8_t {
    // The seed: search the list for the value, then compare with its smallest entry; merge by insertion.
    Search,
    Threshold,  // compare with the smallest entry first; merge by insertion
    Merge,      // compare first; merge two sorted lists in one linear pass
};

// Order of i32 as order of u32.
inline std::uint32_t extreme_key(std::int32_t value) {
    return static_cast<std::uint32_t>(value) ^ 0x80000000u;
}
inline std::int32_t extreme_value(std::uint32_t key) {
    return static_cast<std::int32_t>(key ^ 0x80000000u);
}

// keys[0], keys[1]: extreme_key() of the smallest and the largest of x [n] and of what they were before. One
// launch. n = 0 leaves the keys.
cuda::LaunchStatus launch_plain_extremes(const std::int32_t* x, std::uint64_t n, std::uint32_t* keys,
                                         const ListPolicy& policy, cuda::Stream stream);
cuda::KernelEntry plain_extremes_kernel(unsigned threads);

// Whether a kernel exists for this k.
bool has_list_size(unsigned k);
// Shared memory of a block: the limit of this form.
constexpr std::size_t list_topk_shared_bytes(unsigned k, unsigned threads) {
    return std::size_t{4} * k * threads;
}
// out [k]: the largest distinct values of x [n], descending; INT32_MIN where there are fewer. lists
// [policy.blocks * k] is work space. Two launches. x may be managed memory.
// REQUIRES: has_list_size(k); the device has list_topk_shared_bytes(k, policy.threads).
cuda::LaunchStatus launch_list_topk(ListMethod method, unsigned k, const std::int32_t* x, std::uint64_t n,
                                    std::int32_t* out, std::int32_t* lists, const ListPolicy& policy,
                                    cuda::Stream stream);
// REQUIRES: has_list_size(k).
cuda::KernelEntry list_topk_kernel(ListMethod method, unsigned k, unsigned threads);

}  // namespace seeds
}  // namespace tegu
