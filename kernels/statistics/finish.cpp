// SPDX-License-Identifier: Apache-2.0
#include "kernels/statistics/finish.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "base/half.h"
#include "kernels/numerics/exact.h"

namespace tegu::kernels {
namespace {

template <class T>
void put(std::byte* out, T value) {
    std::memcpy(out, &value, sizeof value);
}

// The canonical NaN of results (positive, quiet, no payload) and the canonical zero (+0).
double canonical(double value) {
    return value == value ? value + 0.0 : std::numeric_limits<double>::quiet_NaN();
}

// Stores an exact f64 value as an element of `type`.
void put_float_element(std::byte* out, ElementType type, double value) {
    value = canonical(value);
    if (type == ElementType::F64) return put(out, value);
    const auto narrow = static_cast<float>(value);
    if (type == ElementType::F32) return put(out, narrow);
    put(out, float_to_half(narrow).bits);
}

void put_integer_element(std::byte* out, ElementType type, Int128 value) {
    const auto bits = static_cast<std::uint64_t>(value);  // little-endian: the low bytes are the element
    std::memcpy(out, &bits, element_bytes(type));
}

struct FloatValues {
    double nan = std::numeric_limits<double>::quiet_NaN();
    double count;    // of the elements that count
    bool has_value;  // at least one element counts
    bool poisoned;   // a NaN counts
    const FloatPartial& partial;

    FloatValues(const FinishContext& context, const FloatPartial& from) : partial(from) {
        const std::uint64_t counted = context.skip_nans ? context.n - from.nans : context.n;
        count = static_cast<double>(counted);
        has_value = counted != 0;
        poisoned = !context.skip_nans && from.nans != 0;
    }

