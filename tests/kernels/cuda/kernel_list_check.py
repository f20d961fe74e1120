#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every kernel stands in a table, every table in the list of its .cu file, and list_kernels() calls every
such list. Argument: kernel_list.cpp of the build folder."""

import glob
import os
import re
import sys

FOLDER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))), "kernels"
)


def read(path):
    with open(path, encoding="utf-8") as source:
        return re.sub(r"//.*", "", source.read())


def main():
    kernels, named, tables, listed, lists = {}, set(), {}, set(), {}
    for path in glob.glob(os.path.join(FOLDER, "**", "*.cu*"), recursive=True):
        text, name = read(path), os.path.basename(path)
        for kernel in re.findall(
            r"TEGU_KERNEL\b(?:\s+TEGU_BOUNDS2?\((?:[^()]|\([^()]*\))*\))?\s+(\w+)\(", text
        ):
            kernels[kernel] = name
        named |= set(re.findall(r'\{\s*"(\w+)",', text))
        for table in re.findall(r"\b(?:KernelTable|CompactKernels)<[^;=]*>\s+(\w+)\s*=", text):
            tables[(name, table)] = name
        listed |= {(name, table) for table in re.findall(r"\blisted\((\w+)", text)}
        for stem in re.findall(r"\blist_(\w+)_kernels\(KernelLister& to\) \{", text):
            lists[stem] = name
    called = set(re.findall(r"    list_(\w+)_kernels\(to\);", read(sys.argv[1])))
    wrong = ["%s of %s is in no table" % (name, kernels[name]) for name in sorted(set(kernels) - named)]
    wrong += [
        "the table %s of %s is not listed" % (table[1], table[0]) for table in sorted(set(tables) - listed)
    ]
    wrong += ["the list of %s is not called" % lists[stem] for stem in sorted(set(lists) - called)]
    wrong += ["list_%s_kernels() does not exist" % stem for stem in sorted(called - set(lists))]
    if len(kernels) < 30 or len(tables) < 30:
        wrong.append("only %d kernels and %d tables were found" % (len(kernels), len(tables)))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
