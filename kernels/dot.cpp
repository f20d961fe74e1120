// SPDX-License-Identifier: Apache-2.0
// Two sequences are cut into chunks and groups of chunks at the positions that reduce has; groups of long sequences and blocks of
// short rows go to the threads. Nothing here changes a bit of a result.
#include "kernels/dot.h"

#include <limits>
#include <string>

#include "kernels/cpu/block_run.h"
#include "kernels/cpu/dot_chunk.h"
#include "kernels/cpu/reduce_exact.h"
#include "kernels/cpu/reduce_sequence.h"

namespace tegu::kernels {
namespace {

constexpr std::uint64_t kRowBlockBytes = 256 << 10;  // rows that a thread takes at a time

ElementType dot_type(ElementType type) {
    return is_float(type) ? ElementType::F64 : is_signed_integer(type) ? ElementType::I64 : ElementType::U64;
}

// A fit to measurements on one core of an x86-64 server: admission needs the order of magnitude.
std::uint64_t predict_ns(const Job& job, bool skip_nans) {
    const double bytes = 2.0 * static_cast<double>(element_bytes(job.type));
    const double element_ns = bytes * 0.04 + (job.type == ElementType::F16 ? 0.04 : 0) + (skip_nans ? 0.1 : 0);
    const double sequence_ns = is_float(job.type) ? 55 : 20;
    const double elements = static_cast<double>(job.rows) * static_cast<double>(job.cols);
    return predicted_work_ns(150 + sequence_ns * static_cast<double>(sequences_of(job)) + element_ns * elements);
}

// --- results ------------------------------------------------------------------------------------------------------------

Result<void> write_dot(const FloatDot& dot, ElementType, std::byte* out) {
    const double value = dot.sum == dot.sum ? dot.sum + 0.0 : std::numeric_limits<double>::quiet_NaN();
    std::memcpy(out, &value, sizeof value);
    return {};
}

// Decimal digits of an integer of 192 bits.
std::string to_string(const IntegerDot& dot) {
    IntegerDot rest = dot;
    const bool negative = (dot.limb[2] >> 63) != 0;
    if (negative) {
        for (std::uint64_t& limb : rest.limb) limb = ~limb;
        merge_partials(rest, IntegerDot{{1, 0, 0}});
    }
    std::string digits;
    do {
        Uint128 remainder = 0;
        for (int i = 2; i >= 0; --i) {
            remainder = (remainder << 64) | rest.limb[i];
            rest.limb[i] = static_cast<std::uint64_t>(remainder / 10);
            remainder %= 10;
        }
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(remainder)));
    } while ((rest.limb[0] | rest.limb[1] | rest.limb[2]) != 0);
    return (negative ? "-" : "") + digits;
}

Result<void> write_dot(const IntegerDot& dot, ElementType type, std::byte* out) {
    const bool is_signed = type == ElementType::I64;
    const std::uint64_t above = is_signed ? 0 - (dot.limb[0] >> 63) : 0;
    if (dot.limb[1] != above || dot.limb[2] != above)
        return field_error(Status::Overflow, "dot", is_signed ? "-2^63..2^63-1" : "0..2^64-1",
                           "dot is " + to_string(dot) + " and does not fit " + std::string(element_word(type)));
    std::memcpy(out, &dot.limb[0], sizeof dot.limb[0]);
    return {};
}

// --- sequences ----------------------------------------------------------------------------------------------------------

// Two sequences of the same shape. `contiguous`: neither has gaps.
struct SequencePair {
    Sequence x;
    Sequence y;
    bool contiguous;
};

template <class Partial>
class Work {
  public:
    using Kernel = void (*)(const std::byte*, const std::byte*, std::size_t, bool, Partial*);
    Work(Kernel kernel, bool skip_nans) : kernel_(kernel), skip_nans_(skip_nans) {}

    // The subtree of chunks [begin, end). False: stopped.
    bool group(const SequencePair& pair, std::uint64_t begin, std::uint64_t end, const StopToken& stop,
               Partial* out) const {
        if (end - begin == 1) return chunk(pair, begin, out), true;
        PartialTree<Partial> tree;
        Partial partial;
        for (std::uint64_t c = begin; c < end; ++c) {
            if (c != begin && c % kMaxGroupChunks == 0 && stop.stop_requested()) return false;
            chunk(pair, c, &partial);
            tree.push(partial);
        }
        *out = tree.finish();
        return true;
    }

