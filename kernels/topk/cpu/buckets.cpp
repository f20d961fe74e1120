// SPDX-License-Identifier: Apache-2.0
#include "kernels/topk/cpu/buckets.h"

#include "kernels/topk/cpu/bucket_run.h"

namespace tegu::kernels::topk {

static_assert(2 * kMaxBuckets >= kCells + 65, "the cursors of a worker are the cells of counting, too");

const BucketKernels& bucket_kernels(ElementType type) {
    using namespace ::tegu::kernels;
    static const auto of = TEGU_ISA_SELECT(topk_bucket_kernels);
    return of(type);
}

template <class Entry>
bool Buckets<Entry>::run() {
    const std::uint64_t* sample = take_sample(selector_);
    if (sample == nullptr) return false;
    const std::uint64_t size = selector_.method.sample;
    const std::uint64_t rank = rank_in_sample(sample, selector_.problem, selector_.method);
    bool complete = rank >= size;
    bool found = false;
    if (distinct_ && !list_keys(sample, found)) return false;
    if (found) return true;
    selector_.written = true;
    if (!distinct_ && !guess_tie(sample, found)) return false;
    if (found) return cut() && scatter() && sort_plain();
    if (!count(sample, complete ? size : rank + 1, complete ? worst_key() : sample[rank])) return false;
    if (!complete && total_ < selector_.problem.k) {
        complete = true;
        if (!count(sample, size, worst_key())) return false;
    }
    if (!distinct_) return find_boundary() && scatter() && sort_plain();
    if (!(scatter() && sort_distinct())) return false;
    if (complete || selector_.size >= selector_.problem.k) return write_distinct();
    return count(sample, size, worst_key()) && scatter() && sort_distinct() && write_distinct();
}

template <class Entry>
bool select_buckets(Selector<Entry>& selector) {
    return Buckets<Entry>(selector).run();
}

template class Buckets<Entry64>;
template class Buckets<Entry128>;
template bool select_buckets(Selector<Entry64>&);
template bool select_buckets(Selector<Entry128>&);

}  // namespace tegu::kernels::topk
