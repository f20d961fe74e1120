#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/clients.md: each is built against the installed files, run, and its output compared
with the text below it."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import harness

# A project in C alone, and one in C++ whose own standard is older than tegu.hpp's.
CMAKE_PROJECT = """
cmake_minimum_required(VERSION 3.10)
project(example %s)
set(CMAKE_CXX_STANDARD 14)
find_package(tegu %s REQUIRED)
add_executable(example %s)
target_link_libraries(example tegu::tegu)
"""


def sanitizer_flags():
    kinds = os.environ.get("TEGU_SANITIZE")
    return ["-fsanitize=" + kinds] if kinds else []


def examples():
    with open(os.path.join(harness.SOURCE, "docs", "clients.md")) as file:
        blocks = re.findall(r"```(\S+)\n(.*?)```", file.read(), flags=re.S)
    kinds = [kind for kind, _ in blocks]
    assert kinds[0::2] == ["python", "python", "c", "c++"], "the page has other examples"
    assert kinds[1::2] == ["text"] * 4, "an example has no output below it"
    return [(kinds[i], blocks[i][1], blocks[i + 1][1]) for i in range(0, len(blocks), 2)]


def build(kind, text, folder, prefix):
    """The command that runs an example."""
    library_dir = os.path.dirname(
        subprocess.check_output(["find", prefix, "-name", "libtegu.so"]).decode().split()[0]
    )
    environment = dict(os.environ, PKG_CONFIG_PATH=os.path.join(library_dir, "pkgconfig"))
    flags = subprocess.check_output(
        ["pkg-config", "--define-variable=prefix=" + prefix, "--cflags", "--libs", "tegu"], env=environment
    )
    source = os.path.join(folder, {"python": "example.py", "c": "example.c", "c++": "example.cpp"}[kind])
    with open(source, "w") as file:
        file.write(text)
    if kind == "python":
        return [sys.executable, source], library_dir
    compiler = ["cc", "-std=c99", "-pedantic"] if kind == "c" else ["c++", "-std=c++17"]
    program = os.path.join(folder, "example-" + str(len(kind)))
    subprocess.check_call(
        compiler
        + ["-Wall", "-Wextra", "-Werror"]
        + sanitizer_flags()
        + ["-o", program, source]
        + flags.decode().split()
    )
    return [program], library_dir


def check_cmake_package(folder, prefix):
    with open(os.path.join(harness.SOURCE, "CMakeLists.txt")) as file:
        version = re.search(r"project\(tegu VERSION (\d+\.\d+)", file.read()).group(1)
    for language, source in (("C", "example.c"), ("CXX", "example.cpp")):
        with open(os.path.join(folder, "CMakeLists.txt"), "w") as file:
            file.write(CMAKE_PROJECT % (language, version, source))
        out = os.path.join(folder, "out-" + language)
        os.mkdir(out)
        flags = "-DCMAKE_%s_FLAGS=%s" % (language, " ".join(sanitizer_flags()))
        for command in (["cmake", "-DCMAKE_PREFIX_PATH=" + prefix, flags, folder], ["cmake", "--build", "."]):
            subprocess.check_call(command, cwd=out, stdout=subprocess.DEVNULL)


def main():
    folder = tempfile.mkdtemp(prefix="tegu-docs-")
    daemon = harness.Daemon()
    failed = False
    try:
        prefix = os.path.join(folder, "prefix")
        subprocess.check_call(
            ["cmake", "-DCMAKE_INSTALL_PREFIX=" + prefix, "-DCMAKE_INSTALL_COMPONENT=client"]
            + ["-P", os.path.join(harness.BUILD, "cmake_install.cmake")],
            stdout=subprocess.DEVNULL,
        )
        for kind, text, expected in examples():
            command, library_dir = build(kind, text, folder, prefix)
            environment = dict(os.environ, TEGU_SOCKET=daemon.socket, LD_LIBRARY_PATH=library_dir)
            if kind == "python" and sanitizer_flags():
                continue  # an instrumented library needs more than an example says
            run = subprocess.run(command, env=environment, stdout=subprocess.PIPE)
            if run.returncode != 0 or run.stdout.decode() != expected:
                print(
                    "the %s example ended with %d and printed:\n%s"
                    % (kind, run.returncode, run.stdout.decode())
                )
                failed = True
        check_cmake_package(folder, prefix)
    finally:
        failed = daemon.stop() != 0 or failed
        shutil.rmtree(folder)
    print("failed" if failed else "all examples do what the page says")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
