// SPDX-License-Identifier: Apache-2.0
// The list of the operations; operations/ has the parameters of each. Numbers are on the wire: append only.
#pragma once

#include "base/operations/add.h"
#include "base/operations/dot.h"
#include "base/operations/entropy.h"
#include "base/operations/entropy_map.h"
#include "base/operations/fused.h"
#include "base/operations/histogram.h"
#include "base/operations/quantile.h"
#include "base/operations/reduce.h"
#include "base/operations/rowscale.h"
#include "base/operations/topk.h"

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

// The content of a result array, besides the statistics (number + 1): X(number, Name, word, sentence). The
// words are keys of `--json` and Python.
#define TEGU_ARRAY_ROLES(X)                                                                                \
    X(32, Values, values,                                                                                  \
      "topk: the values, best first; add, rowscale: one an element, of the type of the input")             \
    X(33, Indices, indices, "topk: where they stand in the row or the whole, i64; -1 where there is none") \
    X(34, Counts, counts, "topk with `distinct`: how many of the k are there, one a row, u64")             \
    X(35, Map, map, "entropy_map: one f32 a pixel")                                                        \
    X(36, Dot, dot, "dot: one a row; i64, u64 or f64 for signed, unsigned and float elements")             \
    X(37, Scales, scales, "rowscale: the largest magnitude of each row, of the type of the input")         \
    X(38, Quantiles, quantiles,                                                                            \
      "quantile: a column for each q, in the order of the request; f64 for linear and midpoint, else of "  \
      "the "                                                                                               \
      "type of the input")                                                                                 \
    X(39, Histogram, histogram, "histogram: a column for each bin, u64")                                   \
    X(40, Edges, edges, "histogram: `bins` + 1 columns, f64")                                              \
    X(41, Entropy, entropy, "entropy: one a row, f64")                                                     \
    X(42, Nodes, nodes,                                                                                    \
      "with `partial`, reduce and dot: one node a row, 16 and 3 words, u64; see partials.md")              \
    X(43, Levels, levels, "with `partial`, entropy: a column for each level, then one for NaN, u64")
