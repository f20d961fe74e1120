#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every kernel of kernels/cuda stands in the list at the end of a .cu file, and every such list is asked
for."""

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
    kernels, listed, lists = {}, set(), {}
    for path in glob.glob(os.path.join(FOLDER, "**", "*.cu*"), recursive=True):
        text = read(path)
        for name in re.findall(
            r"TEGU_KERNEL\b(?:\s+TEGU_BOUNDS2?\((?:[^()]|\([^()]*\))*\))?\s+(\w+)\(", text
        ):
            kernels[name] = os.path.basename(path)
        listed |= set(re.findall(r'\bto\.add\(\s*"(\w+)"', text))
        for stem in re.findall(r"\blist_(\w+)_kernels\(KernelLister& to\) \{", text):
            lists[stem] = os.path.basename(path)
    asked_for = set(
        re.findall(
            r"X\((\w+)\)",
            read(os.path.join(FOLDER, "execution", "cuda", "kernel_list.h"))
            .split("#define TEGU_KERNEL_LISTS(X)")[1]
            .split("\n\n")[0],
        )
    )
    wrong = ["%s of %s is in no list" % (name, kernels[name]) for name in sorted(set(kernels) - listed)]
    wrong += ["%s is listed, but there is no such kernel" % name for name in sorted(listed - set(kernels))]
    wrong += [
        "the list of %s is not in TEGU_KERNEL_LISTS" % lists[stem] for stem in sorted(set(lists) - asked_for)
    ]
    wrong += ["TEGU_KERNEL_LISTS has %s, which has no list" % stem for stem in sorted(asked_for - set(lists))]
    if len(kernels) < 30:
        wrong.append("only %d kernels were found" % len(kernels))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
