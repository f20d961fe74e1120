// SPDX-License-Identifier: Apache-2.0
#include "kernels/fused/cpu/sweeps.h"

#include "kernels/fused/part.h"

namespace tegu::kernels {
namespace {

// The counting parts of a job and the memory of one of their workers: values, bins, levels.
struct Counting {
    std::optional<HistogramRun> histogram;
    std::optional<EntropyRun> entropy;
    bool by_values = false;

    Counting(const Job& job, const SweptParts& parts) {
        if (parts.histogram != nullptr) histogram.emplace(job, *parts.histogram, parts.histogram_outputs);
        if (parts.entropy != nullptr) entropy.emplace(job, *parts.entropy, parts.entropy_outputs);
        by_values = (histogram && histogram->by_values()) || (entropy && entropy->by_values());
    }
    std::size_t value_bytes(ElementType type) const {
        return by_values ? ValueCounter::worker_bytes(type) : 0;
    }
    std::size_t histogram_bytes() const { return histogram ? histogram->worker_bytes() : 0; }
    std::size_t entropy_bytes() const { return entropy ? entropy->worker_bytes() : 0; }
    std::size_t worker_bytes(ElementType type) const {
        return value_bytes(type) + histogram_bytes() + entropy_bytes();
    }
    bool histogram_has_pass() const { return histogram && histogram->has_range_pass(); }
    bool entropy_has_pass() const { return entropy && entropy->has_range_pass(); }
    // True if bins (or levels) are counted in this sweep, the first or the second.
    bool bins_in(bool first) const {
        return histogram && !histogram->by_values() && histogram->has_range_pass() != first;
    }
    bool levels_in(bool first) const {
        return entropy && !entropy->by_values() && entropy->has_range_pass() != first;
    }
};

template <class T>
class Sweeper {
  public:
    using Partial = typename ReduceKernel<T>::Partial;

    Sweeper(const Job& job, const SweptParts& parts, const WorkerGroup& workers)
        : job_(job), counting_(job, parts), workers_(workers.size()) {
        unsigned needs = 0;
        if (parts.reduce != nullptr) {
            writer_.emplace(job, *parts.reduce, parts.reduce_outputs);
            needs = reduce_needs(*parts.reduce, job.type);
        }
        if (counting_.histogram_has_pass()) needs |= kNeedExtrema;
        work_ = ChunkWork<Partial>{ReduceKernel<T>::select(), needs};
    }

    // Errors: OutOfMemory.
    Result<void> prepare() {
        Result<AlignedBytes> memory = allocate_workers(counting_.worker_bytes(job_.type), workers_);
        if (!memory) return std::move(memory).error();
        memory_ = std::move(*memory);
        std::byte* next = memory_.get();
        if (counting_.by_values) values_.emplace(job_.type, next, workers_);
        next += workers_ * counting_.value_bytes(job_.type);
        if (counting_.histogram) counting_.histogram->attach(next, workers_);
        next += workers_ * counting_.histogram_bytes();
        if (counting_.entropy) counting_.entropy->attach(next, workers_);
        if (workers_ == 1) return {};
        partials_.reset(new (std::nothrow) Partial[kMaxGroups]);
        if (partials_ == nullptr)
            return make_error(Status::OutOfMemory, "no memory for the partial results of reduce");
        return {};
    }

    Result<void> one(const Segment& segment, std::uint64_t row, const WorkerGroup& group) {
        FirstSweep seen;
        Result<void> begun = begin(true, group, row, seen);
        if (!begun) return begun;
        if (values_) values_->begin(group);
        if (!first_sweep(segment, group, &seen)) return group.stop().error();
        if (writer_) {
            Result<void> written = writer_->write(segment, seen.partial, row);
            if (!written) return error_of_part(Operation::Reduce, std::move(written).error());
        }
        begun = begin(false, group, row, seen);
        if (!begun) return begun;
        if (counting_.bins_in(false) || counting_.levels_in(false)) {
            if (!sweep(segment, group, [&](const std::byte* data, std::size_t n, unsigned worker) {
                    count(false, data, n, worker, group);
                }))
                return group.stop().error();
        }
        return finish(group, row);
    }

  private:
    // The results of the first sweep of a segment.
    struct FirstSweep {
        Partial partial{};
        FiniteRange range;
    };

    Result<void> begin(bool first, const WorkerGroup& group, std::uint64_t row, const FirstSweep& seen) {
        if (counting_.bins_in(first)) {
            Result<void> begun =
                counting_.histogram->begin(group, row, first ? Extrema{} : extrema_of(seen.partial));
            if (!begun) return error_of_part(Operation::Histogram, std::move(begun).error());
        }
        if (counting_.levels_in(first)) {
            Result<void> begun = counting_.entropy->begin(group, row, seen.range);
            if (!begun) return error_of_part(Operation::Entropy, std::move(begun).error());
        }
        return {};
    }

    void count(bool first, const std::byte* data, std::size_t n, unsigned worker, const WorkerGroup& group) {
        if (counting_.bins_in(first)) counting_.histogram->take(data, n, worker);
        if (counting_.levels_in(first)) counting_.entropy->take(data, n, worker, group);
    }

