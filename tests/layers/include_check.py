#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layer rule of docs/architecture.md, checked: no folder includes, or links, one that it may not use.

Every include of ours is written "layer/file.h" from the top of the tree, so a breach shows in the line.
Relative includes are breaches too. The check proves itself on a made-up breach before it reads the tree."""

import os
import re
import sys

MAY_USE = {
    "base": set(),
    "wire": {"base"},
    "config": {"base"},
    "daemon": {"base", "wire", "config", "kernels", "daemon/health"},
    "daemon/health": {"base"},
    "client": {"base", "wire"},
    "tools": {"base", "client"},
    "tools/board": {"base", "kernels", "daemon/health"},
    "tools/bench": {"base", "client", "kernels", "config", "tools", "tools/board", "tools/field"},
    "tools/field": {"base", "client", "kernels", "config", "tools", "tools/board", "tools/bench"},
    "tools/tune/jobs": {"base", "kernels"},
    "tools/tune/measure": {"base", "kernels", "tools/board", "tools/tune/jobs"},
    "tools/tune/search": {"base", "kernels", "tools/tune/jobs", "tools/tune/measure"},
    "tools/tune/table": {"base", "kernels", "config", "tools/tune/measure"},
    "tools/tune/tegud": {"base", "kernels", "client", "tools/tune/jobs", "tools/tune/measure"},
    "tools/tune/run": {
        "base",
        "kernels",
        "tools",
        "tools/tune/jobs",
        "tools/tune/measure",
        "tools/tune/search",
        "tools/tune/table",
    },
    "tools/tune": {
        "base",
        "client",
        "kernels",
        "config",
        "tools",
        "tools/board",
        "tools/tune/jobs",
        "tools/tune/measure",
        "tools/tune/search",
        "tools/tune/table",
        "tools/tune/tegud",
        "tools/tune/run",
    },
}
# The rooms of kernels. Its own files are the contract, which every room but numerics may include, and the
# registry, which names all operations.
KERNEL_ROOMS = {
    "numerics": set(),
    "execution": {"numerics"},
    "statistics": {"numerics", "execution"},
    "counting": {"numerics", "execution", "statistics"},
    "selection": {"numerics", "execution"},
    "split": {"numerics", "statistics"},
    "tuning": set(),
    "device": {"execution", "tuning"},
    "module": {"device", "execution", "tuning"},
}
SHARED_ROOMS = {"numerics", "execution", "statistics", "counting", "selection"}
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
with open(os.path.join(ROOT, "base", "operations.h"), encoding="utf-8") as listed:
    OPERATIONS = set(re.findall(r"X\(\d+, \w+, (\w+), \d", listed.read()))
KERNEL_ROOMS.update({operation: SHARED_ROOMS | {"tuning"} for operation in OPERATIONS})
# Statistics, histogram and entropy of a fused job share their reads: it needs the insides of these.
KERNEL_ROOMS["fused"] = KERNEL_ROOMS["reduce"] | {"histogram", "entropy"}
MAY_USE["kernels"] = {"base"} | {"kernels/" + room for room in KERNEL_ROOMS}
for room, others in KERNEL_ROOMS.items():
    MAY_USE["kernels/" + room] = {"base"} | {"kernels/" + other for other in others}
    if room != "numerics":
        MAY_USE["kernels/" + room].add("kernels")
SOURCE = (".h", ".hpp", ".cpp", ".c", ".cu", ".cuh", ".inc")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
LINK = re.compile(r"\btegu_(base|wire|config|kernels|daemon|client|health|board)\b")
LINKED = {"health": "daemon/health", "board": "tools/board"}  # targets that are not named after their layer


def layer_of(path):
    """The innermost folder of the path that has a rule; else the first folder."""
    parts = path.split("/")
    nested = ("/".join(parts[:depth]) for depth in range(len(parts) - 1, 0, -1))
    return next((folder for folder in nested if folder in MAY_USE), parts[0])


def allowed(layer):
    """The layers that a file of `layer` may include: its own and, since headers include headers, what those
    may use."""
    result, todo = {layer}, list(MAY_USE[layer])
    while todo:
        other = todo.pop()
        if other not in result:
            result.add(other)
            todo.extend(MAY_USE[other] if layer == "daemon" else ())
    return result


def breaches_in(path, text):
    layer = layer_of(path)
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = layer_of(match.group(1))
        if target.startswith("kernels/") and not layer.startswith("kernels"):
            target = "kernels"
        if target not in MAY_USE:
            found.append(
                '%s:%d: includes "%s": write "layer/file.h" from the top of the tree'
                % (path, number, match.group(1))
            )
        elif target not in allowed(layer):
            found.append("%s:%d: %s/ may not use %s/ (%s)" % (path, number, layer, target, match.group(1)))
        elif layer.startswith("kernels"):
            found += kernel_breaches(path, number, match.group(1))
    return found


def kernel_breaches(path, number, included):
    """CUDA code uses nothing of the CPU; among the rooms, operations alone use the registry."""
    found = []
    if "/cuda/" in path and "/cpu/" in included:
        found.append("%s:%d: CUDA code may not use the CPU's (%s)" % (path, number, included))
    room = path.split("/")[1]
    if included == "kernels/registry.h" and room in KERNEL_ROOMS and room not in OPERATIONS:
        found.append("%s:%d: kernels/%s/ may not use the registry" % (path, number, room))
    return found


def link_breaches(path, text):
    """Public link lines follow the same rule; a test or a flags target is nobody's layer."""
    layer = layer_of(path)
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for target in LINK.findall(line.split("#")[0]):
            if LINKED.get(target, target) not in allowed(layer):
                found.append("%s:%d: %s/ may not link tegu_%s" % (path, number, layer, target))
    return found


