// SPDX-License-Identifier: Apache-2.0
// What the tests of add, dot and rowscale share: arrays with any stride and at any address, running a job on
// them, the values that floats are hard at, and arrays of gigabytes that take up little memory.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/execution/cpu/thread_pool.h"
#include "kernels/operation.h"
#include "tests/kernels/execution/repeated_memory.h"

namespace tegu::test {

__extension__ typedef __int128 Int128;

template <class T>
constexpr bool kFloat = !std::numeric_limits<T>::is_integer;

// rows x cols elements with `stride` elements from row to row, `offset` bytes behind an aligned address. The
// gaps hold `filler`.
template <class T>
class StridedArray {
  public:
    StridedArray(const std::vector<T>& elements, std::uint64_t rows, std::uint64_t cols, std::uint64_t stride,
                 std::size_t offset, T filler = T{})
        : stride_(stride), offset_(offset), bytes_(rows * stride * sizeof(T) + offset + sizeof(T)) {
        for (std::uint64_t r = 0; r < rows; ++r)
            for (std::uint64_t c = 0; c < stride; ++c) {
                const T value = c < cols ? elements[r * cols + c] : filler;
                std::memcpy(bytes_.data() + offset + (r * stride + c) * sizeof(T), &value, sizeof value);
            }
    }
    kernels::InputView view() const { return kernels::InputView{bytes_.data() + offset_, stride_}; }

  private:
    std::uint64_t stride_;
    std::size_t offset_;
    std::vector<std::byte> bytes_;
};

template <class T>
kernels::InputView dense_view(const std::vector<T>& x, std::uint64_t cols) {
    return kernels::InputView{reinterpret_cast<const std::byte*>(x.data()), cols};
}

struct JobResult {
    Result<kernels::RunReport> report = make_error(Status::Internal, "not run");
    kernels::JobPlan plan;
    std::vector<std::vector<std::uint64_t>> arrays;  // 64-bit storage, so that every array is aligned

    template <class V>
    std::vector<V> values(std::size_t array = 0) const {
        std::vector<V> v(plan.outputs[array].rows * plan.outputs[array].cols);
        if (!v.empty()) std::memcpy(v.data(), arrays[array].data(), v.size() * sizeof(V));
        return v;
    }
};

// `first_output`: where outputs[0] goes, if not into an array of the result.
inline JobResult run_elementwise(const Job& job, const std::vector<kernels::InputView>& inputs,
                                 kernels::ThreadPool* pool = nullptr, const kernels::StopToken& stop = {},
                                 void* first_output = nullptr) {
    JobResult result;
    Result<kernels::JobPlan> plan = kernels::plan_job(job);
    if (!plan) {
        result.report = plan.error();
        return result;
    }
    result.plan = *plan;
    std::vector<kernels::OutputView> outputs;
    for (const ArraySpec& spec : plan->outputs) {
        if (first_output != nullptr && outputs.empty()) {
            result.arrays.emplace_back();
            outputs.push_back(kernels::OutputView{static_cast<std::byte*>(first_output)});
            continue;
        }
        result.arrays.emplace_back(array_bytes(spec) / 8 + 1, 0xa5a5a5a5a5a5a5a5u);
        outputs.push_back(kernels::OutputView{reinterpret_cast<std::byte*>(result.arrays.back().data())});
    }
    result.report = kernels::run_job(job, inputs, outputs, pool, stop);
    return result;
}

template <class T>
Job job_of(std::uint64_t rows, std::uint64_t cols, Axis axis, JobParams params) {
    Job job;
    job.type = ElementTypeOf<T>::value;
    job.axis = axis;
    job.rows = rows;
    job.cols = cols;
    job.params = std::move(params);
    return job;
}

template <class T>
T float_element(double value) {
    if constexpr (std::is_same<T, Half>::value)
        return float_to_half(static_cast<float>(value));
    else
        return static_cast<T>(value);
}

template <class T>
double as_double(T x) {
    if constexpr (std::is_same<T, Half>::value)
        return static_cast<double>(half_to_float(x));
    else
        return static_cast<double>(x);
}

template <class T>
std::uint64_t bits_of(T x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof x);
    return bits;
}

