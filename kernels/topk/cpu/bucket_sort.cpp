// SPDX-License-Identifier: Apache-2.0
// Sorts the buckets of top-k, each in the cache, and writes the result.
#include <atomic>
#include <utility>

#include "kernels/selection/cpu/sort.h"
#include "kernels/topk/cpu/bucket_run.h"

namespace tegu::kernels::topk {
namespace {

// In entries: below this, counting the values of wide digits takes longer than an extra pass.
constexpr std::uint64_t kSmall = 1536;
constexpr unsigned kNarrowDigit = 8;

}  // namespace

template <class Entry>
BucketDigits Buckets<Entry>::digits_of(std::uint32_t b) const {
    const bool tie = map_.has_tie && b + 1 == used_;
    const std::uint64_t low = tie ? map_.tie : b == 0 ? 0 : uppers_[b - 1] + 1;
    const unsigned width = tie ? 0 : width_of(uppers_[b] - low);
    const unsigned widest = buckets_[b].count < kSmall ? kNarrowDigit : BucketDigits::kWidest;
    const unsigned passes = (width + widest - 1) / widest;
    return BucketDigits{low, passes, passes == 0 ? 0 : (width + passes - 1) / passes};
}

template <class Entry>
Entry* Buckets<Entry>::sort_bucket(std::uint32_t b, unsigned worker) const {
    Entry* const a = scratch_of(worker);
    return sorting_.sort(entries_of(b), buckets_[b].count, digits_of(b), a, a + selector_.method.bucket);
}

template <class Entry>
void Buckets<Entry>::write(const Entry* entries, std::uint64_t count, std::uint64_t result) const {
    sorting_.write(entries, count, selector_.problem.flip,
                   selector_.target.values + result * selector_.segment.element_bytes,
                   selector_.target.indices + result * sizeof(std::int64_t));
}

template <class Entry>
bool Buckets<Entry>::sort_plain() {
    const bool done = selector_.workers.run(used_, [&](std::uint64_t number, unsigned worker) {
        const auto b = static_cast<std::uint32_t>(number);
        const Bucket& bucket = buckets_[b];
        if (bucket.taken == 0 || bucket.count > selector_.method.bucket) return;
        write(sort_bucket(b, worker), bucket.taken, bucket.begin);
    });
    for (std::uint32_t b = 0; b < used_ && done; ++b)
        if (buckets_[b].taken > 0 && buckets_[b].count > selector_.method.bucket && !write_large(b))
            return false;
    return done;
}

template <class Entry>
bool Buckets<Entry>::write_large(std::uint32_t b) {
    Workspace workspace;
    const Entry* sorted = sort_large(b, workspace);
    if (sorted == nullptr) return false;
    const Bucket& bucket = buckets_[b];
    return selector_.workers.run((bucket.taken + kAtOnce - 1) / kAtOnce, [&](std::uint64_t task, unsigned) {
        const std::uint64_t end = std::min(bucket.taken, (task + 1) * kAtOnce);
        write(sorted + task * kAtOnce, end - task * kAtOnce, bucket.begin + task * kAtOnce);
    });
}

template <class Entry>
Entry* Buckets<Entry>::sort_large(std::uint32_t b, Workspace& workspace) {
    Entry* const from = entries_of(b);
    const std::uint64_t count = buckets_[b].count;
    const std::uint64_t tasks = (count + kAtOnce - 1) / kAtOnce;
    std::atomic<bool> equal{true};
    const std::uint64_t first = selector_.key_of(from[0]);
    const auto chunk = [&](std::uint64_t task, auto body) {
        const std::uint64_t end = std::min(count, (task + 1) * kAtOnce);
        for (std::uint64_t i = task * kAtOnce; i < end; ++i) body(i);
    };
    const bool compared = selector_.workers.run(tasks, [&](std::uint64_t task, unsigned) {
        std::uint64_t differ = 0;
        chunk(task, [&](std::uint64_t i) { differ |= selector_.key_of(from[i]) ^ first; });
        if (differ != 0) equal.store(false, std::memory_order_relaxed);
    });
    if (!compared) return nullptr;
    if (equal.load()) return from;
    // Entries in an output may change during the sort, so they are copied first.
    const bool in_output = selector_.layout.entries == nullptr && from != selector_.spare;
    Result<Workspace> made = Workspace::create((in_output ? 2 : 1) * count * sizeof(Entry));
    if (!made) {
        selector_.out_of_memory = true;
        return nullptr;
    }
    workspace = std::move(*made);
    Entry* const memory = reinterpret_cast<Entry*>(workspace.memory());
    if (!in_output) return sort_by_key(from, memory, count, selector_.shift, selector_.workers);
    const bool copied = selector_.workers.run(tasks, [&](std::uint64_t task, unsigned) {
        chunk(task, [&](std::uint64_t i) { memory[i] = from[i]; });
    });
    return copied ? sort_by_key(memory, memory + count, count, selector_.shift, selector_.workers) : nullptr;
}

template <class Entry>
bool Buckets<Entry>::place(std::uint32_t b, std::uint64_t taken) {
    const std::lock_guard<std::mutex> lock(placing_);
    buckets_[b].taken = taken;
    buckets_[b].sorted = true;
    for (; placed_ < used_ && buckets_[placed_].sorted; ++placed_) {
        Bucket& bucket = buckets_[placed_];
        bucket.result = next_place_;
        bucket.taken = std::min(bucket.taken, selector_.problem.k - next_place_);
        next_place_ += bucket.taken;
    }
    return b < placed_;
}

// Threads take buckets in order, so most find their place at once.
template <class Entry>
void Buckets<Entry>::sort_distinct(std::uint32_t b, unsigned worker) {
    Bucket& bucket = buckets_[b];
    if (bucket.count > selector_.method.bucket) return;
    Entry* const sorted = bucket.count == 0 ? nullptr : sort_bucket(b, worker);
    const std::uint64_t taken = selector_.first_of_each_key(sorted, bucket.count);
    bucket.written = place(b, taken);
    if (bucket.written) {
        write(sorted, bucket.taken, bucket.result);
    } else {
        std::copy(sorted, sorted + taken, store_ + bucket.begin);
    }
}

template <class Entry>
bool Buckets<Entry>::sort_distinct() {
    placed_ = 0;
    next_place_ = 0;
    const bool done = selector_.workers.run(used_, [&](std::uint64_t number, unsigned worker) {
        sort_distinct(static_cast<std::uint32_t>(number), worker);
    });
    for (std::uint32_t b = 0; b < used_ && done; ++b) {
        if (buckets_[b].sorted) continue;
        Workspace workspace;
        const Entry* sorted = sort_large(b, workspace);
        if (sorted == nullptr || !keep_first_of_each(sorted, b)) return false;
        place(b, buckets_[b].taken);
    }
    selector_.size = next_place_;
    return done;
}

template <class Entry>
bool Buckets<Entry>::keep_first_of_each(const Entry* sorted, std::uint32_t b) {
    Entry* const to = store_ + buckets_[b].begin;
    std::uint64_t kept = 0;
    for (std::uint64_t i = 0; i < buckets_[b].count; ++i) {
        if (i % kPiece == 0 && selector_.workers.stop().stop_requested()) return false;
        if (kept == 0 || selector_.key_of(sorted[i]) != selector_.key_of(to[kept - 1]))
            to[kept++] = sorted[i];
    }
    buckets_[b].taken = kept;
    return true;
}

template <class Entry>
bool Buckets<Entry>::write_distinct() {
    return selector_.workers.run(used_, [&](std::uint64_t b, unsigned) {
        const Bucket& bucket = buckets_[b];
        if (!bucket.written) write(store_ + bucket.begin, bucket.taken, bucket.result);
    });
}

template BucketDigits Buckets<Entry64>::digits_of(std::uint32_t b) const;
template BucketDigits Buckets<Entry128>::digits_of(std::uint32_t b) const;
template Entry64* Buckets<Entry64>::sort_bucket(std::uint32_t b, unsigned worker) const;
template Entry128* Buckets<Entry128>::sort_bucket(std::uint32_t b, unsigned worker) const;
template void Buckets<Entry64>::write(const Entry64* entries, std::uint64_t count,
                                      std::uint64_t result) const;
template void Buckets<Entry128>::write(const Entry128* entries, std::uint64_t count,
                                       std::uint64_t result) const;
template bool Buckets<Entry64>::sort_plain();
template bool Buckets<Entry128>::sort_plain();
template bool Buckets<Entry64>::write_large(std::uint32_t b);
template bool Buckets<Entry128>::write_large(std::uint32_t b);
template Entry64* Buckets<Entry64>::sort_large(std::uint32_t b, Workspace& workspace);
template Entry128* Buckets<Entry128>::sort_large(std::uint32_t b, Workspace& workspace);
template bool Buckets<Entry64>::place(std::uint32_t b, std::uint64_t taken);
template bool Buckets<Entry128>::place(std::uint32_t b, std::uint64_t taken);
template void Buckets<Entry64>::sort_distinct(std::uint32_t b, unsigned worker);
template void Buckets<Entry128>::sort_distinct(std::uint32_t b, unsigned worker);
template bool Buckets<Entry64>::sort_distinct();
template bool Buckets<Entry128>::sort_distinct();
template bool Buckets<Entry64>::keep_first_of_each(const Entry64*, std::uint32_t);
template bool Buckets<Entry128>::keep_first_of_each(const Entry128*, std::uint32_t);
template bool Buckets<Entry64>::write_distinct();
template bool Buckets<Entry128>::write_distinct();

}  // namespace tegu::kernels::topk
