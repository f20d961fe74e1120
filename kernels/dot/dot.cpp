// SPDX-License-Identifier: Apache-2.0
// dot: the scalar product of two arrays, or of each pair of their rows. Segments are cut into chunks and
// groups at the same positions as in reduce, so threads and groups change no bit of a result.
#include "kernels/dot/result.h"

#include <limits>
#include <string>

#include "kernels/dot/cpu/chunk.h"
#include "kernels/numerics/exact.h"
#include "kernels/registry.h"
#include "kernels/statistics/cpu/reduce_tree.h"
#include "kernels/statistics/nodes.h"

namespace tegu::kernels {
namespace {

ElementType dot_type(ElementType type) {
    return is_float(type) ? ElementType::F64 : is_signed_integer(type) ? ElementType::I64 : ElementType::U64;
}

// A fit to the measurements of docs/operations/dot.md. Admission needs only the order of magnitude.
std::uint64_t predict_ns(const Job& job, bool skip_nans) {
    const double bytes = 2.0 * static_cast<double>(element_bytes(job.type));
    const double element_ns =
        bytes * 0.04 + (job.type == ElementType::F16 ? 0.04 : 0) + (skip_nans ? 0.1 : 0);
    const double segment_ns = is_float(job.type) ? 55 : 20;
    const double elements = static_cast<double>(job.rows) * static_cast<double>(job.cols);
    return predicted_work_ns(150 + segment_ns * static_cast<double>(segments_of(job)) +
                             element_ns * elements);
}

// --- results

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

// --- segments

// Two segments of the same shape.
struct SegmentPair {
    Segment x;
    Segment y;

    bool contiguous() const { return x.contiguous() && y.contiguous(); }
};

template <class Partial>
class Work {
  public:
    using Kernel = void (*)(const std::byte*, const std::byte*, std::size_t, bool, Partial*);
    Work(Kernel kernel, bool skip_nans) : kernel_(kernel), skip_nans_(skip_nans) {}

    // REQUIRES: the segments have elements.
    Result<void> all(const SegmentPair& pair, const WorkerGroup& workers, Partial* out) const {
        const auto one = [&](std::uint64_t index, Partial* partial) { chunk(pair, index, partial); };
        return reduce_tree(chunks_of(pair.x.n), workers, one, out);
    }

  private:
    void chunk(const SegmentPair& pair, std::uint64_t index, Partial* out) const {
        const std::uint64_t begin = index * kChunkElements;
        const std::uint64_t count = std::min<std::uint64_t>(kChunkElements, pair.x.n - begin);
        if (!pair.contiguous()) return gathered(pair, begin, count, out);
        const std::uint64_t offset = begin * pair.x.element_bytes;
        kernel_(pair.x.data + offset, pair.y.data + offset, count, skip_nans_, out);
    }

