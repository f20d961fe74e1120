// SPDX-License-Identifier: Apache-2.0
// The kernels of rowscale. Magnitudes are compared as integers, which have the order of non-negative floats
// with every NaN above infinity. So one maximum finds the scale and the NaN, and quotients are IEEE
// divisions.
#include "kernels/rowscale/cpu/rows.h"

#include "kernels/execution/cpu/elementwise.h"

namespace tegu::kernels::TEGU_ISA {
namespace {

// Element: the storage type. Arithmetic: the type of the quotients. Bits: a signed integer, because every
// vector unit has signed comparisons.
struct F16 {
    using Element = HalfBits;
    using Arithmetic = float;
    using Bits = std::int16_t;
    static constexpr Bits kInfinity = 0x7c00;
    static constexpr Bits kNan = 0x7e00;
    static Arithmetic value(Bits bits) { return widen_half(static_cast<HalfBits>(bits)); }
};
struct F32 {
    using Element = float;
    using Arithmetic = float;
    using Bits = std::int32_t;
    static constexpr Bits kInfinity = 0x7f800000;
    static constexpr Bits kNan = 0x7fc00000;
    static Arithmetic value(Bits bits) { return float_of(static_cast<std::uint32_t>(bits)); }
};
struct F64 {
    using Element = double;
    using Arithmetic = double;
    using Bits = std::int64_t;
    static constexpr Bits kInfinity = 0x7ff0000000000000;
    static constexpr Bits kNan = 0x7ff8000000000000;
    static Arithmetic value(Bits bits) {
        double value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
};

template <class F>
typename F::Bits largest(const std::byte* x, std::size_t n, bool skip_nans) {
    using Bits = typename F::Bits;
    constexpr Bits kMagnitude =
        static_cast<Bits>(F::kInfinity | (F::kInfinity - 1));  // all bits but the sign
    Bits max = 0;
    if (skip_nans) {
        for (std::size_t i = 0; i < n; ++i) {
            Bits bits = static_cast<Bits>(load<Bits>(x, i) & kMagnitude);
            bits = bits > F::kInfinity ? Bits(0) : bits;
            max = bits > max ? bits : max;
        }
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            const Bits bits = static_cast<Bits>(load<Bits>(x, i) & kMagnitude);
            max = bits > max ? bits : max;
        }
    }
    return max > F::kInfinity ? F::kNan : max;
}

template <class F>
typename F::Arithmetic divisor_of(typename F::Bits scale) {
    return scale == 0 ? typename F::Arithmetic(1) : F::value(scale);
}

template <class A>
void divide(const std::byte* x, std::size_t n, A divisor, A* out) {
    TEGU_SAME_INDEX_ONLY
    for (std::size_t i = 0; i < n; ++i) out[i] = canonical(load<A>(x, i) / divisor);
}
inline void divide(const std::byte* x, std::size_t n, float divisor, HalfBits* out) {
    constexpr std::size_t kStep = 512;
    alignas(64) float buffer[kStep];
    for (std::size_t begin = 0; begin < n; begin += kStep) {
        const std::size_t width = n - begin < kStep ? n - begin : kStep;
        widen_halves(x + begin * sizeof(HalfBits), width, buffer);
        for (std::size_t i = 0; i < width; ++i) buffer[i] /= divisor;
        narrow_halves(buffer, width, out + begin);
    }
}

// Collects consecutive values and writes them with non-temporal stores.
template <class Element>
class Stream {
  public:
    explicit Stream(std::byte* to) : to_(to) {}
    template <class A>
    void divide_into(const std::byte* x, std::size_t n, A divisor) {
        while (n != 0) {
            const std::size_t width = n < kElements - used_ ? n : kElements - used_;
            divide(x, width, divisor, buffer_ + used_);
            x += width * sizeof(Element);
            n -= width;
            used_ += width;
            if (used_ == kElements) flush();
        }
    }
    void finish() {
        flush();
        stream_fence();
    }

  private:
    static constexpr std::size_t kElements = 4096 / sizeof(Element);
    void flush() {
        stream_out(buffer_, used_ * sizeof(Element), to_);
        to_ += used_ * sizeof(Element);
        used_ = 0;
    }

    std::byte* to_;
    std::size_t used_ = 0;
    alignas(64) Element buffer_[kElements];
};

template <class F>
void scale_rows(const RowscaleRows& r) {
    using Element = typename F::Element;
    using Bits = typename F::Bits;
    Stream<Element> stream(r.values);
    for (std::uint64_t row = 0; row < r.rows; ++row) {
        const std::byte* x = r.x + row * r.row_bytes;
        const Bits scale = largest<F>(x, r.cols, r.skip_nans);
        std::memcpy(r.scales + row * sizeof scale, &scale, sizeof scale);
        if (r.stream)
            stream.divide_into(x, r.cols, divisor_of<F>(scale));
        else
            divide(x, r.cols, divisor_of<F>(scale), reinterpret_cast<Element*>(r.values) + row * r.cols);
    }
    if (r.stream) stream.finish();
}

template <class F>
std::uint64_t largest_bits(const std::byte* x, std::size_t n, bool skip_nans) {
    return static_cast<std::uint64_t>(largest<F>(x, n, skip_nans));
}

template <class F>
void divide_part(const std::byte* x, std::size_t n, std::uint64_t scale, bool streamed, std::byte* out) {
    using Element = typename F::Element;
    const typename F::Arithmetic divisor = divisor_of<F>(static_cast<typename F::Bits>(scale));
    if (!streamed) return divide(x, n, divisor, reinterpret_cast<Element*>(out));
    Stream<Element> stream(out);
    stream.divide_into(x, n, divisor);
    stream.finish();
}

}  // namespace

const RowscaleKernels rowscale_f16 = {scale_rows<F16>, largest_bits<F16>, divide_part<F16>};
const RowscaleKernels rowscale_f32 = {scale_rows<F32>, largest_bits<F32>, divide_part<F32>};
const RowscaleKernels rowscale_f64 = {scale_rows<F64>, largest_bits<F64>, divide_part<F64>};

}  // namespace tegu::kernels::TEGU_ISA