    Result<void> parallel(const SequencePair& pair, ThreadPool* pool, const StopToken& stop, Partial* out) const {
        const std::uint64_t chunks = chunks_of(pair.x.n);
        const std::uint64_t width = group_chunks(chunks, pool->threads());
        const std::uint64_t groups = blocks_of(chunks, width);
        const std::unique_ptr<Partial[]> partials(new (std::nothrow) Partial[groups]);
        if (partials == nullptr) return make_error(Status::OutOfMemory, "no memory for the partial results of dot");
        Result<void> done = for_blocks(groups, pool, stop, [&](std::uint64_t g, unsigned) -> Result<void> {
            if (group(pair, g * width, std::min((g + 1) * width, chunks), stop, &partials[g])) return {};
            return stop.error();
        });
        if (!done) return done;
        PartialTree<Partial> tree;
        for (std::uint64_t g = 0; g < groups; ++g) tree.push(partials[g]);
        *out = tree.finish();
        return {};
    }

  private:
    void chunk(const SequencePair& pair, std::uint64_t index, Partial* out) const {
        const std::uint64_t begin = index * kChunkElements;
        const std::uint64_t count = std::min<std::uint64_t>(kChunkElements, pair.x.n - begin);
        if (!pair.contiguous) return gathered(pair, begin, count, out);
        const std::uint64_t offset = begin * pair.x.element_bytes;
        kernel_(pair.x.data + offset, pair.y.data + offset, count, skip_nans_, out);
    }

    __attribute__((noinline)) void gathered(const SequencePair& pair, std::uint64_t begin, std::uint64_t count,
                                            Partial* out) const {
        alignas(64) std::byte x[kChunkElements * sizeof(std::uint64_t)];
        alignas(64) std::byte y[kChunkElements * sizeof(std::uint64_t)];
        gather(pair.x, begin, count, x);
        gather(pair.y, begin, count, y);
        kernel_(x, y, count, skip_nans_, out);
    }

    Kernel kernel_;
    bool skip_nans_;
};

template <class Partial>
class Run {
  public:
    Run(const Job& job, Work<Partial> work, Span<const InputView> inputs, std::byte* out)
        : job_(job),
          work_(work),
          inputs_(inputs),
          out_(out),
          bytes_(element_bytes(job.type)),
          type_(dot_type(job.type)) {}

    Result<void> whole(ThreadPool* pool, const StopToken& stop) const {
        const auto dense = [&](const InputView& input) { return job_.rows <= 1 || input.row_stride == job_.cols; };
        const auto sequence = [&](const InputView& input) {
            return Sequence{input.data, job_.rows * job_.cols, job_.cols, input.row_stride, bytes_, false};
        };
        return one(SequencePair{sequence(inputs_[0]), sequence(inputs_[1]), dense(inputs_[0]) && dense(inputs_[1])}, 0,
                   pool, stop);
    }

    // Each row by all threads.
    Result<void> long_rows(ThreadPool* pool, const StopToken& stop) const {
        for (std::uint64_t r = 0; r < job_.rows; ++r) {
            Result<void> done = row(r, pool, stop);
            if (!done) return done;
        }
        return {};
    }

    // Each thread takes blocks of rows.
    Result<void> short_rows(ThreadPool* pool, const StopToken& stop) const {
        const std::uint64_t block = std::max<std::uint64_t>(1, kRowBlockBytes / (2 * job_.cols * bytes_ + 64));
        return for_blocks(blocks_of(job_.rows, block), pool, stop, [&](std::uint64_t b, unsigned) -> Result<void> {
            const std::uint64_t end = std::min((b + 1) * block, job_.rows);
            for (std::uint64_t r = b * block; r < end; ++r) {
                Result<void> done = row(r, nullptr, stop);
                if (!done) return done;
            }
            return {};
        });
    }

