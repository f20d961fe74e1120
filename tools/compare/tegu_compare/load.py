# SPDX-License-Identifier: Apache-2.0
"""Reads one file of `tegu-bench run` as JSON, strictly: UTF-8, no NaN, no key twice. What the values must be
is the matter of schema.py."""

import json
import math
import os
import re

from .errors import MISSING_FILE, CompareError

MAX_BYTES = 256 << 20  # a full run has less than 2 MiB


class _BadJson(ValueError):
    pass


def _no_constant(word):
    raise _BadJson("%s is no number of JSON" % word)


MOST_DIGITS = 400  # of a whole number; no run writes one of more than 20


def _whole(word):
    if len(word) > MOST_DIGITS:
        raise _BadJson("a number of %d digits: %s..." % (len(word), word[:20]))
    return int(word)


def _real(word):
    if math.isinf(float(word)):
        raise _BadJson("%s is too large for a number" % word[:40])
    return float(word)


def _unique(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _BadJson(
            "the key %s stands twice in one object"
            % json.dumps(next(name for name in names if names.count(name) > 1))
        )
    return found


def _bytes_of(path):
    try:
        if os.path.isdir(path):
            raise CompareError("%s: is a folder, not a file of tegu-bench run" % path, MISSING_FILE)
        with open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise CompareError("%s: %s" % (path, error.strerror), MISSING_FILE)
    if len(content) > MAX_BYTES:
        raise CompareError("%s: is longer than %d MiB, which no run writes" % (path, MAX_BYTES >> 20))
    return content


# Control characters and halves of surrogate pairs: no terminal, page or picture shall get them.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")


def _printable(value):
    if isinstance(value, str):
        return _UNPRINTABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_printable(one) for one in value]
    if isinstance(value, dict):
        return {_printable(name): _printable(one) for name, one in value.items()}
    return value


def read_json(path):
    """The object of the file, without characters that cannot be shown. Raises CompareError with file, line
    and column."""
    content = _bytes_of(path)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CompareError("%s: byte %d is not UTF-8" % (path, error.start))
    if not text.strip():
        raise CompareError("%s: is empty" % path)
    try:
        return _printable(
            json.loads(
                text,
                parse_constant=_no_constant,
                object_pairs_hook=_unique,
                parse_int=_whole,
                parse_float=_real,
            )
        )
    except json.JSONDecodeError as error:
        cut = " (the file ends too early: truncated?)" if not text.rstrip().endswith("}") else ""
        raise CompareError("%s:%d:%d: not JSON: %s%s" % (path, error.lineno, error.colno, error.msg, cut))
    except _BadJson as error:
        raise CompareError("%s: not JSON: %s" % (path, error))
    except RecursionError:
        raise CompareError("%s: not a file of tegu-bench run: nested too deeply" % path)
