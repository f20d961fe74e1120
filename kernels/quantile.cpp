// SPDX-License-Identifier: Apache-2.0
// Which order statistics a quantile needs and what becomes of them, to the bit as numpy 2 does it; and how a job is cut into
// sequences: long ones are shared by all threads, many short rows are dealt out.
#include "kernels/quantile.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "base/number_text.h"
#include "kernels/cpu/quantile_select.h"
#include "kernels/cpu/select_rank.h"

namespace tegu::kernels {
namespace {

using quantile::Method;
using quantile::MethodKind;
using quantile::Pair;
using quantile::Question;
using quantile::Statistics;
using selection::StridedSequence;
using selection::Team;
using selection::Workspace;

constexpr std::uint64_t kJobNs = 500;         // what a job costs beside its selections
constexpr std::uint64_t kLongRow = 1u << 17;  // elements from which the threads share one row

bool is_interpolated(QuantileMethod method) {
    return method == QuantileMethod::Linear || method == QuantileMethod::Midpoint;
}

// Where a quantile lies among n sorted values.
struct Position {
    std::uint64_t place;  // of the smaller neighbour, or of the result
    bool last;            // there is no larger one: it stands for both
    double weight;        // of the larger neighbour
};

Position position_of(double q, std::uint64_t n, QuantileMethod method) {
    const double end = static_cast<double>(n - 1);
    const double at = end * q;
    const auto place_of = [n](double floored) {
        const auto place = static_cast<std::uint64_t>(floored);
        return std::min(place, n - 1);
    };
    switch (method) {
        case QuantileMethod::Lower: return {place_of(std::floor(at)), true, 0};
        case QuantileMethod::Higher: return {place_of(std::ceil(at)), true, 0};
        case QuantileMethod::Nearest: return {place_of(std::nearbyint(at)), true, 0};
        case QuantileMethod::Linear:
            if (at >= end) return {n - 1, true, 1};
            return {place_of(std::floor(at)), false, at - std::floor(at)};
        case QuantileMethod::Midpoint: break;
    }
    const double middle = 0.5 * (std::floor(at) + std::ceil(at));
    const double weight = middle == std::floor(middle) ? 0 : 0.5;
    if (middle >= end) return {n - 1, true, weight};
    return {place_of(std::floor(middle)), false, weight};
}

class PlacesOfQuantiles : public quantile::Places {
  public:
    explicit PlacesOfQuantiles(const QuantileParams& params) : params_(params) {}
    void of(std::uint64_t valid, std::vector<std::uint64_t>& places) const override {
        places.clear();
        for (const double q : params_.q) places.push_back(position_of(q, valid, params_.method).place);
    }

  private:
    const QuantileParams& params_;
};

// numpy's _lerp(), step by step: also where infinities make it a NaN.
double interpolate(double a, double b, double weight) {
    const double difference = b - a;
    return weight >= 0.5 ? b - difference * (1 - weight) : a + difference * weight;
}

template <class T>
double to_double(T value) {
    return static_cast<double>(value);
}
double to_double(Half value) {
    return static_cast<double>(half_to_float(value));
}

template <class T>
struct Ranks {
    using U = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                 std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
    static constexpr bool kFloat = std::is_floating_point<T>::value || std::is_same<T, Half>::value;

