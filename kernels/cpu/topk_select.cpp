// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/topk_select.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include "kernels/cpu/topk_sort.h"

namespace tegu::kernels::topk {
namespace {

constexpr std::uint64_t kTile =
    8192;  // elements that one call of a scan kernel gets; of a strided sequence, they are copied first
constexpr std::uint64_t kTilesPerTask = 8;
constexpr std::uint64_t kMinBlock = 64;

const ScanKernels& scan_kernels(ElementType type) {
    using namespace ::tegu::kernels;
    static const auto of = TEGU_ISA_SELECT(topk_scan_kernels);
    return of(type);
}

constexpr std::uint64_t round_up(std::uint64_t bytes) {
    return (bytes + 63) / 64 * 64;
}

// Copies elements [begin, begin + count) of a sequence with gaps.
void copy_dense(const Sequence& sequence, std::uint64_t begin, std::uint64_t count, std::byte* to) {
    std::uint64_t row = begin / sequence.cols;
    std::uint64_t col = begin % sequence.cols;
    while (count > 0) {
        const std::uint64_t piece = std::min(count, sequence.cols - col);
        const std::uint64_t bytes = piece * sequence.bytes;
        std::memcpy(to, sequence.data + (row * sequence.stride + col) * sequence.bytes, bytes);
        to += bytes;
        count -= piece;
        ++row;
        col = 0;
    }
}

template <class Entry>
struct EntryTraits;
template <>
struct EntryTraits<Entry64> {
    static std::uint64_t collect(const ScanKernels& kernels, Elements elements, std::uint64_t first,
                                 std::uint64_t bound, unsigned shift, Entry64* out) {
        return kernels.collect64(elements, first, bound, shift, out);
    }
};
template <>
struct EntryTraits<Entry128> {
    static std::uint64_t collect(const ScanKernels& kernels, Elements elements, std::uint64_t first,
                                 std::uint64_t bound, unsigned, Entry128* out) {
        return kernels.collect128(elements, first, bound, out);
    }
};

unsigned shift_of(const Question& question, bool wide) {
    return wide ? 64 : element_bytes(question.type) <= 2 ? 48 : 32;
}

template <class Entry>
class Selector {
  public:
    Selector(const Sequence& sequence, const Question& question, const Method& method, Workspace& workspace,
             const Team& team)
        : sequence_(sequence),
          question_(question),
          method_(method),
          team_(team),
          kernels_(scan_kernels(question.type)),
          shift_(shift_of(question, method.wide)) {
        std::byte* memory = workspace.memory.get();
        const auto take = [&memory](std::uint64_t bytes) {
            std::byte* taken = memory;
            memory += round_up(bytes);
            return taken;
        };
        entries_ = reinterpret_cast<Entry*>(take(method.entries * sizeof(Entry)));
        spare_ = reinterpret_cast<Entry*>(take(method.entries * sizeof(Entry)));
        order_ = reinterpret_cast<Entry*>(take(method.blocks * sizeof(Entry)));
        minima_ = reinterpret_cast<std::uint64_t*>(take(method.blocks * sizeof(std::uint64_t)));
        dense_ = take(kMaxSlots * kTile * sizeof(std::uint64_t));
    }

    Result<Selection> run() {
        const bool done = method_.kind == MethodKind::Blocks ? by_blocks() : directly();
        if (!done || !finish()) return team_.stop().error();
        return Selection{entries_, size_, shift_, method_.wide};
    }

  private:
    // Elements [begin, begin + count) side by side. REQUIRES: count <= kTile.
    Elements view(std::uint64_t begin, std::uint64_t count, unsigned slot) const {
        if (sequence_.dense()) return Elements{sequence_.data + begin * sequence_.bytes, count, question_.flip};
        std::byte* copy = dense_ + slot * kTile * sizeof(std::uint64_t);
        copy_dense(sequence_, begin, count, copy);
        return Elements{copy, count, question_.flip};
    }

    // Calls body(begin, count, slot) for tiles of the sequence, from several threads.
    template <class Body>
    bool for_each_tile(Body body) const {
        const std::uint64_t task_size = kTile * kTilesPerTask;
        return team_.run((question_.n + task_size - 1) / task_size, [&](std::uint64_t task, unsigned slot) {
            const std::uint64_t end = std::min(question_.n, (task + 1) * task_size);
            for (std::uint64_t begin = task * task_size; begin < end; begin += kTile)
                body(begin, std::min(kTile, end - begin), slot);
        });
    }

    bool directly() {
        size_ = question_.n;
        return for_each_tile([this](std::uint64_t begin, std::uint64_t count, unsigned slot) {
            EntryTraits<Entry>::collect(kernels_, view(begin, count, slot), begin, ~std::uint64_t{0}, shift_,
                                        entries_ + begin);
        });
    }

