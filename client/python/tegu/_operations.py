# SPDX-License-Identifier: Apache-2.0
"""The operations: how the arguments of each become the parameters of tegu.h, and its arrays what the caller
gets. A fused job is made of the same pieces, so that a part gives what the operation gives alone."""

import ctypes

from . import _abi, _arrays, _errors, _inputs, _types

_BASES = {2: 0, "2": 0, "e": 1}
_BORDERS = {"clip": 0, "mirror": 1}
_METHODS = {"linear": 0, "lower": 1, "higher": 2, "nearest": 3, "midpoint": 4}
_MAX_QUANTILES = 1024  # more are refused by the library, whose message says so


def choice(value, table, field):
    try:
        return table[value]
    except (KeyError, TypeError):
        raise _errors.make(
            "BAD_RANGE",
            "%s=%r is not known" % (field, value),
            field,
            " or ".join(repr(known) for known in table),
        )


def whole_number(value, field, allowed, most=0xFFFFFFFF):
    """The number, at most `most`: what is too large for its field is too large for the daemon, too, which
    says so."""
    try:
        number = value.__index__()
    except AttributeError:
        number = -1
    if number < 0 or number >= 1 << 64:
        raise _errors.make(
            "BAD_RANGE", "%s=%r is no whole number of this range" % (field, value), field, allowed
        )
    return min(number, most)


def _set_range(params, edges):
    if edges is None:
        return
    try:
        params.lo, params.hi = (float(edge) for edge in edges)
    except (TypeError, ValueError):
        raise _errors.make("BAD_RANGE", "range=%r" % (edges,), "range", "a pair of numbers (lo, hi)")
    params.has_range = 1


class Array(object):
    """One array of a result: rows x cols elements in C's memory, and the Input that its rows belong to."""

    def __init__(self, owner, raw, source):
        self.owner, self.type, self.rows, self.cols, self.address, self.source = (
            owner,
            raw.type,
            raw.rows,
            raw.cols,
            raw.data,
            source,
        )

    def shaped(self, shape):
        if _types.product(shape) * _types.BYTES[self.type] <= 65536:
            return _arrays.copy_of(self.address, self.type, shape)
        return _arrays.view_of(self.address, self.type, shape, self.owner)

    def numbers(self):
        return _arrays.scalars(self.address, self.type, self.rows * self.cols)

    def copy_into(self, out):
        """REQUIRES: out has the shape of the input."""
        given, axis = self.source.given, self.source.axis
        if axis is None or axis == len(given) - 1:
            return _arrays.fill(out, self.address, self.type, given)
        return _arrays.fill(
            _types.numpy.moveaxis(out, axis, -1), self.address, self.type, self.source.rest + (given[axis],)
        )

    def per_row(self):
        """One value a row: in the shape of the rows, a Python number if that has no dimensions."""
        rest = self.source.rest if self.source.axis is not None else ()
        return self.shaped(rest) if rest else self.numbers()[0]

    def vectors(self):
        """A vector a row, after the dimensions of the rows."""
        rest = self.source.rest if self.source.axis is not None else ()
        return self.shaped(rest + (self.cols,))

    def along(self):
        """A vector a row, where the axis stood."""
        made = self.vectors()
        axis = self.source.axis
        return (
            made
            if axis is None or axis == len(self.source.given) - 1
            else _types.numpy.moveaxis(made, -1, axis)
        )


class Out(object):
    """Stands for the array that the caller gave for a result, in Array's place."""

    def __init__(self, out, source):
        self.out, self.source = out, source

    def shaped(self, unused):
        return self.out

    def numbers(self):
        return (self.out,)

    def along(self):
        return self.out


class Reduce(object):
    inputs = 1

    def __init__(self, stats=("sum",), ddof=0, skip_nans=False):
        self.names = (
            _abi.STATISTICS if stats == "all" else (stats,) if isinstance(stats, str) else tuple(stats)
        )
        self.bits = 0
        for name in self.names:
            if name not in _abi.STATISTICS:
                raise _errors.make(
                    "BAD_RANGE", "the statistic %r is not known" % (name,), "stats", " ".join(_abi.STATISTICS)
                )
            self.bits |= 1 << _abi.STATISTICS.index(name)
        self.ddof, self.skip_nans = whole_number(ddof, "ddof", "0 or 1"), skip_nans

    def fill(self, params):
        params.reduce.statistics, params.reduce.ddof, params.reduce.skip_nans = (
            self.bits,
            self.ddof,
            1 if self.skip_nans else 0,
        )

    def result(self, arrays):
        made = {}
        for name in self.names:
            found = arrays[_abi.STATISTICS.index(name) + 1]
            pair = (
                found.numbers()
                if name == "minmax" and not (found.source.axis is not None and found.source.rest)
                else None
            )
            made[name] = pair or (found.vectors() if name == "minmax" else found.per_row())
        return made


class Topk(object):
    inputs = 1

    def __init__(self, k, largest=True, distinct=False):
        self.k, self.largest, self.distinct = (
            whole_number(k, "k", "1 to the number of elements", (1 << 64) - 1),
            largest,
            distinct,
        )

    def fill(self, params):
        params.topk.k, params.topk.largest, params.topk.distinct = (
            self.k,
            1 if self.largest else 0,
            1 if self.distinct else 0,
        )

    def result(self, arrays):
        return arrays[_abi.ROLE_VALUES].along(), arrays[_abi.ROLE_INDICES].along()


