// SPDX-License-Identifier: Apache-2.0
// The statistics of a reduction. Numbers are on the wire: append only.
#pragma once

#include <cstdint>
#include <string_view>

// X(number, Name, word, values per row, sentence)
#define TEGU_STATISTICS(X)                                             \
    X(0, Count, count, 1, "number of elements")                        \
    X(1, Sum, sum, 1, "sum")                                           \
    X(2, Mean, mean, 1, "arithmetic mean")                             \
    X(3, Min, min, 1, "smallest element")                              \
    X(4, Max, max, 1, "largest element")                               \
    X(5, Minmax, minmax, 2, "smallest and largest element")            \
    X(6, Argmin, argmin, 1, "index of the first smallest element")     \
    X(7, Argmax, argmax, 1, "index of the first largest element")      \
    X(8, Absmax, absmax, 1, "largest magnitude")                       \
    X(9, L1, l1, 1, "sum of magnitudes")                               \
    X(10, L2, l2, 1, "Euclidean norm")                                 \
    X(11, Var, var, 1, "variance")                                     \
    X(12, Std, std, 1, "standard deviation")                           \
    X(13, Nonzero, nonzero, 1, "number of elements that are not zero") \
    X(14, Nans, nans, 1, "number of NaN elements")

namespace tegu {

enum class Statistic : std::uint8_t {
#define TEGU_X(number, Name, word, values, sentence) Name = number,
    TEGU_STATISTICS(TEGU_X)
#undef TEGU_X
};

inline constexpr int kStatisticCount = 0
#define TEGU_X(number, Name, word, values, sentence) +1
    TEGU_STATISTICS(TEGU_X)
#undef TEGU_X
    ;

// A set of statistics: bit s is Statistic s.
using StatisticSet = std::uint32_t;
constexpr StatisticSet statistic_bit(Statistic statistic) {
    return 1u << static_cast<unsigned>(statistic);
}
inline constexpr StatisticSet kAllStatistics = (1u << kStatisticCount) - 1;

struct StatisticInfo {
    Statistic statistic;
    std::string_view word;
    int values_per_row;
    std::string_view sentence;
};
// The list, ordered by number; index = number.
extern const StatisticInfo kStatisticInfos[kStatisticCount];

}  // namespace tegu
