# SPDX-License-Identifier: Apache-2.0
"""What a file of `tegu-bench run` must hold. Unknown keys are allowed: a newer writer may add some. What is
missing, or of a wrong type or range, is an error that names the file, the place in it, what was found and
what is allowed."""

import json

from .errors import CompareError

SCHEMA = "tegu-field/1"
PARTS = (
    "copy",
    "operations",
    "occupancy",
    "scaling",
    "crossover",
    "roundtrip",
    "coldstart",
    "s1",
    "s2",
    "s3",
    "s4",
    "s5",
)
PLACES = ("before", "during", "after")


class Rule:
    """allows(value) and in words what is allowed. A value that is missing or null passes unless it is
    required."""

    def __init__(self, allows, words, required=False):
        self.allows, self.words, self.required = allows, words, required

    def needed(self):
        return Rule(self.allows, self.words, True)


# What no board reaches; it keeps arithmetic away from infinity.
_LEAST, _MOST = 1e-15, 1e24


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _MOST


def _is_positive(value):
    return _is_number(value) and value >= _LEAST


TEXT = Rule(lambda value: isinstance(value, str), "a text")
NAME = Rule(lambda value: isinstance(value, str) and value.strip() != "", "a text that is not empty", True)
FLAG = Rule(lambda value: isinstance(value, bool), "true or false")
NUMBER = Rule(_is_number, "a number")
POSITIVE = Rule(_is_positive, "a number above 0")
NOT_NEGATIVE = Rule(
    lambda value: value == 0 and _is_number(value) or _is_positive(value), "a number of at least 0"
)
SHARE = Rule(lambda value: _is_number(value) and 0 <= value <= 1, "a number from 0 to 1")
COUNT = Rule(
    lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    "a whole number of at least 0",
)
LIST = Rule(lambda value: isinstance(value, list), "a list")
OBJECT = Rule(lambda value: isinstance(value, dict), "an object")
TEXTS = Rule(
    lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value), "a list of texts"
)
NUMBERS = Rule(
    lambda value: isinstance(value, dict) and all(one is None or _is_number(one) for one in value.values()),
    "an object of numbers",
)
AXES = Rule(
    lambda value: (
        isinstance(value, dict)
        and all(one is None or isinstance(one, (str, bool)) or _is_number(one) for one in value.values())
    ),
    "an object of texts and numbers",
)

FILE = {"identity": OBJECT.needed(), "options": OBJECT, "records": LIST.needed(), "finished": FLAG.needed()}
IDENTITY = {
    "board": NAME,
    "l4t": TEXT,
    "kernel": TEXT,
    "driver": TEXT,
    "cuda_toolkit": TEXT,
    "architecture": TEXT,
    "cpu": OBJECT,
    "memory_bytes": NOT_NEGATIVE,
    "gpu": OBJECT,
    "power_mode": TEXT,
    "tegu": OBJECT,
    "tuning": OBJECT,
    "peak": OBJECT,
}
GROUPS = {
    "cpu": {"name": TEXT, "cores": COUNT, "isa": TEXT, "max_mhz": NUMBER},
    "gpu": {
        "name": TEXT,
        "compute_capability": NUMBER,
        "multiprocessors": COUNT,
        "memory_class": TEXT,
        "core_clock_mhz": NUMBER,
        "memory_clock_mhz": NUMBER,
        "memory_bytes": NOT_NEGATIVE,
        "power_limit_w": NUMBER,
        "unusable": TEXT,
    },
    "tegu": {"version": TEXT, "commit": TEXT},
    "tuning": {"key": TEXT, "rows": COUNT},
    "peak": {"memory_gb_per_s": POSITIVE, "provenance": TEXT},
}
KINDS = {
    "result": {
        "part": NAME,
        "case": NAME,
        "backend": NAME,
        "seconds": POSITIVE.needed(),
        "operation": TEXT,
        "method": TEXT,
        "axes": AXES,
        "noise": NOT_NEGATIVE,
        "repeats": COUNT,
        "bytes": NOT_NEGATIVE,
        "flops": NOT_NEGATIVE,
        "energy_j": NOT_NEGATIVE,
        "registers": COUNT,
        "occupancy": SHARE,
        "shared_bytes": COUNT,
        "checked": FLAG,
        "throttled": FLAG,
        "note": TEXT,
    },
    "condition": {
        "part": NAME,
        "at": Rule(lambda value: value in PLACES, " or ".join(PLACES), True),
        "elapsed_s": NOT_NEGATIVE.needed(),
        "temperatures_c": NUMBERS,
        "clocks_mhz": NUMBERS,
        "power_w": NOT_NEGATIVE,
        "throttle": TEXTS,
        "events": NUMBERS,
    },
    "skipped": {"part": NAME, "case": TEXT, "reason": TEXT.needed(), "retry": FLAG},
}


def _found(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."


def _check(path, place, value, rules):
    if not isinstance(value, dict):
        raise CompareError("%s: %s: %s is not an object" % (path, place, _found(value)))
    for name, rule in rules.items():
        here = name if place == "" else "%s.%s" % (place, name)
        if value.get(name) is None:
            if rule.required:
                raise CompareError("%s: %s is missing (needed: %s)" % (path, here, rule.words))
        elif not rule.allows(value[name]):
            raise CompareError("%s: %s: %s is not %s" % (path, here, _found(value[name]), rule.words))


def _advice(schema):
    """What to do about a file of another version."""
    name, _, version = schema.partition("/") if isinstance(schema, str) else ("", "", "")
    if name != SCHEMA.split("/")[0] or not (version.isascii() and version.isdigit() and len(version) < 9):
        return ""
    if int(version) < int(SCHEMA.split("/")[1]):
        return "; it is older: measure the board again with the tegu-bench of this version"
    return "; it is newer: compare it with the tegu-bench that wrote it"


def check(path, content):
    """Raises CompareError unless `content`, of the file `path`, is one of `tegu-bench run`."""
    if not isinstance(content, dict) or "schema" not in content:
        raise CompareError('%s: is JSON, but not a file of tegu-bench run: it has no "schema"' % path)
    if content["schema"] != SCHEMA:
        raise CompareError(
            "%s: schema: %s is not %s, the one that this program reads%s"
            % (path, _found(content["schema"]), _found(SCHEMA), _advice(content["schema"]))
        )
    _check(path, "", content, FILE)
    _check(path, "identity", content["identity"], IDENTITY)
    for name, rules in GROUPS.items():
        if content["identity"].get(name) is not None:
            _check(path, "identity." + name, content["identity"][name], rules)
    for index, record in enumerate(content["records"]):
        place = "records[%d]" % index
        kind = record.get("kind") if isinstance(record, dict) else None
        if not isinstance(kind, str) or kind not in KINDS:
            raise CompareError(
                "%s: %s.kind: %s is not one of %s" % (path, place, _found(kind), ", ".join(KINDS))
            )
        _check(path, place, record, KINDS[kind])
