#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Objects that are compiled for one instruction set must not emit code that another object could be linked
to.

The linker keeps one copy of an inline function. If that copy came from an AVX-512 object, the program would
die on a machine without it. So every symbol that such an object defines must live in its own namespace,
tegu::kernels::<isa>, or be local to the object. usage: isa_symbols.py <build dir>"""

import os
import subprocess
import sys


def foreign_symbols(isa, listing):
    """Lines of `nm -C --defined-only --extern-only` that do not belong to the namespace of `isa`."""
    found = []
    for line in listing.splitlines():
        fields = line.split(maxsplit=2)
        if len(fields) < 3:
            continue
        name = fields[2]
        own = "tegu::kernels::%s::" % isa
        if own not in name and not name.startswith("DW.ref."):
            found.append(name)
    return found


def self_check():
    good = "0000 T tegu::kernels::avx2::sum_tile(float const*)\n"
    bad = "0000 W std::vector<int, std::allocator<int> >::push_back(int&&)\n"
    assert not foreign_symbols("avx2", good)
    assert foreign_symbols("avx2", good + bad)
    assert foreign_symbols("avx512", good)


def main(build):
    self_check()
    found, objects = [], 0
    for isa in ("avx2", "avx512"):
        folder = os.path.join(build, "kernels", "CMakeFiles", "tegu_kernels_%s.dir" % isa)
        for where, _, names in os.walk(folder):
            for name in names:
                if not name.endswith(".o"):
                    continue
                objects += 1
                path = os.path.join(where, name)
                listing = subprocess.run(
                    ["nm", "-C", "--defined-only", "--extern-only", path],
                    check=True,
                    stdout=subprocess.PIPE,
                    universal_newlines=True,
                ).stdout
                found += [
                    "%s: %s" % (os.path.relpath(path, build), symbol)
                    for symbol in foreign_symbols(isa, listing)
                ]
    if objects == 0:
        print("skipped: no objects of an instruction set in this build (not x86-64?)")
        return 77
    print("\n".join(found) if found else "%d objects define nothing outside their namespace" % objects)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