template <class T>
T from_bits(std::uint64_t bits) {
    T x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// Explicit bits of f16, f32, f64: sign, exponent and digits that no compiler can simplify.
template <class T>
struct FloatBits {
    static constexpr unsigned kDigits = sizeof(T) == 2 ? 10 : sizeof(T) == 4 ? 23 : 52;
    static constexpr std::uint64_t kSign = std::uint64_t{1} << (8 * sizeof(T) - 1);
    static constexpr std::uint64_t kInfinity = kSign - (std::uint64_t{1} << kDigits);
    static constexpr std::uint64_t kNan = kInfinity + (std::uint64_t{1} << (kDigits - 1));
};

// Every value of f16 but NaN in its order, for the nearest one by search.
inline const std::map<double, std::uint16_t>& all_halves() {
    static const std::map<double, std::uint16_t> halves = [] {
        std::map<double, std::uint16_t> m;
        for (unsigned bits = 0; bits < 0x7c00; ++bits) {
            const double value = as_double(Half{static_cast<std::uint16_t>(bits)});
            m[value] = static_cast<std::uint16_t>(bits);
            if (bits != 0) m[-value] = static_cast<std::uint16_t>(bits | 0x8000u);
        }
        return m;
    }();
    return halves;
}

// The half nearest to a value: ties to even, and from 65520 on infinity. A zero is +0.
inline std::uint16_t nearest_half(double value) {
    if (std::fabs(value) >= 65520) return value < 0 ? 0xfc00 : 0x7c00;
    const auto above = all_halves().lower_bound(value);
    if (above == all_halves().end()) return std::prev(above)->second;
    if (above->first == value || above == all_halves().begin()) return above->second;
    const auto below = std::prev(above);
    const double up = above->first - value, down = value - below->first;
    if (up != down) return up < down ? above->second : below->second;
    return above->second % 2 == 0 ? above->second : below->second;
}

// Zeros, subnormals, the ends of the normal range, infinities, NaN of every kind.
template <class T>
std::vector<T> hard_floats() {
    using F = FloatBits<T>;
    const std::uint64_t one = std::uint64_t{1} << F::kDigits;
    std::vector<T> x;
    for (std::uint64_t bits :
         {std::uint64_t{0}, std::uint64_t{1}, one - 1, one, one + 1, F::kInfinity / 2, F::kInfinity / 2 + 1,
          F::kInfinity - one, F::kInfinity - 1, F::kInfinity, F::kInfinity + 1, F::kNan, F::kNan + 1})
        for (std::uint64_t sign : {std::uint64_t{0}, F::kSign}) x.push_back(from_bits<T>(bits | sign));
    return x;
}

// Elements of every kind: any bits, ordinary numbers, and now and then a hard one.
template <class T>
std::vector<T> any_elements(std::uint64_t n, std::mt19937_64& random) {
    std::vector<T> hard;
    if constexpr (kFloat<T>) hard = hard_floats<T>();
    std::vector<T> x;
    x.reserve(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t bits = random();
        if (kFloat<T> && bits % 16 == 0)
            x.push_back(hard[(bits >> 8) % hard.size()]);
        else if (kFloat<T> && bits % 16 < 12)
            x.push_back(from_bits<T>(((bits >> 8) & FloatBits<T>::kSign) |
                                     (FloatBits<T>::kInfinity / 2 + (bits >> 20) % 4096)));
        else
            x.push_back(from_bits<T>(bits >> 4));
    }
    return x;
}

// Finite floats of moderate size.
template <class T>
std::vector<T> finite_elements(std::uint64_t n, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::vector<T> x;
    for (std::uint64_t i = 0; i < n; ++i) x.push_back(float_element<T>(normal(random)));
    return x;
}

}  // namespace tegu::test
