#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The types of the Python package: mypy --strict finds nothing in it and in the examples of the page, and
finds what is wrong in calls that are wrong. The stubs of the operations are those of their sources."""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import peers  # noqa: E402

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = os.path.join(SOURCE, "client", "python", "tegu")
SKIPPED = 77
# Lines that are right, and of each mistake the code that mypy gives it.
CALLS = """\
import tegu
import tegu.aio
from typing import Any, Dict, Tuple


def right(c: tegu.Client) -> float:
    found: Dict[str, Any] = c.reduce([1], stats=("sum", "std"), axis=0, backend="cpu", deadline=1)
    values, indices = c.topk(b"12", 1)
    future: "tegu.Future[Tuple[Any, Any]]" = c.submit.topk([1, 2], k=1)
    future.add_done_callback(lambda done: print(done.result()))
    both: Dict[str, Any] = c.fused([1], reduce={"stats": "sum"}, entropy={}, priority="low")
    with c.buffer((2, 3), "f32", room=64) as buf:
        c.add(buf, buf, out=buf)
        print(buf.nbytes, buf.shape[0], memoryview(buf.array), c.last, both, found, values, indices)
    try:
        return c.ping() + len(c.buffers()) + c.reconnects
    except tegu.Busy as error:
        return error.retry_after or 0


async def right_too() -> None:
    async with tegu.aio.connect("socket", name="me") as c:
        sums: Dict[str, Any] = await c.reduce([1])
        counts, edges = await c.submit.histogram([1], bins=3)
        print(sums, counts, edges, await c.ping())


def wrong(c: tegu.Client) -> None:
    c.topk([1], 1, True, False, None, "more")  # call-arg
    c.topk([1], "1")  # arg-type
    c.topk([1])  # call-arg
    c.reduce([1], deadlin=1)  # call-arg
    c.reduce([1]).sum  # attr-defined
    c.submit.reduce([1]) + 1  # operator
    c.ping("now")  # call-arg
    c.fft([1])  # attr-defined
"""


def examples():
    with open(os.path.join(SOURCE, "docs", "clients.md"), encoding="utf-8") as file:
        return re.findall(r"```python\n(.*?)```", file.read(), flags=re.S)


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def mypy(folder, *what):
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--show-error-codes"]
        + ["--cache-dir", os.path.join(os.environ.get("TEGU_BUILD_DIR", folder), "mypy-cache")]
        + list(what),
        cwd=folder,
        env=dict(os.environ, MYPYPATH=os.path.dirname(PACKAGE)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
    )
    return run.stdout


def problems(folder):
    found = mypy(folder, "-p", "tegu")
    for number, example in enumerate(examples()):
        write(folder, "example.py", example)
        found += "".join(
            "example %d: %s\n" % (number, line) for line in mypy(folder, "example.py").split("\n") if line
        )
    write(folder, "calls.py", CALLS)
    given = re.findall(r"^calls\.py:(\d+): error: .*\[([a-z-]+)\]$", mypy(folder, "calls.py"), re.M)
    lines = CALLS.splitlines()
    wanted = [
        (str(number), line.split("# ")[1])
        for number, line in enumerate(lines, 1)
        if re.search("  # [a-z-]+$", line)
    ]
    if given != wanted:
        found += "of the calls mypy says %s, not %s\n" % (given, wanted)
    return found


def stubs_problem():
    if sys.version_info < (3, 9):
        return ""
    script = os.path.join(SOURCE, "tools", "describe", "python_calls.py")
    printed = subprocess.check_output([sys.executable, script], universal_newlines=True)
    with open(os.path.join(PACKAGE, "_calls.pyi"), encoding="utf-8") as file:
        return "" if file.read() == printed else "_calls.pyi is old: cmake --build . --target describe\n"


def main():
    peers.go_on_with("mypy")
    found = stubs_problem()
    if importlib.util.find_spec("mypy") is None:
        print(found + "mypy is not installed and could not be fetched")
        return 1 if found else SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        found += problems(folder)
    print(found or "the types are right")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