    double extreme(double value) const { return has_value && !poisoned ? value : nan; }
    double var(std::uint32_t ddof) const {
        if (!has_value || count <= ddof || (partial.flags & (kHasNan | kHasInfinity))) return nan;
        if (!std::isfinite(partial.moments.m2)) return std::numeric_limits<double>::infinity();
        return partial.moments.m2 / (count - ddof);
    }
    double l2() const {
        if (!has_value || (partial.flags & kHasNan)) return nan;
        const Moments& m = partial.moments;
        const double squares = m.m2 + (m.s * m.s) / m.n;
        if ((partial.flags & kHasInfinity) || !std::isfinite(squares))
            return std::numeric_limits<double>::infinity();
        return std::sqrt(squares);
    }
};

Error overflow(Statistic statistic, ElementType type, const std::string& value) {
    const std::string word(kStatisticInfos[static_cast<int>(statistic)].word);
    return field_error(Status::Overflow, word, type == ElementType::I64 ? "-2^63..2^63-1" : "0..2^64-1",
                       word + " is " + value + " and does not fit " + std::string(element_word(type)));
}

Result<void> put_wide(std::byte* out, Statistic statistic, ElementType type, Int128 value) {
    const bool fits = type == ElementType::I64
                          ? value >= std::numeric_limits<std::int64_t>::min() &&
                                value <= std::numeric_limits<std::int64_t>::max()
                          : value >= 0 && value <= std::numeric_limits<std::uint64_t>::max();
    if (!fits) return overflow(statistic, type, to_string(value));
    put_integer_element(out, type, value);
    return {};
}

Uint256 squares_of(const IntegerPartial& partial) {
    return Uint256{{partial.squares[0], partial.squares[1], partial.squares[2], 0}};
}

// (n * squares - sum^2) / (n * (n - ddof)), rounded once.
double integer_var(const IntegerPartial& partial, std::uint64_t n, std::uint32_t ddof) {
    if (n <= ddof) return std::numeric_limits<double>::quiet_NaN();
    const Uint128 sum = magnitude_of(partial.sum);
    const Uint256 numerator = subtract(multiply(squares_of(partial), n), multiply(sum, sum));
    return divide_rounded(numerator, static_cast<Uint128>(n) * (n - ddof));
}

double integer_mean(const IntegerPartial& partial, std::uint64_t n) {
    const double mean = divide_rounded(Uint256::from(magnitude_of(partial.sum)), n);
    return partial.sum < 0 ? -mean : mean;
}

Int128 absmax_of(const IntegerPartial& partial) {
    const Int128 low = partial.min < 0 ? -partial.min : partial.min;
    const Int128 high = partial.max < 0 ? -partial.max : partial.max;
    return low > high ? low : high;
}

ElementType unsigned_type(ElementType type) {
    switch (type) {
        case ElementType::I8: return ElementType::U8;
        case ElementType::I16: return ElementType::U16;
        case ElementType::I32: return ElementType::U32;
        case ElementType::I64: return ElementType::U64;
        default: return type;
    }
}

}  // namespace

ElementType statistic_type(Statistic statistic, ElementType element) {
    switch (statistic) {
        case Statistic::Count:
        case Statistic::Nonzero:
        case Statistic::Nans: return ElementType::U64;
        case Statistic::Sum:
            return is_float(element)            ? ElementType::F64
                   : is_signed_integer(element) ? ElementType::I64
                                                : ElementType::U64;
        case Statistic::L1: return is_float(element) ? ElementType::F64 : ElementType::U64;
        case Statistic::Mean:
        case Statistic::L2:
        case Statistic::Var:
        case Statistic::Std: return ElementType::F64;
        case Statistic::Min:
        case Statistic::Max:
        case Statistic::Minmax: return element;
        case Statistic::Absmax: return unsigned_type(element);
        case Statistic::Argmin:
        case Statistic::Argmax: return ElementType::I64;
    }
    return element;
}

double variance(const FinishContext& context, const FloatPartial& partial) {
    return FloatValues(context, partial).var(context.ddof);
}

double variance(const FinishContext& context, const IntegerPartial& partial) {
    return integer_var(partial, context.n, context.ddof);
}

Result<void> write_statistic(Statistic statistic, const FinishContext& context, const FloatPartial& partial,
                             std::byte* out) {
    const FloatValues values(context, partial);
    const std::uint64_t nans = partial.nans;
    const std::uint64_t counted = context.skip_nans ? context.n - nans : context.n;
    const ElementType type = context.type;
    switch (statistic) {
        case Statistic::Count: put(out, counted); break;
        case Statistic::Nans: put(out, nans); break;
        case Statistic::Nonzero: put(out, counted - partial.zeros); break;
        case Statistic::Sum: put(out, canonical(partial.sum)); break;
        case Statistic::Mean:
            put(out, values.has_value ? canonical(partial.sum / values.count) : values.nan);
            break;
        case Statistic::L1: put(out, values.has_value ? canonical(partial.l1) : values.nan); break;
        case Statistic::L2: put(out, values.l2()); break;
        case Statistic::Var: put(out, context.var); break;
        case Statistic::Std: put(out, canonical(std::sqrt(context.var))); break;
        case Statistic::Min: put_float_element(out, type, values.extreme(partial.min)); break;
        case Statistic::Max: put_float_element(out, type, values.extreme(partial.max)); break;
        case Statistic::Minmax:
            put_float_element(out, type, values.extreme(partial.min));
            put_float_element(out + element_bytes(type), type, values.extreme(partial.max));
            break;
        case Statistic::Absmax:
            put_float_element(out, type,
                              values.extreme(std::fmax(std::fabs(partial.min), std::fabs(partial.max))));
            break;
        case Statistic::Argmin: put(out, context.argmin); break;
        case Statistic::Argmax: put(out, context.argmax); break;
    }
    return {};
}

Result<void> write_statistic(Statistic statistic, const FinishContext& context, const IntegerPartial& partial,
                             std::byte* out) {
    const ElementType type = context.type;
    const ElementType reply = statistic_type(statistic, type);
    switch (statistic) {
        case Statistic::Count: put(out, context.n); break;
        case Statistic::Nans: put(out, std::uint64_t{0}); break;
        case Statistic::Nonzero: put(out, context.n - partial.zeros); break;
        case Statistic::Sum: return put_wide(out, statistic, reply, partial.sum);
        case Statistic::L1: return put_wide(out, statistic, reply, static_cast<Int128>(partial.l1));
        case Statistic::Mean: put(out, integer_mean(partial, context.n)); break;
        case Statistic::L2: put(out, std::sqrt(to_double(squares_of(partial)))); break;
        case Statistic::Var: put(out, context.var); break;
        case Statistic::Std: put(out, canonical(std::sqrt(context.var))); break;
        case Statistic::Min: put_integer_element(out, type, partial.min); break;
        case Statistic::Max: put_integer_element(out, type, partial.max); break;
        case Statistic::Minmax:
            put_integer_element(out, type, partial.min);
            put_integer_element(out + element_bytes(type), type, partial.max);
            break;
        case Statistic::Absmax: put_integer_element(out, reply, absmax_of(partial)); break;
        case Statistic::Argmin: put(out, context.argmin); break;
        case Statistic::Argmax: put(out, context.argmax); break;
    }
    return {};
}

namespace {

unsigned needs_of(Statistic statistic, bool floating) {
    switch (statistic) {
        case Statistic::Count: return 0;
        case Statistic::Sum:
        case Statistic::Mean: return kNeedSum;
        case Statistic::Min:
        case Statistic::Max:
        case Statistic::Minmax:
        case Statistic::Argmin:
        case Statistic::Argmax:
        case Statistic::Absmax: return kNeedExtrema;
        case Statistic::L1: return kNeedL1;
        case Statistic::L2:
        case Statistic::Var:
        case Statistic::Std: return kNeedMoments;
        case Statistic::Nonzero: return kNeedZeros;
        case Statistic::Nans: return floating ? kNeedNans : 0u;
    }
    return 0;
}

}  // namespace

unsigned reduce_needs(const ReduceParams& params, ElementType type) {
    unsigned needs = 0;
    if (is_float(type) && params.skip_nans) needs |= kSkipNans;
    for (const StatisticInfo& info : kStatisticInfos)
        if (params.statistics & statistic_bit(info.statistic))
            needs |= needs_of(info.statistic, is_float(type));
    return needs;
}

}  // namespace tegu::kernels
