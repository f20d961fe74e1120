# SPDX-License-Identifier: Apache-2.0
"""base/operations.h, as tegu-describe prints it: the target describe writes this file."""

OPERATIONS = {
    "reduce": 1,
    "topk": 2,
    "entropy_map": 3,
    "add": 4,
    "dot": 5,
    "rowscale": 6,
    "quantile": 7,
    "histogram": 8,
    "entropy": 9,
    "fused": 10,
}
# Those that can be part of a fused job.
PARTS = (
    "reduce",
    "topk",
    "quantile",
    "histogram",
    "entropy",
)
STATISTICS = (
    "count",
    "sum",
    "mean",
    "min",
    "max",
    "minmax",
    "argmin",
    "argmax",
    "absmax",
    "l1",
    "l2",
    "var",
    "std",
    "nonzero",
    "nans",
)
ROLES = {
    "values": 32,
    "indices": 33,
    "counts": 34,
    "map": 35,
    "dot": 36,
    "scales": 37,
    "quantiles": 38,
    "histogram": 39,
    "edges": 40,
    "entropy": 41,
    "nodes": 42,
    "levels": 43,
}
# Of each operation (name, kind, default, what is allowed), in the order of the wire.
PARAMETERS = {
    "reduce": (
        ("statistics", "set", 0, None),
        ("ddof", "u32", 0, "0 or 1"),
        ("skip_nans", "flag", False, None),
        ("partial", "flag", False, None),
        ("last", "flag", False, None),
        ("offset", "u32", 0, "0 to 2^32 - 1"),
    ),
    "topk": (
        ("k", "u64", 0, "1 to the number of elements"),
        ("largest", "flag", True, None),
        ("distinct", "flag", False, None),
    ),
    "entropy_map": (
        ("window_rows", "u32", 5, "odd, 3 to 63"),
        ("window_cols", "u32", 5, "odd, 3 to 63"),
        ("levels", "u32", 16, "2 to 256"),
        ("has_range", "flag", False, None),
        ("base", "choice", "2", ("2", "e")),
        ("border", "choice", "clip", ("clip", "mirror")),
        ("lo", "edge", 0.0, None),
        ("hi", "edge", 0.0, None),
    ),
    "add": (),
    "dot": (
        ("skip_nans", "flag", False, None),
        ("partial", "flag", False, None),
        ("last", "flag", False, None),
        ("offset", "u32", 0, "0 to 2^32 - 1"),
    ),
    "rowscale": (
        ("skip_nans", "flag", False, None),
    ),
    "quantile": (
        ("q", "list", (), 1024),
        ("method", "choice", "linear", ("linear", "lower", "higher", "nearest", "midpoint")),
        ("skip_nans", "flag", False, None),
    ),
    "histogram": (
        ("bins", "u32", 10, "1 to 2^20, of equal width"),
        ("has_range", "flag", False, None),
        ("skip_nans", "flag", False, None),
        ("lo", "edge", 0.0, None),
        ("hi", "edge", 0.0, None),
    ),
    "entropy": (
        ("levels", "u32", 256, "2 to 65536"),
        ("has_range", "flag", False, None),
        ("base", "choice", "2", ("2", "e")),
        ("skip_nans", "flag", False, None),
        ("partial", "flag", False, None),
        ("lo", "edge", 0.0, None),
        ("hi", "edge", 0.0, None),
    ),
    "fused": (
        ("parts", "list", (), 5),
    ),
}