  private:
    Result<void> row(std::uint64_t index, ThreadPool* pool, const StopToken& stop) const {
        const auto sequence = [&](const InputView& input) {
            const std::byte* data = job_.cols == 0 ? input.data : input.data + index * input.row_stride * bytes_;
            return Sequence{data, job_.cols, job_.cols, job_.cols, bytes_, false};
        };
        return one(SequencePair{sequence(inputs_[0]), sequence(inputs_[1]), true}, index, pool, stop);
    }

    Result<void> one(const SequencePair& pair, std::uint64_t index, ThreadPool* pool, const StopToken& stop) const {
        Partial partial{};
        if (pool != nullptr && pair.x.n > kChunkElements) {
            Result<void> done = work_.parallel(pair, pool, stop, &partial);
            if (!done) return done;
        } else if (pair.x.n != 0 && !work_.group(pair, 0, chunks_of(pair.x.n), stop, &partial)) {
            return stop.error();
        }
        Result<void> written = write_dot(partial, type_, out_ + index * sizeof(std::uint64_t));
        if (!written && job_.axis == Axis::Rows) written.error().message += " in row " + std::to_string(index);
        return written;
    }

    const Job& job_;
    Work<Partial> work_;
    Span<const InputView> inputs_;
    std::byte* out_;
    std::size_t bytes_;
    ElementType type_;
};

template <class Partial>
Result<void> run_typed(typename Work<Partial>::Kernel kernel, const Job& job, const DotParams& params,
                       Span<const InputView> inputs, std::byte* out, ThreadPool* pool, const StopToken& stop) {
    const Run<Partial> run(job, Work<Partial>(kernel, params.skip_nans), inputs, out);
    if (job.axis == Axis::Whole) return run.whole(pool, stop);
    const bool enough_rows = pool == nullptr || job.rows >= 4 * std::uint64_t{pool->threads()};
    const bool long_rows = job.cols > kMaxGroupChunks * kChunkElements;
    return enough_rows || !long_rows ? run.short_rows(pool, stop) : run.long_rows(pool, stop);
}

FloatDotKernel float_kernel(ElementType type) {
    if (type == ElementType::F16) return TEGU_ISA_SELECT(dot_chunk_f16);
    if (type == ElementType::F32) return TEGU_ISA_SELECT(dot_chunk_f32);
    return TEGU_ISA_SELECT(dot_chunk_f64);
}

IntegerDotKernel integer_kernel(ElementType type) {
    switch (type) {
#define TEGU_X(word, element) \
    case ElementTypeOf<element>::value: return TEGU_ISA_SELECT(dot_chunk_##word);
        TEGU_REDUCE_INTEGER_KERNELS(TEGU_X)
#undef TEGU_X
        default: return nullptr;
    }
}

}  // namespace

Result<JobPlan> plan_dot(const Job& job, const DotParams& params) {
    const std::uint64_t sequences = sequences_of(job);
    if (sequences > kMaxOutputRows)
        return field_error(Status::TooLarge, "rows", "up to 2^56",
                           "a result for each of " + std::to_string(job.rows) + " rows is too large");
    const std::uint64_t elements = job.rows * job.cols;
    JobPlan plan;
    plan.outputs = {ArraySpec{ArrayRole::Dot, dot_type(job.type), sequences, 1}};
    plan.bytes_read = 2 * elements * element_bytes(job.type);
    plan.bytes_written = array_bytes(plan.outputs[0]);
    plan.scratch_bytes = std::min(chunks_of(job.axis == Axis::Rows ? job.cols : elements), kMaxGroups) *
                         (is_float(job.type) ? sizeof(FloatDot) : sizeof(IntegerDot));
    plan.predicted_ns = predict_ns(job, params.skip_nans && is_float(job.type));
    return plan;
}

Result<RunReport> run_dot(const Job& job, const DotParams& params, Span<const InputView> inputs,
                          Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    if (pool != nullptr && (pool->threads() == 1 || predict_ns(job, false) < kParallelWorkNs)) pool = nullptr;
    std::byte* out = outputs[0].data;
    Result<void> done = is_float(job.type)
                            ? run_typed<FloatDot>(float_kernel(job.type), job, params, inputs, out, pool, stop)
                            : run_typed<IntegerDot>(integer_kernel(job.type), job, params, inputs, out, pool, stop);
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(pool);
    report.policy += " tile=1024";
    report.filled_columns = {1};
    return report;
}

}  // namespace tegu::kernels
