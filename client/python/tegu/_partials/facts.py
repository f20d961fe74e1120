# SPDX-License-Identifier: Apache-2.0
"""What a partial of reduce knows without the tree: counts, extremes and their places, and the exact sums of
integers. Facts merge in any order."""

import struct
from typing import Any, Iterable, List, NamedTuple, Tuple

from .. import _types
from . import codec

FLOATS = (9, 10, 11)
WORDS = 16  # of a node in the reply of a job
Facts = NamedTuple(
    "Facts",
    [
        ("nans", int),
        ("nonzero", int),
        ("min", Any),  # a number; None: none
        ("max", Any),
        ("argmin", int),  # -1: none, or nobody asked for it
        ("argmax", int),
        ("nan_at", int),  # the first NaN that counts, as argmin
        ("sum", int),  # this and the next: of integers
        ("l1", int),
        ("squares", int),
    ],
)
NONE = Facts(0, 0, None, None, -1, -1, -1, 0, 0, 0)
_WORD_OF = {"min": 7, "max": 8, "argmin": 9, "argmax": 10, "nonzero": 11, "nans": 12}


def states_of(stats: Iterable[str], number: int, skip_nans: bool) -> Tuple[str, ...]:
    """The words of a node that hold facts: kernels/statistics/nodes.cpp."""
    states = set()
    for name in stats:
        if name in ("minmax", "absmax"):
            states |= {"min", "max"}
        elif name in ("argmin", "argmax"):
            states |= {name, name[3:]}
        elif name in _WORD_OF:
            states.add(name)
    if number in FLOATS and (skip_nans or set(stats) - {"sum", "count"}):
        states.add("nans")
    return tuple(sorted(states))


def _extreme(a: Any, a_at: int, b: Any, b_at: int, sign: int) -> Tuple[Any, int]:
    if a is None or b is None:
        return (b, b_at) if a is None else (a, a_at)
    if a == b:
        return a, min(a_at, b_at)
    return (a, a_at) if (a < b) == (sign < 0) else (b, b_at)


def _first(a: int, b: int) -> int:
    return b if a < 0 else a if b < 0 else min(a, b)


def merge(a: Facts, b: Facts) -> Facts:
    """Commutative."""
    low, low_at = _extreme(a.min, a.argmin, b.min, b.argmin, -1)
    high, high_at = _extreme(a.max, a.argmax, b.max, b.argmax, 1)
    return Facts(
        a.nans + b.nans,
        a.nonzero + b.nonzero,
        low,
        high,
        low_at,
        high_at,
        _first(a.nan_at, b.nan_at),
        a.sum + b.sum,
        a.l1 + b.l1,
        a.squares + b.squares,
    )


def merged(parts: Iterable[Facts], skip_nans: bool) -> Facts:
    """Beside a NaN that counts, extremes of parts without one are dropped."""
    made = NONE
    for part in parts:
        made = merge(made, part)
    if made.nans and not skip_nans:
        made = made._replace(min=None, max=None, argmin=-1, argmax=-1)
    return made


def _number(value: float) -> float:
    return value + 0.0


def of_words(
    words: Tuple[int, ...], begin: int, count: int, number: int, states: Tuple[str, ...], skip_nans: bool
) -> Facts:
    """The facts of a node in the reply of a job: `words`, of `count` elements from `begin` on."""
    nans = words[12] if "nans" in states else 0
    floating = number in FLOATS
    poisoned = nans != 0 and not skip_nans
    extremes: List[Any] = [None, None]
    for i, name in enumerate(("min", "max")):
        if name in states and not poisoned and nans != count:
            raw = struct.pack("<Q", words[_WORD_OF[name]])[: _types.BYTES[number]]
            value = struct.unpack("<" + _types.FORMATS[number], raw)[0]
            extremes[i] = _number(value) if floating else value
    places = [
        begin + words[_WORD_OF[name]] if name in states and words[_WORD_OF[name]] >> 63 == 0 else -1
        for name in ("argmin", "argmax")
    ]
    nan_at = max(places) if poisoned else -1
    if poisoned:
        places = [-1, -1]
    sums = (0, 0, 0)
    if not floating:
        total = words[0] | words[1] << 64
        sums = (
            total - (1 << 128) if total >> 127 else total,
            words[2] | words[3] << 64,
            words[4] | words[5] << 64 | words[6] << 128,
        )
    nonzero = words[11] if "nonzero" in states else 0
    return Facts(nans, nonzero, extremes[0], extremes[1], places[0], places[1], nan_at, *sums)