def self_check():
    assert breaches_in("wire/a.h", '#include "daemon/sessions/session.h"\n'), (
        "an upward include must be found"
    )
    assert breaches_in("kernels/cpu/a.cpp", '#include "../reduce.h"\n'), "a relative include must be found"
    assert breaches_in("tools/tegu/a.cpp", '#include "wire/messages.h"\n'), "a skipped layer must be found"
    assert breaches_in("daemon/health/a.cpp", '#include "daemon/sessions/session.h"\n'), (
        "the health of a board knows no sessions"
    )
    assert breaches_in("tools/tegu/a.cpp", '#include "tools/board/watch.h"\n'), (
        "the command sees the board through the daemon"
    )
    assert breaches_in("tools/bench/a.cpp", '#include "daemon/health/board/gpu.h"\n'), (
        "boards are read through tools/board"
    )
    assert not breaches_in("tools/board/a.cpp", '#include "daemon/health/board/gpu.h"\n')
    assert breaches_in("tools/tune/table/a.cpp", '#include "tools/tune/search/halving.h"\n'), (
        "tables know no search"
    )
    assert breaches_in("tools/tune/measure/a.h", '#include "tools/tune/commands.h"\n'), (
        "measuring knows no commands"
    )
    assert not breaches_in("tools/tune/search/a.h", '#include "tools/tune/measure/gain.h"\n')
    assert breaches_in("kernels/topk/a.cpp", '#include "kernels/quantile/finish.h"\n'), (
        "an operation knows no other"
    )
    assert breaches_in("kernels/quantile/cuda/a.cpp", '#include "kernels/topk/cuda/topk.h"\n'), (
        "nor does its device code"
    )
    assert breaches_in("kernels/selection/cpu/a.h", '#include "kernels/topk/cpu/select.h"\n'), (
        "what operations share knows none of them"
    )
    assert breaches_in("kernels/execution/cpu/a.h", '#include "kernels/statistics/finish.h"\n'), (
        "execution knows nothing of results"
    )
    assert breaches_in("kernels/numerics/a.h", '#include "kernels/operation.h"\n'), "numerics knows no jobs"
    assert breaches_in("kernels/device/a.cpp", '#include "kernels/reduce/cuda/a.h"\n'), (
        "devices know no operation"
    )
    assert breaches_in("kernels/reduce/cuda/run.cpp", '#include "kernels/statistics/cpu/typed.h"\n'), (
        "CUDA code uses nothing of the CPU's"
    )
    assert breaches_in("kernels/statistics/a.cpp", '#include "kernels/registry.h"\n'), (
        "only operations have entries"
    )
    assert not breaches_in("kernels/histogram/cuda/run.cpp", '#include "kernels/registry.h"\n')
    assert not breaches_in("kernels/fused/cpu/a.h", '#include "kernels/entropy/cpu/run.h"\n')
    assert not breaches_in("kernels/registry.cpp", '#include "kernels/execution/cpu/thread_pool.h"\n')
    assert not breaches_in("daemon/jobs/a.h", '#include "kernels/execution/cpu/thread_pool.h"\n')
    assert not breaches_in("daemon/a.h", '#include "wire/messages.h"\n#include <vector>\n')
    assert link_breaches("client/CMakeLists.txt", "target_link_libraries(x tegu_kernels)\n")


def main():
    self_check()
    found, files = [], 0
    for top in sorted({name.split("/")[0] for name in MAY_USE}):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                if not (name.endswith(SOURCE) or name == "CMakeLists.txt"):
                    continue
                files += 1
                with open(os.path.join(ROOT, path), encoding="utf-8") as handle:
                    text = handle.read()
                found += link_breaches(path, text) if name == "CMakeLists.txt" else breaches_in(path, text)
    print("\n".join(found) if found else "no breach of the layer rule in %d files" % files)
    return 1 if found or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
