# SPDX-License-Identifier: Apache-2.0
"""What a field file holds, as docs/field.md says it: problems(file) lists where one does otherwise."""

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
NUMBER, TEXT, COUNT, FLAG = (int, float), (str,), (int,), (bool,)
NONE = type(None)
NUMBER_OR, TEXT_OR, COUNT_OR = NUMBER + (NONE,), TEXT + (NONE,), COUNT + (NONE,)

FAN = {"name": TEXT_OR, "duty": NUMBER_OR, "rpm": NUMBER_OR}
GPU = {
    "name": TEXT,
    "compute_capability": COUNT,
    "multiprocessors": COUNT,
    "memory_class": TEXT,
    "core_clock_mhz": NUMBER_OR,
    "memory_clock_mhz": NUMBER_OR,
    "memory_bytes": COUNT_OR,
    "power_limit_w": NUMBER_OR,
    "unusable": TEXT,
}
IDENTITY = {
    "board": TEXT,
    "soc": TEXT_OR,
    "l4t": TEXT_OR,
    "kernel": TEXT_OR,
    "driver": TEXT_OR,
    "cuda_toolkit": TEXT_OR,
    "architecture": TEXT,
    "memory_bytes": COUNT_OR,
    "power_mode": TEXT_OR,
    "cpu": {"name": TEXT_OR, "cores": COUNT_OR, "isa": TEXT, "max_mhz": NUMBER_OR},
    "gpu": (GPU, NONE),
    "fan": (FAN, NONE),
    "tegu": {"version": TEXT, "commit": TEXT},
    "tuning": {"key": TEXT_OR, "rows": COUNT},
    "peak": {"memory_gb_per_s": NUMBER_OR, "provenance": TEXT},
}
RESULT = {
    "kind": TEXT,
    "part": TEXT,
    "case": TEXT,
    "operation": TEXT,
    "backend": TEXT,
    "method": TEXT_OR,
    "axes": (dict,),
    "seconds": NUMBER,
    "noise": NUMBER,
    "repeats": COUNT,
    "bytes": COUNT_OR,
    "flops": NUMBER_OR,
    "energy_j": NUMBER_OR,
    "registers": COUNT_OR,
    "occupancy": NUMBER_OR,
    "shared_bytes": COUNT_OR,
    "checked": FLAG,
    "throttled": FLAG,
    "note": TEXT,
}
CONDITION = {
    "kind": TEXT,
    "part": TEXT,
    "at": TEXT,
    "elapsed_s": NUMBER,
    "temperatures_c": (dict,),
    "power_w": NUMBER_OR,
    "clocks_mhz": {"gpu": NUMBER_OR, "cpu": NUMBER_OR, "memory": NUMBER_OR},
    "throttle": (list,),
    "events": (dict,),
    "fan": (FAN, NONE),
}
SKIPPED = {"kind": TEXT, "part": TEXT, "case": TEXT, "backend": TEXT, "reason": TEXT, "retry": FLAG}
FILE = {
    "schema": TEXT,
    "identity": IDENTITY,
    "records": (list,),
    "finished": FLAG,
    "options": {"minutes": NUMBER, "operations": (list,), "parts": (list,), "quick": FLAG},
}


def mismatches(value, rule, where):
    """`rule`: a dict of members, all of which have to be there and no others, or a tuple of types and such
    dicts."""
    if isinstance(rule, dict):
        rule = (rule,)
    members = [one for one in rule if isinstance(one, dict)]
    if isinstance(value, dict) and members:
        found = [
            "%s: %s is %s" % (where, name, "missing" if name in members[0] else "unknown")
            for name in set(members[0]) ^ set(value)
        ]
        for name in set(members[0]) & set(value):
            found += mismatches(value[name], members[0][name], where + "." + name)
        return found
    types = tuple(one for one in rule if not isinstance(one, dict))
    wrong = not isinstance(value, types) or (isinstance(value, bool) and bool not in types)
    return ["%s is %r" % (where, value)] if wrong else []


def problems(field):
    found = mismatches(field, FILE, "file")
    if field.get("schema") != "tegu-field/1":
        found.append("schema is %r" % field.get("schema"))
    keys = set()
    for i, record in enumerate(field.get("records", [])):
        where = "records[%d]" % i
        rule = {"result": RESULT, "condition": CONDITION, "skipped": SKIPPED}.get(record.get("kind"))
        if rule is None:
            found.append("%s: kind is %r" % (where, record.get("kind")))
            continue
        found += mismatches(record, rule, where)
        if record["part"] not in PARTS:
            found.append("%s: part is %r" % (where, record["part"]))
        if record["kind"] == "condition":
            if record["at"] not in ("before", "during", "after"):
                found.append("%s: at is %r" % (where, record["at"]))
            continue
        key = (record["part"], record["case"], record["backend"])
        if key in keys:
            found.append("%s: a second record of %r" % (where, key))
        keys.add(key)
        if record["kind"] == "skipped":
            continue
        if record["seconds"] <= 0 or record["noise"] < 0 or record["repeats"] < 1:
            found.append("%s: no measurement" % where)
    return found