    __attribute__((noinline)) void gathered(const SegmentPair& pair, std::uint64_t begin, std::uint64_t count,
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
        : job_(job), work_(work), inputs_(inputs), out_(out), type_(dot_type(job.type)) {}

    Result<void> run(const WorkerGroup& workers) const {
        const std::uint64_t row_bytes = 2 * job_.cols * element_bytes(job_.type);
        return for_segments(
            job_, row_bytes + kRowCost, workers, [&](std::uint64_t row, const WorkerGroup& some) {
                return one(SegmentPair{segment_at(job_, inputs_[0], row), segment_at(job_, inputs_[1], row)},
                           row, some);
            });
    }

    // The nodes of a piece, one after another; all workers share each.
    Result<void> nodes(const DotParams& params, const WorkerGroup& workers) const {
        Result<void> done;
        std::byte* to = out_;
        const std::size_t bytes = element_bytes(job_.type);
        for_each_node(params.offset, job_.cols, params.last, [&](std::uint64_t begin, std::uint64_t count) {
            const auto part = [&](const InputView& input) {
                return dense_segment(input.data + begin * bytes, count, static_cast<unsigned>(bytes));
            };
            Partial partial{};
            if (done) done = work_.all({part(inputs_[0]), part(inputs_[1])}, workers, &partial);
            write_node(partial, to);
            to += kDotNodeWords * sizeof(std::uint64_t);
        });
        return done;
    }

  private:
    static constexpr std::uint64_t kRowCost = 64;  // bytes

    static void write_node(const FloatDot& dot, std::byte* to) {
        std::memset(to, 0, kDotNodeWords * sizeof(std::uint64_t));
        (void)write_dot(dot, ElementType::F64, to);
    }
    static void write_node(const IntegerDot& dot, std::byte* to) { std::memcpy(to, &dot, sizeof dot); }

    Result<void> one(const SegmentPair& pair, std::uint64_t index, const WorkerGroup& workers) const {
        Partial partial{};
        if (pair.x.n != 0) {
            Result<void> done = work_.all(pair, workers, &partial);
            if (!done) return done;
        }
        Result<void> written = write_dot(partial, type_, out_ + index * sizeof(std::uint64_t));
        if (!written && job_.axis == Axis::Rows) return in_row(std::move(written).error(), index);
        return written;
    }

    const Job& job_;
    Work<Partial> work_;
    Span<const InputView> inputs_;
    std::byte* out_;
    ElementType type_;
};

template <class Partial>
Result<void> run_typed(typename Work<Partial>::Kernel kernel, const Job& job, const DotParams& params,
                       Span<const InputView> inputs, std::byte* out, const WorkerGroup& workers) {
    const Run<Partial> run(job, Work<Partial>(kernel, params.skip_nans), inputs, out);
    return params.partial ? run.nodes(params, workers) : run.run(workers);
}

FloatDotKernel float_kernel(ElementType type) {
    if (type == ElementType::F16) return TEGU_ISA_SELECT(dot_chunk_f16);
    if (type == ElementType::F32) return TEGU_ISA_SELECT(dot_chunk_f32);
    return TEGU_ISA_SELECT(dot_chunk_f64);
}

IntegerDotKernel integer_kernel(ElementType type) {
    switch (type) {
#define TEGU_X(number, Name, word, type) \
    case ElementType::Name: return TEGU_ISA_SELECT(dot_chunk_##word);
        TEGU_INTEGER_TYPES(TEGU_X)
#undef TEGU_X
        default: return nullptr;
    }
}

}  // namespace

Result<void> write_dot(const IntegerDot& dot, ElementType type, std::byte* out) {
    const bool is_signed = type == ElementType::I64;
    const std::uint64_t above = is_signed ? 0 - (dot.limb[0] >> 63) : 0;
    if (dot.limb[1] != above || dot.limb[2] != above)
        return field_error(
            Status::Overflow, "dot", is_signed ? "-2^63..2^63-1" : "0..2^64-1",
            "dot is " + to_string(dot) + " and does not fit " + std::string(element_word(type)));
    std::memcpy(out, &dot.limb[0], sizeof dot.limb[0]);
    return {};
}

Result<JobPlan> plan_dot(const Job& job, const DotParams& params, const CpuPolicies&) {
    Result<void> checked = check_piece(job, params);
    if (!checked) return std::move(checked).error();
    const std::uint64_t segments = segments_of(job);
    if (segments > kMaxOutputRows)
        return field_error(Status::TooLarge, "rows", "up to 2^56",
                           "a result for each of " + std::to_string(job.rows) + " rows is too large");
    const std::uint64_t elements = job.rows * job.cols;
    JobPlan plan;
    plan.outputs = {ArraySpec{ArrayRole::Dot, dot_type(job.type), segments, 1}};
    if (params.partial)
        plan.outputs = {ArraySpec{ArrayRole::Nodes, ElementType::U64,
                                  node_count(params.offset, job.cols, params.last), kDotNodeWords}};
    plan.bytes_read = 2 * elements * element_bytes(job.type);
    plan.bytes_written = array_bytes(plan.outputs[0]);
    plan.scratch_bytes = std::min(chunks_of(job.axis == Axis::Rows ? job.cols : elements), kMaxGroups) *
                         (is_float(job.type) ? sizeof(FloatDot) : sizeof(IntegerDot));
    plan.predicted_ns = predict_ns(job, params.skip_nans && is_float(job.type));
    return plan;
}

Result<RunReport> run_dot(const Job& job, const DotParams& params, const JobPlan& plan,
                          Span<const InputView> inputs, Span<const OutputView> outputs,
                          const CpuContext& context, const StopToken& stop) {
    if (stop.stop_requested()) return stop.error();
    const WorkerGroup workers = group_for(context, plan.predicted_ns, stop);
    std::byte* out = outputs[0].data;
    Result<void> done =
        is_float(job.type)
            ? run_typed<FloatDot>(float_kernel(job.type), job, params, inputs, out, workers)
            : run_typed<IntegerDot>(integer_kernel(job.type), job, params, inputs, out, workers);
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(workers.size());
    report.policy.add("tile", kTileElements);
    report.filled_columns = {params.partial ? kDotNodeWords : 1};
    return report;
}

}  // namespace tegu::kernels