    static T value(std::uint64_t rank, ElementType type) {
        const U bits = rank::decode<U, kFloat>(
            static_cast<U>(rank), static_cast<U>(rank::flip_of(false, is_signed_integer(type), sizeof(T))));
        T result;
        std::memcpy(&result, &bits, sizeof result);
        return result;
    }
};

// -0 becomes +0, every NaN the same one.
double canonical(double value) {
    constexpr std::uint64_t kNan = rank::kNan<std::uint64_t>;
    if (std::isnan(value)) std::memcpy(&value, &kNan, sizeof value);
    return value == 0 ? 0 : value;
}

template <class T>
void write_typed(const QuantileParams& params, ElementType type, std::uint64_t valid, const std::vector<Pair>& pairs,
                 std::byte* out) {
    for (std::size_t i = 0; i < params.q.size(); ++i) {
        const T value = Ranks<T>::value(pairs[i].value, type);
        if (!is_interpolated(params.method)) {
            std::memcpy(out + i * sizeof(T), &value, sizeof(T));
            continue;
        }
        const Position position = position_of(params.q[i], valid, params.method);
        const T next = position.last ? value : Ranks<T>::value(pairs[i].next, type);
        const double result = canonical(interpolate(to_double(value), to_double(next), position.weight));
        std::memcpy(out + i * sizeof result, &result, sizeof result);
    }
}

void write_nans(ElementType type, std::size_t count, std::byte* out) {
    const std::uint64_t nan = type == ElementType::F16   ? rank::kNan<std::uint16_t>
                              : type == ElementType::F32 ? rank::kNan<std::uint32_t>
                                                         : rank::kNan<std::uint64_t>;
    const std::size_t width = element_bytes(type);
    const auto narrow = static_cast<std::uint32_t>(nan);
    const auto half = static_cast<std::uint16_t>(nan);
    for (std::size_t i = 0; i < count; ++i)
        std::memcpy(out + i * width,
                    width == 2   ? static_cast<const void*>(&half)
                    : width == 4 ? static_cast<const void*>(&narrow)
                                 : &nan,
                    width);
}

ElementType result_type(const Job& job, const QuantileParams& params) {
    return is_interpolated(params.method) ? ElementType::F64 : job.type;
}

Question question_of(const Job& job, const QuantileParams& params) {
    return Question{job.axis == Axis::Whole ? job.rows * job.cols : job.cols, job.type, params.q.size(),
                    params.skip_nans};
}

// Rows that are selected from at the same time, each by one thread with its own workspace.
std::uint64_t concurrent_rows(const Job& job, std::uint64_t n) {
    if (job.axis == Axis::Whole || n >= kLongRow) return 1;
    return std::clamp<std::uint64_t>(job.rows, 1, selection::kMaxSlots);
}

class Run {
  public:
    Run(const Job& job, const QuantileParams& params, const InputView& input, std::byte* out)
        : job_(job),
          params_(params),
          question_(question_of(job, params)),
          method_(choose_method(question_)),
          places_(params),
          input_(input),
          out_(out) {}

    const Question& question() const { return question_; }

    Result<void> whole(const Team& team) {
        return together(1, team, [this](std::uint64_t) {
            return StridedSequence{input_.data, job_.rows, job_.cols, input_.row_stride, width()};
        });
    }

    Result<void> long_rows(const Team& team) {
        return together(job_.rows, team, [this](std::uint64_t row) { return row_of(row); });
    }

    // Each slot takes bunches of rows.
    Result<void> short_rows(const Team& team) {
        const std::uint64_t bunch = rows_of_bunch();
        std::vector<Workspace> workspaces(std::min<std::uint64_t>(team.slots(), concurrent_rows(job_, question_.n)));
        std::vector<Statistics> statistics(workspaces.size());
        for (Workspace& workspace : workspaces) {
            Result<Workspace> made = Workspace::create(method_.bytes);
            if (!made) return std::move(made).error();
            workspace = std::move(*made);
        }
        const Team alone = team.alone();
        const bool done = team.run(bunches(), [&](std::uint64_t task, unsigned slot) {
            const std::uint64_t end = std::min(job_.rows, (task + 1) * bunch);
            for (std::uint64_t row = task * bunch; row < end; ++row)
                if (!one(row_of(row), row, workspaces[slot].memory(), alone, statistics[slot])) return;
        });
        if (!done) return team.stop().error();
        return {};
    }

    std::string method() const { return describe(method_, passes_.load()); }

    // That the rows were divided among, or each of them.
    unsigned threads(const Team& team) const {
        const bool short_rows = job_.axis == Axis::Rows && question_.n < kLongRow;
        const std::uint64_t parts = short_rows ? std::max<std::uint64_t>(bunches(), 1) : method_.slots;
        return static_cast<unsigned>(std::min<std::uint64_t>(team.slots(), parts));
    }

  private:
    // A bunch of rows is worth about a tenth of a millisecond.
    std::uint64_t rows_of_bunch() const {
        return std::max<std::uint64_t>(1, 16384 / std::max<std::uint64_t>(1, job_.cols));
    }
    std::uint64_t bunches() const { return (job_.rows + rows_of_bunch() - 1) / rows_of_bunch(); }

    unsigned width() const { return static_cast<unsigned>(element_bytes(job_.type)); }

    StridedSequence row_of(std::uint64_t row) const {
        return StridedSequence{input_.data + row * input_.row_stride * width(), 1, job_.cols, job_.cols, width()};
    }

    template <class SequenceOf>
    Result<void> together(std::uint64_t rows, const Team& team, SequenceOf sequence_of) {
        if (rows == 0) return {};
        Result<Workspace> workspace = Workspace::create(method_.bytes);
        if (!workspace) return std::move(workspace).error();
        Statistics statistics;
        for (std::uint64_t row = 0; row < rows; ++row)
            if (!one(sequence_of(row), row, workspace->memory(), team, statistics)) return team.stop().error();
        return {};
    }

