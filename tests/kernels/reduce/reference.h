// SPDX-License-Identifier: Apache-2.0
// The statistics of reduce, one scalar step at a time from the text of docs/numerics.md: recursion over
// positions, no lanes in parallel, no fast path. Written apart from the kernels, so that equal bits mean that
// both follow the document.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/half.h"
#include "base/job.h"

namespace tegu::test {

__extension__ typedef __int128 Wide;

struct Node {  // of the moments
    double n, s, q;
};

// What a segment gives. Bits of elements are kept as their type.
template <class T>
struct Statistics {
    std::uint64_t count = 0, nonzero = 0, nans = 0;
    double sum = 0, l1 = 0, mean = 0, var = 0, std = 0, l2 = 0;
    T min{}, max{}, absmax{};
    std::int64_t argmin = -1, argmax = -1;
};

template <class T>
struct ArithmeticOf {
    using type = float;
};
template <>
struct ArithmeticOf<double> {
    using type = double;
};

inline float widened(Half x) {
    return half_to_float(x);
}
inline float widened(float x) {
    return x;
}
inline double widened(double x) {
    return x;
}

template <class T>
T quiet_nan() {
    if constexpr (std::is_same<T, Half>::value)
        return Half{0x7e00};
    else
        return std::numeric_limits<T>::quiet_NaN();
}

template <class T>
class FloatReference {
  public:
    using A = typename ArithmeticOf<T>::type;

    FloatReference(const std::vector<T>& x, bool skip_nans) : skip_(skip_nans) {
        for (T element : x) x_.push_back(widened(element));
    }

    double sum() const {
        return sum_tree([](auto v) { return v; });
    }
    double l1() const {
        return sum_tree([](auto v) { return std::fabs(v); });
    }

    std::optional<Node> moments() const {
        return chunk_tree<Node>([this](std::uint64_t t, int l) { return moment_leaf(t, l); }, merge);
    }

    bool counted(std::uint64_t i) const { return i < x_.size() && !(skip_ && std::isnan(x_[i])); }

  private:
    static constexpr std::uint64_t position(std::uint64_t tile, int row, int lane, int place) {
        return tile * 1024 + static_cast<std::uint64_t>(row * 128 + lane * 4 + place);
    }

    // (a0 + a1) + (a2 + a3) of f(element) in B, over the counted elements of a leaf.
    template <class B, class F>
    B leaf(std::uint64_t tile, int lane, F f) const {
        B a[4] = {B(0), B(0), B(0), B(0)};
        for (int row = 0; row < 8; ++row)
            for (int place = 0; place < 4; ++place) {
                const std::uint64_t i = position(tile, row, lane, place);
                const B term = counted(i) ? f(static_cast<B>(x_[i])) : B(0);
                a[place] = a[place] + term;
            }
        return (a[0] + a[1]) + (a[2] + a[3]);
    }

    template <class F>
    double sum_tree(F f) const {
        const auto node = chunk_tree<double>(
            [&](std::uint64_t t, int l) -> std::optional<double> {
                const A value = leaf<A>(t, l, f);
                if (std::is_same<A, float>::value && !std::isfinite(value)) return leaf<double>(t, l, f);
                return static_cast<double>(value);
            },
            [](double a, double b) { return a + b; });
        return node ? *node : 0.0;
    }

    template <class B>
    Node moments_in(std::uint64_t tile, int lane, double c, B s, B* squares) const {
        const B m = s / static_cast<B>(c);
        const B d = leaf_about<B>(tile, lane, m, false);
        const B q = leaf_about<B>(tile, lane, m, true);
        *squares = q;
        const double q64 = static_cast<double>(q) - static_cast<double>(d) * static_cast<double>(d) / c;
        return Node{c, c * static_cast<double>(m) + static_cast<double>(d), q64 < 0 ? 0 : q64};
    }

    template <class B>
    B leaf_about(std::uint64_t tile, int lane, B m, bool square) const {
        return leaf<B>(tile, lane, [&](B x) {
            const B d = x - m;
            return square ? d * d : d;
        });
    }

    std::optional<Node> moment_leaf(std::uint64_t tile, int lane) const {
        double c = 0;
        bool special = false;
        for (int row = 0; row < 8; ++row)
            for (int place = 0; place < 4; ++place) {
                const std::uint64_t i = position(tile, row, lane, place);
                if (!counted(i)) continue;
                c += 1;
                special = special || !std::isfinite(x_[i]);
            }
        if (c == 0) return std::nullopt;
        if (special) return Node{c, 0, 0};
        const auto same = [](auto v) { return v; };
        A squares;
        const Node node = moments_in<A>(tile, lane, c, leaf<A>(tile, lane, same), &squares);
        if (std::is_same<A, double>::value ||
            (squares >= 0x1p-100f && squares <= std::numeric_limits<A>::max()))
            return node;
        double unused;
        return moments_in<double>(tile, lane, c, leaf<double>(tile, lane, same), &unused);
    }