def _first_of(mask: Any, begin: int) -> int:
    return begin + int(mask.argmax())


def of_elements(raw: bytes, begin: int, number: int, states: Tuple[str, ...], skip_nans: bool) -> Facts:
    """The facts of the elements `raw` of a float type, from `begin` on."""
    count = len(raw) // _types.BYTES[number]
    if _types.numpy is not None:
        values = _types.numpy.frombuffer(raw, _types.NAMES[number])
        is_nan = values != values
        nans = int(is_nan.sum())
        nonzero = int((values != 0).sum()) - (nans if skip_nans else 0)
        valid = values[~is_nan] if nans else values
        low, high = (float(valid.min()), float(valid.max())) if len(valid) else (None, None)
        low_at = _first_of(values == low, begin) if low is not None else -1
        high_at = _first_of(values == high, begin) if high is not None else -1
        nan_at = _first_of(is_nan, begin) if nans else -1
    else:
        plain = struct.unpack("<%d%s" % (count, _types.FORMATS[number]), raw)
        known = [value for value in plain if value == value]
        nans = count - len(known)
        nonzero = sum(1 for value in plain if value != 0) - (nans if skip_nans else 0)
        low, high = (min(known), max(known)) if known else (None, None)
        low_at = plain.index(low) + begin if low is not None else -1
        high_at = plain.index(high) + begin if high is not None else -1
        nan_at = next((begin + i for i, value in enumerate(plain) if value != value), -1)
    poisoned = nans != 0 and not skip_nans and "nans" in states
    asked = set(states)
    shown = asked if not poisoned else set()
    return Facts(
        nans if "nans" in asked else 0,
        nonzero if "nonzero" in asked else 0,
        _number(low) if "min" in shown and low is not None else None,
        _number(high) if "max" in shown and high is not None else None,
        low_at if "argmin" in shown else -1,
        high_at if "argmax" in shown else -1,
        nan_at if poisoned and asked & {"argmin", "argmax"} else -1,
        0,
        0,
        0,
    )


def packed(facts: Facts) -> List[Any]:
    """Plain values for JSON: floats as text in hexadecimal, which is exact, and large integers as text."""
    plain = [value.hex() if isinstance(value, float) else value for value in facts[2:4]]
    return list(facts[:2]) + plain + list(facts[4:7]) + [str(value) for value in facts[7:]]


def unpacked(values: List[Any], number: int, states: Tuple[str, ...], total: int) -> Facts:
    """Raises ValueError or TypeError for anything that packed() does not give."""
    nans, nonzero, low, high, argmin, argmax, nan_at, all_sum, l1, squares = values
    floating = number in FLOATS
    for count in (nans, nonzero):
        if type(count) is not int or not 0 <= count <= total:
            raise ValueError("a count is %r" % (count,))
    for place in (argmin, argmax, nan_at):
        if type(place) is not int or not -1 <= place < 1 << 62:
            raise ValueError("a place is %r" % (place,))
    extremes = [_extreme_of(value, number) for value in (low, high)]
    if None not in extremes and extremes[0] > extremes[1]:
        raise ValueError("the least element is larger than the largest")
    sums = [codec.whole_of(text) for text in (all_sum, l1, squares)]
    if min(sums[1:]) < 0:
        raise ValueError("a sum of magnitudes is negative")
    if floating and any(sums):
        raise ValueError("floats have no exact sums")
    return Facts(nans, nonzero, extremes[0], extremes[1], argmin, argmax, nan_at, *sums)


def _extreme_of(value: Any, type_number: int) -> Any:
    if value is None:
        return None
    if type_number in FLOATS:
        number = float.fromhex(value)
        if number != number:
            raise ValueError("an extreme is no number")
        return number
    bits = 8 * _types.BYTES[type_number]
    least = -(1 << (bits - 1)) if _types.WORDS[type_number][0] == "i" else 0
    if type(value) is not int or not least <= value < least + (1 << bits):
        raise ValueError("an extreme is %r" % (value,))
    return value
