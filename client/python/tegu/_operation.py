# SPDX-License-Identifier: Apache-2.0
"""What the operations share: how keyword arguments become parameters of tegu.h, and what the arrays of a
result are."""

from . import _abi, _arrays, _errors, _types

_BY_NAME = {
    operation: {name: (kind, allowed) for name, kind, _, allowed in parameters}
    for operation, parameters in _abi.PARAMETERS.items()
}


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


def _numbered(words):
    """{word: number}; words that are numbers count as such, too."""
    table = {}
    for number, word in enumerate(words):
        if word.isdigit():
            table[int(word)] = number
        table[word] = number
    return table


class Operation(object):
    """One operation with its parameters. A subclass in _operations/ has the call and the result.

    name     as in _abi.OPERATIONS
    labels   of its inputs, as messages name them
    is_image whether its input has two dimensions, which stay rows and columns
    """

    name, labels, is_image = None, ("x",), False
    range = None

    def allowed(self, name):
        return _BY_NAME[self.name][name][1]

    def set(self, **given):
        """Checks and keeps parameters that are flags, whole numbers and choices."""
        self.fields = {}
        for name, value in given.items():
            kind, allowed = _BY_NAME[self.name][name]
            if kind == "flag":
                value = 1 if value else 0
            elif kind == "choice":
                value = choice(value, _numbered(allowed), name)
            else:
                value = whole_number(value, name, allowed, 0xFFFFFFFF if kind == "u32" else (1 << 64) - 1)
            self.fields[name] = value

    def fill(self, params):
        """Writes the parameters into the union of tegu.h."""
        struct = getattr(params, self.name)
        for name, value in self.fields.items():
            setattr(struct, name, value)
        if self.range is not None:
            try:
                struct.lo, struct.hi = (float(edge) for edge in self.range)
            except (TypeError, ValueError):
                raise _errors.make(
                    "BAD_RANGE", "range=%r" % (self.range,), "range", "a pair of numbers (lo, hi)"
                )
            struct.has_range = 1


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