    // False: a stop was requested.
    bool one(const StridedSequence& sequence, std::uint64_t row, std::byte* memory, const Team& team,
             Statistics& statistics) {
        if (!select(sequence, question_, method_, memory, team, places_, statistics)) return false;
        std::uint64_t most = passes_.load(std::memory_order_relaxed);
        while (most < statistics.passes &&
               !passes_.compare_exchange_weak(most, statistics.passes, std::memory_order_relaxed)) {
        }
        write(statistics, row);
        return true;
    }

    void write(const Statistics& statistics, std::uint64_t row) {
        const ElementType type = result_type(job_, params_);
        std::byte* out = out_ + row * params_.q.size() * element_bytes(type);
        const bool none = (statistics.nans > 0 && !params_.skip_nans) || statistics.nans >= question_.n;
        if (none) return write_nans(type, params_.q.size(), out);
        const std::uint64_t valid = question_.n - statistics.nans;
        switch (job_.type) {
#define TEGU_X(number, Name, word, Element) \
    case ElementType::Name: return write_typed<Element>(params_, job_.type, valid, statistics.pairs, out);
            TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
        }
    }

    const Job& job_;
    const QuantileParams& params_;
    const Question question_;
    const Method method_;
    const PlacesOfQuantiles places_;
    const InputView& input_;
    std::byte* const out_;
    std::atomic<std::uint64_t> passes_{0};  // the most of any sequence
};

Result<void> check_params(const QuantileParams& params) {
    if (params.q.empty() || params.q.size() > kMaxQuantiles)
        return bad_range("q", "1.." + std::to_string(kMaxQuantiles) + " quantiles",
                         "there are " + std::to_string(params.q.size()) + " of them");
    for (const double q : params.q)
        if (!(q >= 0 && q <= 1)) return bad_range("q", "0..1", "q is " + number_text(q));
    if (params.method > QuantileMethod::Midpoint)
        return field_error(Status::BadRequest, "method", "0..4",
                           "method " + std::to_string(static_cast<unsigned>(params.method)) + " is not known");
    return {};
}

// No rows have no elements however long they would be: methods are chosen as for rows of one.
Job with_a_column(Job job) {
    if (job.axis == Axis::Rows && job.rows == 0 && job.cols == 0) job.cols = 1;
    return job;
}

}  // namespace

Result<JobPlan> plan_quantile(const Job& given, const QuantileParams& params) {
    Result<void> checked = check_params(params);
    if (!checked) return std::move(checked).error();
    const Job job = with_a_column(given);
    const Question question = question_of(job, params);
    const std::uint64_t rows = job.axis == Axis::Whole ? 1 : job.rows;
    if (question.n == 0)
        return field_error(Status::EmptyInput, job.rows == 0 ? "rows" : "cols", "at least 1",
                           "quantile: there are no elements");
    if (rows > (std::uint64_t{1} << 58) / params.q.size())
        return field_error(Status::TooLarge, "q", "rows * quantiles up to 2^58",
                           "quantile: the result is larger than any buffer");

    JobPlan plan;
    plan.outputs = {ArraySpec{ArrayRole::Quantiles, result_type(job, params), rows, params.q.size()}};
    plan.bytes_written = array_bytes(plan.outputs[0]);
    plan.bytes_read = job.rows * job.cols * element_bytes(job.type);
    const Method method = choose_method(question);
    if (rows > 0) plan.scratch_bytes = method.bytes * concurrent_rows(job, question.n);
    if (__builtin_mul_overflow(quantile::predict_ns(question, method), std::max<std::uint64_t>(rows, 1),
                               &plan.predicted_ns))
        plan.predicted_ns = ~std::uint64_t{0};
    plan.predicted_ns = std::min(plan.predicted_ns, ~std::uint64_t{0} - kJobNs) + kJobNs;
    return plan;
}

Result<RunReport> run_quantile(const Job& given, const QuantileParams& params, Span<const InputView> inputs,
                               Span<const OutputView> outputs, ThreadPool* pool, const StopToken& stop) {
    const Job job = with_a_column(given);
    Run run(job, params, inputs[0], outputs[0].data);
    const Team team(pool, stop);
    const bool long_rows = run.question().n >= kLongRow;
    Result<void> done = job.axis == Axis::Whole ? run.whole(team)
                        : long_rows             ? run.long_rows(team)
                                                : run.short_rows(team);
    if (!done) return std::move(done).error();
    RunReport report = cpu_report(run.threads(team));
    report.policy += " " + run.method();
    report.filled_columns = {params.q.size()};
    return report;
}

}  // namespace tegu::kernels