    static Node merge(Node a, Node b) {
        const double n = a.n + b.n;
        const double s = a.s + b.s;
        if (a.n == b.n) {
            const double t = a.s - b.s;
            return Node{n, s, (a.q + b.q) + t * t / n};
        }
        const double t = a.s / a.n - b.s / b.n;
        return Node{n, s, (a.q + b.q) + t * t * (a.n * b.n / n)};
    }

    // The perfect binary tree over 2^height values from `first`; values that are missing are skipped.
    template <class V, class Value, class Merge>
    static std::optional<V> tree(int height, std::uint64_t first, Value value, Merge merge_two) {
        if (height == 0) return value(first);
        const std::uint64_t half = std::uint64_t{1} << (height - 1);
        const std::optional<V> left = tree<V>(height - 1, first, value, merge_two);
        const std::optional<V> right = tree<V>(height - 1, first + half, value, merge_two);
        if (!left || !right) return left ? left : right;
        return merge_two(*left, *right);
    }

    template <class V, class Leaf, class Merge>
    std::optional<V> chunk_tree(Leaf leaf_of, Merge merge_two) const {
        const std::uint64_t tiles = (x_.size() + 1023) / 1024;
        const std::uint64_t chunks = (tiles + 15) / 16;
        const auto lane_of = [&](std::uint64_t chunk, int lane) {
            return tree<V>(
                4, 16 * chunk,
                [&](std::uint64_t t) -> std::optional<V> {
                    return t < tiles ? leaf_of(t, lane) : std::optional<V>();
                },
                merge_two);
        };
        const auto chunk_of = [&](std::uint64_t chunk) -> std::optional<V> {
            if (chunk >= chunks) return std::nullopt;
            std::vector<std::optional<V>> v;
            for (int lane = 0; lane < 32; ++lane) v.push_back(lane_of(chunk, lane));
            for (std::size_t width = 16; width >= 1; width /= 2)
                for (std::size_t l = 0; l < width; ++l) {
                    if (!v[l])
                        v[l] = v[l + width];
                    else if (v[l + width])
                        v[l] = merge_two(*v[l], *v[l + width]);
                }
            return v[0];
        };
        int height = 0;
        while ((std::uint64_t{1} << height) < chunks) ++height;
        return tree<V>(height, 0, chunk_of, merge_two);
    }

    std::vector<A> x_;
    bool skip_;
};

// Every statistic of a float segment. NaN results are the canonical NaN.
template <class T>
Statistics<T> float_statistics(const std::vector<T>& x, bool skip_nans, unsigned ddof) {
    using A = typename ArithmeticOf<T>::type;
    const FloatReference<T> reference(x, skip_nans);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Statistics<T> r;
    bool has_nan = false, has_inf = false;
    std::int64_t first_nan = -1;
    A low{}, high{}, magnitude{};
    for (std::size_t i = 0; i < x.size(); ++i) {
        const A v = widened(x[i]);
        r.nans += std::isnan(v);
        if (!reference.counted(i)) continue;
        r.nonzero += v != 0;
        if (std::isnan(v) && !has_nan) {
            has_nan = true;
            first_nan = static_cast<std::int64_t>(i);
        }
        has_inf = has_inf || std::isinf(v);
        if (!std::isnan(v) && (r.argmin < 0 || v < low)) {
            low = v;
            r.min = x[i];
            r.argmin = static_cast<std::int64_t>(i);
        }
        if (!std::isnan(v) && (r.argmax < 0 || v > high)) {
            high = v;
            r.max = x[i];
            r.argmax = static_cast<std::int64_t>(i);
        }
        if (!std::isnan(v) && (r.count == 0 || std::fabs(v) > magnitude)) magnitude = std::fabs(v);
        ++r.count;
    }
    const auto element = [](A v) {
        T out;
        const A positive_zero = v == 0 ? A(0) : v;
        if constexpr (std::is_same<T, Half>::value)
            out = float_to_half(positive_zero);
        else
            out = positive_zero;
        return out;
    };
    r.min = element(low);
    r.max = element(high);
    r.absmax = element(magnitude);
    r.sum = reference.sum();
    r.l1 = reference.l1();
    r.mean = r.sum / static_cast<double>(r.count);
    const std::optional<Node> root = reference.moments();
    if (root) {
        const double squares = root->q + root->s * root->s / root->n;
        r.l2 = has_nan                              ? nan
               : has_inf || !std::isfinite(squares) ? std::numeric_limits<double>::infinity()
                                                    : std::sqrt(squares);
        r.var = has_nan || has_inf || root->n <= ddof ? nan
                : !std::isfinite(root->q)             ? std::numeric_limits<double>::infinity()
                                                      : root->q / (root->n - ddof);
        r.std = std::sqrt(r.var);
    }
    if (has_nan || r.count == 0) {
        r.min = r.max = r.absmax = quiet_nan<T>();
        if (has_nan) r.argmin = r.argmax = first_nan;
    }
    if (r.count == 0) r.mean = r.l1 = r.l2 = r.var = r.std = nan;
    for (double* value : {&r.sum, &r.l1, &r.mean, &r.var, &r.std, &r.l2})
        *value = std::isnan(*value) ? nan : *value == 0 ? 0.0 : *value;
    return r;
}

}  // namespace tegu::test
