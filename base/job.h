// SPDX-License-Identifier: Apache-2.0
// The vocabulary of a job: operations, statistics, and the parameters of each, as plain structs. The wire
// encodes them, the kernels execute them, the clients fill them in; nobody translates. Numbers stand on the
// wire: append only. Adding an operation adds one line to TEGU_OPERATIONS, one params struct here, and its
// files in each folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "base/element_type.h"

// X(number, Name, stem, number of inputs, sentence); the params struct is <Name>Params.
#define TEGU_OPERATIONS(X)                                                                    \
    X(1, Reduce, reduce, 1, "any set of statistics in one pass")                              \
    X(2, Topk, topk, 1, "the k largest or smallest values and their indices, sorted, stable") \
    X(3, EntropyMap, entropy_map, 1, "Shannon entropy of the window around each pixel")       \
    X(4, Add, add, 2, "sum of two arrays, element by element")                                \
    X(5, Dot, dot, 2, "scalar product")                                                       \
    X(6, Rowscale, rowscale, 1, "each row divided by its largest magnitude")                  \
    X(7, Quantile, quantile, 1, "exact quantiles")                                            \
    X(8, Histogram, histogram, 1, "counts of equal bins")                                     \
    X(9, Entropy, entropy, 1, "Shannon entropy of the levels of an array")                    \
    X(10, Fused, fused, 1, "several operations on one array, in one pass where possible")

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

enum class Operation : std::uint16_t {
#define TEGU_X(number, Name, stem, inputs, sentence) Name = number,
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
};

enum class Statistic : std::uint8_t {
#define TEGU_X(number, Name, word, values, sentence) Name = number,
    TEGU_STATISTICS(TEGU_X)
#undef TEGU_X
};

// The length of tables with an entry for each operation at its number; 0 stays empty.
inline constexpr std::size_t kOperationSlots = 1
#define TEGU_X(number, Name, stem, inputs, sentence) +1
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    ;
#define TEGU_X(number, Name, stem, inputs, sentence) \
    static_assert(number < kOperationSlots, "one slot for each operation");
TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X

inline constexpr int kStatisticCount = 0
#define TEGU_X(number, Name, word, values, sentence) +1
    TEGU_STATISTICS(TEGU_X)
#undef TEGU_X
    ;

// A set of statistics: bit s stands for Statistic s.
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
// The list in order of its numbers; index = number.
extern const StatisticInfo kStatisticInfos[kStatisticCount];
std::optional<Statistic> find_statistic(std::string_view word);

struct OperationInfo {
    Operation operation;
    std::string_view stem;
    int inputs;
    std::string_view sentence;
};
// The list in order of its numbers.
const std::vector<OperationInfo>& operation_infos();
// Null for a number or stem that is not in the list.
const OperationInfo* find_operation(std::uint16_t number);
const OperationInfo* find_operation(std::string_view stem);

struct ReduceParams {
    StatisticSet statistics = 0;  // at least one
    bool skip_nans = false;       // NaN elements are left out of everything but `nans`
    std::uint32_t ddof = 0;       // var and std divide by count - ddof; 0 or 1
};

struct TopkParams {
    std::uint64_t k = 0;  // 1..elements (of a row)
    bool largest = true;  // else the smallest
    // each value once, with its first index; fewer than k results if there are fewer values
    bool distinct = false;
};

enum class LogBase : std::uint8_t { Two = 0, E = 1 };
enum class Border : std::uint8_t {
    Clip = 0,  // the window is cut at the edge of the image
    // the image is mirrored at its edge, the edge pixel included (scipy "reflect", MATLAB "symmetric")
    Mirror = 1,
};

struct EntropyMapParams {
    std::uint32_t window_rows = 5;  // odd, 3..63
    std::uint32_t window_cols = 5;  // odd, 3..63
    std::uint32_t levels = 16;      // 2..256
    // false: the whole range of an integer type; min..max of the finite pixels of a float type
    bool has_range = false;
    double lo = 0;  // finite; the lower edge of level 0
    double hi = 0;  // finite, > lo; the upper edge of level `levels - 1`. Pixels outside are clamped.
    LogBase base = LogBase::Two;
    Border border = Border::Clip;
};

// z = x + y into an output of the type of the inputs. An integer sum that does not fit it is Overflow.
struct AddParams {};

struct DotParams {
    bool skip_nans = false;  // pairs with a NaN are left out
};

// Each row (Axis::Rows), or the whole array as one, divided by its largest magnitude. Float types only.
struct RowscaleParams {
    bool skip_nans = false;  // NaN elements stay NaN, and do not count for the scale
};

