// SPDX-License-Identifier: Apache-2.0
// The scalar product of floats, one scalar step at a time from the text of docs/numerics.md: recursion over
// positions, written apart from the kernels, so that equal bits mean that both follow the document.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "tests/kernels/execution/elementwise_run.h"

namespace tegu::test {

template <class T>
class DotReference {
  public:
    using A = std::conditional_t<std::is_same<T, double>::value, double, float>;

    DotReference(const std::vector<T>& x, const std::vector<T>& y, bool skip_nans) : skip_(skip_nans) {
        for (T v : x) x_.push_back(static_cast<A>(as_double(v)));
        for (T v : y) y_.push_back(static_cast<A>(as_double(v)));
    }

    double dot() const {
        const std::uint64_t tiles = (x_.size() + 1023) / 1024;
        int height = 0;
        while ((std::uint64_t{16} << height) < tiles) ++height;
        const std::optional<double> root = over_chunks(height, 0);
        if (!root || *root == 0) return 0.0;
        return std::isnan(*root) ? std::numeric_limits<double>::quiet_NaN() : *root;
    }

  private:
    // The leaf of a tile and lane, products and sums in B.
    template <class B>
    B leaf(std::uint64_t tile, unsigned lane) const {
        B a[4] = {B(0), B(0), B(0), B(0)};
        for (unsigned row = 0; row < 8; ++row)
            for (unsigned place = 0; place < 4; ++place) {
                const std::uint64_t i = tile * 1024 + row * 128 + lane * 4 + place;
                B product = B(0);
                if (i < x_.size() && !(skip_ && (std::isnan(x_[i]) || std::isnan(y_[i]))))
                    product = static_cast<B>(x_[i]) * static_cast<B>(y_[i]);
                a[place] = a[place] + product;
            }
        return (a[0] + a[1]) + (a[2] + a[3]);
    }

    std::optional<double> over_tiles(int height, std::uint64_t tile, unsigned lane) const {
        if (tile * 1024 >= x_.size()) return std::nullopt;
        if (height == 0) {
            const A value = leaf<A>(tile, lane);
            return std::isfinite(value) ? static_cast<double>(value) : leaf<double>(tile, lane);
        }
        return sum(over_tiles(height - 1, tile, lane),
                   over_tiles(height - 1, tile + (std::uint64_t{1} << (height - 1)), lane));
    }

    std::optional<double> over_chunks(int height, std::uint64_t chunk) const {
        if (chunk * 16384 >= x_.size()) return std::nullopt;
        if (height == 0) {
            double lane[32];
            for (unsigned l = 0; l < 32; ++l) lane[l] = *over_tiles(4, chunk * 16, l);
            for (unsigned width = 16; width >= 1; width /= 2)
                for (unsigned l = 0; l < width; ++l) lane[l] = lane[l] + lane[l + width];
            return lane[0];
        }
        return sum(over_chunks(height - 1, chunk),
                   over_chunks(height - 1, chunk + (std::uint64_t{1} << (height - 1))));
    }

    static std::optional<double> sum(std::optional<double> left, std::optional<double> right) {
        if (!left || !right) return left;
        return *left + *right;
    }

    std::vector<A> x_;
    std::vector<A> y_;
    bool skip_;
};

}  // namespace tegu::test