    bool by_blocks() {
        const std::uint64_t block = method_.block;
        const bool scanned = for_each_tile([this, block](std::uint64_t begin, std::uint64_t count, unsigned slot) {
            kernels_.minima(view(begin, count, slot), block, minima_ + begin / block);
        });
        if (!scanned) return false;
        for (std::uint64_t b = 0; b < method_.blocks; ++b) order_[b] = (static_cast<Entry>(minima_[b]) << shift_) | b;
        const std::uint64_t candidates = std::min(question_.k, method_.blocks);
        std::nth_element(order_, order_ + (candidates - 1), order_ + method_.blocks);
        std::sort(order_, order_ + candidates);
        worst_ = (static_cast<Entry>(rank_of(order_[candidates - 1])) << shift_) | index_mask();
        for (std::uint64_t i = 0; i < candidates; ++i) {
            const std::uint64_t begin = index_of(order_[i]) * block;
            if (((static_cast<Entry>(rank_of(order_[i])) << shift_) | begin) > worst_) break;
            if (size_ + block > method_.entries) keep_best();
            if (i % 64 == 0 && team_.stop().stop_requested()) return false;
            size_ += EntryTraits<Entry>::collect(kernels_, view(begin, std::min(block, question_.n - begin), 0), begin,
                                                 rank_of(worst_), shift_, entries_ + size_);
        }
        return true;
    }

    // Drops all candidates but the best k; what comes later must beat the last of them.
    void keep_best() {
        if (size_ <= question_.k) return;
        std::nth_element(entries_, entries_ + (question_.k - 1), entries_ + size_);
        size_ = question_.k;
        worst_ = entries_[question_.k - 1];
    }

    bool finish() {
        if (!question_.distinct && (method_.kind == MethodKind::Blocks || question_.k <= question_.n / 8)) {
            keep_best();
            std::sort(entries_, entries_ + size_);
        } else if (size_ > 0) {
            Entry* sorted = sort_by_rank(entries_, spare_, size_, shift_, team_);
            if (sorted == nullptr) return false;
            entries_ = sorted;
        }
        if (question_.distinct)
            size_ = static_cast<std::uint64_t>(
                std::unique(entries_, entries_ + size_, [this](Entry a, Entry b) { return rank_of(a) == rank_of(b); }) -
                entries_);
        size_ = std::min(size_, question_.k);
        return true;
    }

    std::uint64_t rank_of(Entry entry) const { return static_cast<std::uint64_t>(entry >> shift_); }
    std::uint64_t index_of(Entry entry) const { return static_cast<std::uint64_t>(entry & index_mask()); }
    Entry index_mask() const { return (Entry{1} << shift_) - 1; }

    const Sequence& sequence_;
    const Question& question_;
    const Method& method_;
    const Team& team_;
    const ScanKernels& kernels_;
    const unsigned shift_;
    Entry* entries_;
    Entry* spare_;
    Entry* order_;
    std::uint64_t* minima_;
    std::byte* dense_;
    std::uint64_t size_ = 0;
    Entry worst_ = 0;
};

}  // namespace

Method choose_method(const Question& question) {
    Method method;
    const std::uint64_t n = question.n;
    const std::size_t width = element_bytes(question.type);
    method.wide = width == 8 || (width == 4 && n > (std::uint64_t{1} << 32));
    if (!question.distinct && n >= 1024 && question.k <= n / (8 * kMinBlock)) {
        method.kind = MethodKind::Blocks;
        method.block = kMinBlock;  // near 2 * sqrt(n / k): as many minima to sort through as elements to read again
        while (method.block < kTile && method.block * method.block < 2 * (n / question.k) &&
               question.k <= n / (16 * method.block))
            method.block *= 2;
        method.blocks = (n + method.block - 1) / method.block;
        method.entries = 2 * question.k + 2 * method.block;
    } else {
        method.entries = n;
    }
    const std::uint64_t entry = method.wide ? sizeof(Entry128) : sizeof(Entry64);
    method.bytes = 2 * round_up(method.entries * entry) + round_up(method.blocks * entry) +
                   round_up(method.blocks * sizeof(std::uint64_t)) + kMaxSlots * kTile * sizeof(std::uint64_t) + 64;
    return method;
}

Result<Workspace> Workspace::create(const Method& method) {
    Workspace workspace;
    workspace.memory.reset(new (std::nothrow) std::byte[method.bytes]);
    if (workspace.memory == nullptr)
        return make_error(Status::OutOfMemory,
                          "top-k needs " + std::to_string(method.bytes) + " bytes of working memory");
    return workspace;
}

std::uint64_t Selection::rank(std::uint64_t i) const {
    return wide ? static_cast<std::uint64_t>(static_cast<const Entry128*>(entries)[i] >> 64)
                : static_cast<const Entry64*>(entries)[i] >> shift;
}

std::uint64_t Selection::index(std::uint64_t i) const {
    return wide ? static_cast<std::uint64_t>(static_cast<const Entry128*>(entries)[i])
                : static_cast<const Entry64*>(entries)[i] & ((std::uint64_t{1} << shift) - 1);
}

Result<Selection> select(const Sequence& sequence, const Question& question, const Method& method, Workspace& workspace,
                         const Team& team) {
    assert(sequence.size() == question.n && question.k >= 1 && question.k <= question.n);
    return method.wide ? Selector<Entry128>(sequence, question, method, workspace, team).run()
                       : Selector<Entry64>(sequence, question, method, workspace, team).run();
}

}  // namespace tegu::kernels::topk