    bool first_sweep(const Segment& segment, const WorkerGroup& group, FirstSweep* seen) {
        const std::uint64_t chunks = chunks_of(segment.n);
        const std::uint64_t width = group_chunks(chunks, group.size());
        const std::uint64_t groups = blocks_of(chunks, width);
        FiniteRange ranges[kMaxWorkers];
        PartialTree<Partial> serial;  // a single worker takes the groups in their order
        const bool finished = group.run(groups, [&](std::uint64_t g, unsigned worker) {
            Partial partial;
            if (!sweep_group(segment, g * width, std::min((g + 1) * width, chunks), worker, group,
                             &ranges[worker], &partial))
                return false;
            if (work_.needs == 0) return true;
            if (group.size() == 1)
                serial.push(partial);
            else
                partials_[g] = partial;
            return true;
        });
        if (!finished) return false;
        for (const FiniteRange& range : ranges) {
            seen->range.lo = std::min(seen->range.lo, range.lo);
            seen->range.hi = std::max(seen->range.hi, range.hi);
        }
        if (work_.needs == 0 || groups == 0) return true;
        if (group.size() > 1)
            for (std::uint64_t g = 0; g < groups; ++g) serial.push(partials_[g]);
        seen->partial = serial.finish();
        return true;
    }

    // Chunks [begin, end). False: stopped.
    bool sweep_group(const Segment& segment, std::uint64_t begin, std::uint64_t end, unsigned worker,
                     const WorkerGroup& group, FiniteRange* range, Partial* out) {
        ChunkBuffer buffer;  // not initialised
        PartialTree<Partial> tree;
        for (std::uint64_t c = begin; c < end; ++c) {
            if (c != begin && c % kMaxGroupChunks == 0 && group.stop().stop_requested()) return false;
            const std::uint64_t at = c * kChunkElements;
            const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kChunkElements, segment.n - at));
            const std::byte* const data = chunk_at(segment, at, n, work_.needs != 0, &buffer);
            if (work_.needs != 0) {
                Partial chunk;
                work_.kernel(work_.needs, data, n, &chunk);
                set_positions(&chunk, at);
                tree.push(chunk);
            }
            if (counting_.entropy_has_pass()) find_finite_range(job_.type)(data, n, range);
            if (values_) values_->take(data, n, worker, group);
            count(true, data, n, worker, group);
        }
        if (work_.needs != 0) *out = tree.finish();
        return true;
    }

    Result<void> finish(const WorkerGroup& group, std::uint64_t row) {
        Span<const std::uint64_t> value_counts;
        if (values_) value_counts = values_->finish(group);
        if (counting_.histogram && counting_.histogram->by_values()) {
            Result<void> done = counting_.histogram->finish_values(row, value_counts);
            if (!done) return error_of_part(Operation::Histogram, std::move(done).error());
        } else if (counting_.histogram) {
            counting_.histogram->finish(group);
        }
        if (!counting_.entropy) return {};
        if (counting_.entropy->by_values()) {
            Result<void> done = counting_.entropy->finish_values(group, row, value_counts);
            if (!done) return error_of_part(Operation::Entropy, std::move(done).error());
        } else {
            counting_.entropy->finish(group, row);
        }
        return {};
    }

    const Job& job_;
    Counting counting_;
    const unsigned workers_;
    ChunkWork<Partial> work_{};
    std::optional<StatisticWriter<T>> writer_;
    std::optional<ValueCounter> values_;
    AlignedBytes memory_;
    std::unique_ptr<Partial[]> partials_;
};

}  // namespace

int sweeps_of(const Job& job, const SweptParts& parts) {
    if (!parts.any()) return 0;
    const Counting counting(job, parts);
    return counting.histogram_has_pass() || counting.entropy_has_pass() ? 2 : 1;
}

std::uint64_t sweep_scratch_bytes(const Job& job, const SweptParts& parts) {
    if (!parts.any()) return 0;
    const std::size_t bytes = Counting(job, parts).worker_bytes(job.type);
    return bytes * max_workers(bytes) + kMaxGroups * std::max(sizeof(FloatPartial), sizeof(IntegerPartial));
}

Result<unsigned> run_sweeps(const Job& job, const SweptParts& parts, const InputView& input,
                            const CpuContext& context, std::uint64_t predicted_ns, const StopToken& stop) {
    const std::size_t worker_bytes = Counting(job, parts).worker_bytes(job.type);
    const WorkerGroup workers = group_for(context, predicted_ns, stop, max_workers(worker_bytes));
    Result<void> done = visit_element_type(job.type, [&](auto element) -> Result<void> {
        Sweeper<decltype(element)> sweeper(job, parts, workers);
        Result<void> prepared = sweeper.prepare();
        if (!prepared) return prepared;
        return for_segments(job, job.cols * element_bytes(job.type) + kCountingRowCost, workers,
                            [&](std::uint64_t row, const WorkerGroup& group) {
                                return sweeper.one(segment_at(job, input, row), row, group);
                            });
    });
    if (!done) return std::move(done).error();
    return workers.size();
}

}  // namespace tegu::kernels