class EntropyMap(object):
    inputs, out_role = 1, _abi.ROLE_MAP

    def __init__(self, window=5, levels=16, range=None, base=2, border="clip"):
        allowed = "odd, 3 to 63"
        try:
            rows, cols = (window, window) if hasattr(window, "__index__") else window
        except (TypeError, ValueError):
            raise _errors.make(
                "BAD_RANGE", "window=%r" % (window,), "window", "one number or (rows, cols), " + allowed
            )
        self.window = whole_number(rows, "window", allowed), whole_number(cols, "window", allowed)
        self.levels, self.range = whole_number(levels, "levels", "2 to 256"), range
        self.base, self.border = choice(base, _BASES, "base"), choice(border, _BORDERS, "border")

    def fill(self, params):
        entropy_map = params.entropy_map
        entropy_map.window_rows, entropy_map.window_cols = self.window
        entropy_map.levels, entropy_map.base, entropy_map.border = self.levels, self.base, self.border
        _set_range(entropy_map, self.range)

    def out_type(self, source):
        return 10  # f32

    def result(self, arrays):
        found = arrays[_abi.ROLE_MAP]
        return found.shaped(found.source.given)


class Add(object):
    inputs, out_role = 2, _abi.ROLE_VALUES

    def fill(self, params):
        pass

    def out_type(self, source):
        return source.type

    def result(self, arrays):
        found = arrays[_abi.ROLE_VALUES]
        return found.shaped(found.source.given) if found.source.given else found.numbers()[0]


class Dot(object):
    inputs = 2

    def __init__(self, skip_nans=False):
        self.skip_nans = skip_nans

    def fill(self, params):
        params.dot.skip_nans = 1 if self.skip_nans else 0

    def result(self, arrays):
        return arrays[_abi.ROLE_DOT].per_row()


class Rowscale(object):
    inputs, out_role = 1, _abi.ROLE_VALUES

    def __init__(self, skip_nans=False):
        self.skip_nans = skip_nans

    def fill(self, params):
        params.rowscale.skip_nans = 1 if self.skip_nans else 0

    def out_type(self, source):
        return source.type

    def result(self, arrays):
        found = arrays[_abi.ROLE_VALUES]
        if found.source.axis is None:
            values = found.shaped(found.source.given) if found.source.given else found.numbers()[0]
        else:
            values = found.along()
        return values, arrays[_abi.ROLE_SCALES].per_row()


class Quantile(object):
    inputs = 1

    def __init__(self, q, method="linear", skip_nans=False):
        self.method, self.skip_nans = choice(method, _METHODS, "method"), skip_nans
        try:
            described = _inputs.describe(
                q, "f64" if isinstance(q, (int, float, list, tuple)) else None, name="q"
            )
            if described.row_stride:
                described = _inputs.describe(_types.numpy.ascontiguousarray(q))
            count = _types.product(described.given)
            numbers = (
                _arrays.scalars(described.address, described.type, min(count, _MAX_QUANTILES + 1))
                if count
                else ()
            )
            self.q = (ctypes.c_double * max(len(numbers), 1))(*numbers)
        except (TypeError, _errors.Error):
            raise _errors.make(
                "BAD_RANGE", "q=%r is neither a number nor an array of numbers" % (q,), "q", "0..1"
            )
        self.count, self.shape = count, described.given

    def fill(self, params):
        params.quantile.q, params.quantile.count = ctypes.addressof(self.q), min(self.count, 0xFFFFFFFF)
        params.quantile.method, params.quantile.skip_nans = self.method, 1 if self.skip_nans else 0

    def result(self, arrays):
        found = arrays[_abi.ROLE_QUANTILES]
        if not self.shape:
            return found.per_row()
        rest = found.source.rest if found.source.axis is not None else ()
        return _arrays.columns_first(found.address, found.type, found.rows, found.cols, self.shape + rest)


class Histogram(object):
    inputs = 1

    def __init__(self, bins=10, range=None, skip_nans=False):
        self.bins, self.range, self.skip_nans = (
            whole_number(bins, "bins", "1 to 2^20, of equal width"),
            range,
            skip_nans,
        )

    def fill(self, params):
        params.histogram.bins, params.histogram.skip_nans = self.bins, 1 if self.skip_nans else 0
        _set_range(params.histogram, self.range)

    def result(self, arrays):
        return arrays[_abi.ROLE_HISTOGRAM].vectors(), arrays[_abi.ROLE_EDGES].vectors()


class Entropy(object):
    inputs = 1

    def __init__(self, levels=256, range=None, base=2, skip_nans=False):
        self.levels, self.range, self.skip_nans = (
            whole_number(levels, "levels", "2 to 65536"),
            range,
            skip_nans,
        )
        self.base = choice(base, _BASES, "base")

    def fill(self, params):
        params.entropy.levels, params.entropy.base, params.entropy.skip_nans = (
            self.levels,
            self.base,
            1 if self.skip_nans else 0,
        )
        _set_range(params.entropy, self.range)

    def result(self, arrays):
        return arrays[_abi.ROLE_ENTROPY].per_row()


PARTS = {"reduce": Reduce, "topk": Topk, "quantile": Quantile, "histogram": Histogram, "entropy": Entropy}


class Fused(object):
    inputs = 1

    def __init__(self, parts):
        """parts: operation -> its arguments by name."""
        self.parts = []
        for name, arguments in parts.items():
            try:
                self.parts.append((name, PARTS[name](**arguments)))
            except TypeError as error:
                raise TypeError("%s=%r: %s" % (name, arguments, error))

    def fill(self, params):
        self.raw = (_abi.Part * max(len(self.parts), 1))()
        for raw, (name, operation) in zip(self.raw, self.parts):
            _abi.library().tegu_part_init(ctypes.byref(raw), _abi.OPERATIONS[name])
            operation.fill(raw.params)
        params.fused.parts, params.fused.count = ctypes.addressof(self.raw), len(self.parts)

    def result(self, arrays):
        return {name: operation.result(arrays) for name, operation in self.parts}
