# SPDX-License-Identifier: Apache-2.0
"""What a field file holds, as docs/field.md says it: problems(file) lists where one does otherwise."""
PARTS = ("copy", "operations", "occupancy", "scaling", "crossover", "roundtrip", "coldstart", "s1", "s2", "s3", "s4", "s5")
NUMBER, TEXT, COUNT, FLAG = (int, float), (str,), (int,), (bool,)
NONE = type(None)

FAN = {"name": TEXT + (NONE,), "duty": NUMBER + (NONE,), "rpm": NUMBER + (NONE,)}
GPU = {"name": TEXT, "compute_capability": COUNT, "multiprocessors": COUNT, "memory_class": TEXT, "core_clock_mhz": NUMBER + (NONE,),
       "memory_clock_mhz": NUMBER + (NONE,), "memory_bytes": COUNT + (NONE,), "power_limit_w": NUMBER + (NONE,), "unusable": TEXT}
IDENTITY = {
    "board": TEXT + (NONE,), "soc": TEXT + (NONE,), "l4t": TEXT + (NONE,), "kernel": TEXT + (NONE,), "driver": TEXT + (NONE,),
    "cuda_toolkit": TEXT + (NONE,), "architecture": TEXT, "memory_bytes": COUNT + (NONE,), "power_mode": TEXT + (NONE,),
    "cpu": {"name": TEXT + (NONE,), "cores": COUNT + (NONE,), "isa": TEXT, "max_mhz": NUMBER + (NONE,)},
    "gpu": (GPU, NONE), "fan": (FAN, NONE), "tegu": {"version": TEXT, "commit": TEXT}, "tuning": {"key": TEXT + (NONE,), "rows": COUNT},
    "peak": {"memory_gb_per_s": NUMBER + (NONE,), "provenance": TEXT},
}
RESULT = {
    "kind": TEXT, "part": TEXT, "case": TEXT, "operation": TEXT, "backend": TEXT, "method": TEXT + (NONE,), "axes": (dict,),
    "seconds": NUMBER, "noise": NUMBER, "repeats": COUNT, "bytes": COUNT + (NONE,), "flops": NUMBER + (NONE,),
    "energy_j": NUMBER + (NONE,), "registers": COUNT + (NONE,), "occupancy": NUMBER + (NONE,), "shared_bytes": COUNT + (NONE,),
    "checked": FLAG, "throttled": FLAG, "note": TEXT,
}
CONDITION = {
    "kind": TEXT, "part": TEXT, "at": TEXT, "elapsed_s": NUMBER, "temperatures_c": (dict,), "power_w": NUMBER + (NONE,),
    "clocks_mhz": {"gpu": NUMBER + (NONE,), "cpu": NUMBER + (NONE,), "memory": NUMBER + (NONE,)}, "throttle": (list,), "events": (dict,),
    "fan": (FAN, NONE),
}
SKIPPED = {"kind": TEXT, "part": TEXT, "case": TEXT, "backend": TEXT, "reason": TEXT, "retry": FLAG}
FILE = {"schema": TEXT, "identity": IDENTITY, "records": (list,), "finished": FLAG,
        "options": {"minutes": NUMBER, "operations": (list,), "parts": (list,), "quick": FLAG}}


def mismatches(value, rule, where):
    """`rule`: a dict of members, all of which have to be there and no others, or a tuple of types and such dicts."""
    if isinstance(rule, dict):
        rule = (rule,)
    members = [one for one in rule if isinstance(one, dict)]
    if isinstance(value, dict) and members:
        found = ["%s: %s is %s" % (where, name, "missing" if name in members[0] else "unknown")
                 for name in set(members[0]) ^ set(value)]
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
        if record["kind"] == "result" and not (record["seconds"] > 0 and record["noise"] >= 0 and record["repeats"] >= 1):
            found.append("%s: no measurement" % where)
    return found