// What lies between two order statistics, as numpy names it.
enum class QuantileMethod : std::uint8_t {
    Linear = 0,    // interpolated
    Lower = 1,     // the smaller neighbour
    Higher = 2,    // the larger neighbour
    Nearest = 3,   // the nearer neighbour, the even one of two
    Midpoint = 4,  // the middle of both
};
inline constexpr std::uint32_t kMaxQuantiles = 1024;

struct QuantileParams {
    std::vector<double> q;  // 1..kMaxQuantiles of them, each in [0, 1], in any order
    QuantileMethod method = QuantileMethod::Linear;
    bool skip_nans = false;  // else a NaN makes every quantile NaN
};

inline constexpr std::uint32_t kMaxBins = 1u << 20;

// Bins of equal width, as numpy.histogram has them: the last one holds its upper edge, elements outside count
// nowhere.
struct HistogramParams {
    std::uint32_t bins = 10;  // 1..kMaxBins
    bool has_range = false;   // false: smallest to largest element
    double lo = 0;            // finite; the lower edge of the first bin
    double hi = 0;            // finite, >= lo; the upper edge of the last
    bool skip_nans = false;   // without it, and without a range, a NaN is an error
};

inline constexpr std::uint32_t kMaxEntropyLevels = 65536;

// Elements become levels as pixels of entropy_map do.
struct EntropyParams {
    std::uint32_t levels = 256;  // 2..kMaxEntropyLevels
    bool has_range = false;      // as in EntropyMapParams
    double lo = 0;
    double hi = 0;
    LogBase base = LogBase::Two;
    bool skip_nans = false;  // NaN elements are left out, else one makes the entropy NaN
};

// Several operations on one input, each at most once. The arrays of the result come in the order of the
// parts.
using FusedPart = std::variant<ReduceParams, TopkParams, QuantileParams, HistogramParams, EntropyParams>;
inline constexpr std::uint32_t kMaxFusedParts = 5;
struct FusedParams {
    std::vector<FusedPart> parts;  // 1..kMaxFusedParts
};

using JobParams = std::variant<ReduceParams, TopkParams, EntropyMapParams, AddParams, DotParams,
                               RowscaleParams, QuantileParams, HistogramParams, EntropyParams, FusedParams>;

enum class Axis : std::uint8_t {
    Whole = 0,  // the rows x cols elements are one sequence in row-major order
    Rows = 1,   // each row by itself
};

// A request without its data: what is computed, of which shape. The operation is the alternative that
// `params` holds.
struct Job {
    ElementType type = ElementType::F32;
    Axis axis = Axis::Whole;  // entropy_map and add: Whole only
    std::uint64_t rows = 1;
    std::uint64_t cols = 0;  // elements of a row
    JobParams params;
};

Operation operation_of(const Job& job);
Operation operation_of(const FusedPart& part);

// What an array in a result holds. Statistics are their own roles (number + 1); the words are the keys of
// `--json` and Python.
enum class ArrayRole : std::uint8_t {
    Values = 32,     // topk: the values, best first; add, rowscale: one value an element
    Indices = 33,    // topk: their indices in the row (or the whole), i64; -1 where there is none
    Counts = 34,     // topk distinct: how many of the k are filled, u64, one a row
    Map = 35,        // entropy_map: one f32 a pixel
    Dot = 36,        // dot: one a row
    Scales = 37,     // rowscale: the largest magnitude of each row
    Quantiles = 38,  // quantile: one for each q, in the order of the request
    Histogram = 39,  // histogram: u64 counts, one a bin
    Edges = 40,      // histogram: f64, bins + 1 of them
    Entropy = 41,    // entropy: f64, one a row
};
constexpr ArrayRole role_of(Statistic statistic) {
    return static_cast<ArrayRole>(static_cast<std::uint8_t>(statistic) + 1);
}
bool is_array_role(std::uint8_t number);
// "sum", "values", ...; "?" for a number that is not in the list.
std::string_view array_role_word(ArrayRole role);

// One array of a result, dense and row-major: rows x cols elements of `type`.
struct ArraySpec {
    ArrayRole role;
    ElementType type;
    std::uint64_t rows;
    std::uint64_t cols;
};

// Bytes of the array. REQUIRES: the product fits 64 bits (plans and decoders check before they build a spec).
inline std::uint64_t array_bytes(const ArraySpec& spec) {
    return spec.rows * spec.cols * element_bytes(spec.type);
}

}  // namespace tegu
