# SPDX-License-Identifier: Apache-2.0
"""The entropy of counts with integers alone: kernels/numerics/fixed_log2.cpp. docs/numerics.md defines it."""

from typing import Dict, Iterable

_BITS = 60  # of the fraction of a logarithm
_LN2 = 0xB17217F7D1CF79AC
_MASK = (1 << 64) - 1


def fixed_log2(n: int) -> int:
    """log2(n) * 2^60, cut. REQUIRES: 1 <= n < 2^63."""
    exponent = n.bit_length() - 1
    mantissa = n << (63 - exponent)
    fraction = 0
    if mantissa != 1 << 63:  # else a power of two, whose logarithm is exact
        for _ in range(_BITS):
            square = mantissa * mantissa
            carry = square >> 127
            mantissa = square >> (63 + carry) & _MASK
            fraction = fraction * 2 + carry
    return (exponent << _BITS) + fraction


def entropy_of(counts: Iterable[int], base_e: bool) -> float:
    """NaN of no counts."""
    logs: Dict[int, int] = {}
    n, total = 0, 0
    for count in counts:
        n += count
        if count > 1:
            log = logs.get(count)
            if log is None:
                log = logs[count] = fixed_log2(count)
            total += count * log
    if n == 0:
        return float("nan")
    difference = max(n * fixed_log2(n) - total, 0)
    if base_e:
        return _quotient(difference * _LN2, n, _BITS + 64)
    return _quotient(difference, n, _BITS)


def _quotient(numerator: int, n: int, bits: int) -> float:
    """numerator / n / 2^bits, rounded once: Python rounds the quotient of two integers once."""
    return numerator / n / 2.0**bits
