#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A file that a comment or a page names is a file of this tree. It may be named by its whole path, by the end
of that path, or by its name alone. A path from the top may also name a folder, or lack its extension."""

import io
import os
import re
import tokenize
import unittest

from tree import SOURCE, lines_of, source_files

READ = r"\.(c|h|hpp|cpp|cu|cuh|py|sh|cmake|md|in)$|CMakeLists\.txt$"
TOPS = "base|client|cmake|config|daemon|docs|examples|kernels|scripts|systemd|tests|tools|wire"
EXTENSIONS = "c|h|hpp|cpp|cu|cuh|py|sh|cmake|md|txt|service|socket|timer"
# Not a part of a pattern such as *.cpp, <stem>.h or ${name}.txt.
BEFORE, AFTER = r"(?<![\w/.*<>{}$~%@-])(?:\.\./)*", r"(?![\w/*<{-]|\.\w)"
NAME = re.compile(BEFORE + r"((?:[\w.-]+/)*[\w-]+(?:\.[\w-]+)*\.(?:%s))" % EXTENSIONS + AFTER)
TOP_PATH = re.compile(BEFORE + r"((?:%s)/[\w/.-]*\w)" % TOPS + AFTER)

# Patterns of names that are no files of this tree, and why.
ELSEWHERE = {
    r"sysexits\.h": "of the C library",
    r"tiffio\.h|turbojpeg\.h": "of libraries that are opened at run time",
    r"build/release/cmake_install\.cmake": "made by CMake",
    r"arch/arm64/.*": "of Linux",
    r"docs/benchmarks/records\.json": "made by scripts/record.sh",
    r"(.*\b)?(KEY|GPU|PREFIX|FILE)\b.*": "a word in capitals stands for a part of the name",
    r"layer/file\.h|example\.c": "an example",
    r"(.*/)?scan(_test)?\b.*": "the example of CONTRIBUTING.md",
}


def known_names():
    """Every end of the path of a file, and the paths of folders and of files without the extension."""
    known = set()
    for path in source_files(r""):
        stem = os.path.splitext(path)[0]
        for name in (path, stem) if path.endswith(".in") else (path,):
            parts = name.split("/")
            known.update("/".join(parts[i:]) for i in range(len(parts)))
        known.add(stem)
        while os.path.dirname(path):
            path = os.path.dirname(path)
            known.add(path)
    return known


def python_texts(source):
    """The comments and docstrings, each with its line."""
    logical_start = True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and logical_start):
            yield token.start[0], token.string
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            logical_start = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def texts(path):
    lines = lines_of(path)
    if path.endswith(".py"):
        return list(python_texts("\n".join(lines) + "\n"))
    if path.endswith(".md"):
        return list(enumerate(lines, 1))
    c_like = re.search(r"\.(c|h|hpp|cpp|cu|cuh)$|\.cpp\.in$", path)
    comments = [re.search(r"//(.*)" if c_like else r"(?:^|\s)#(.*)", line) for line in lines]
    return [(number, found.group(1)) for number, found in enumerate(comments, 1) if found]


def names_in(text):
    return {found.group(1) for pattern in (NAME, TOP_PATH) for found in pattern.finditer(text)}


class Paths(unittest.TestCase):
    def test_names_of_files(self):
        known, unknown, excused = known_names(), [], set()
        for path in source_files(READ):
            if path.startswith("tests/data/"):
                continue
            for number, text in texts(path):
                for name in names_in(text) - known:
                    reasons = [each for each in ELSEWHERE if re.match("(?:%s)$" % each, name)]
                    excused.update(reasons)
                    if not reasons:
                        unknown.append("%s:%d: %s" % (path, number, name))
        self.assertEqual(unknown, [])
        self.assertEqual(set(ELSEWHERE) - excused, set(), "nothing is named so")

    def test_the_reader_of_names(self):
        self.assertEqual(
            names_in("a.cpp, (daemon/b.h) *.cu <stem>.h x.cpp.in tools/tune; ../c.md `d.py`."),
            {"a.cpp", "daemon/b.h", "tools/tune", "c.md", "d.py"},
        )
        own = os.path.relpath(os.path.abspath(__file__), SOURCE)
        read = "".join(text for _, text in texts(own))
        self.assertIn("A file that a comment", read)
        self.assertNotIn("stands for a part", read)

    def test_what_is_known(self):
        known = known_names()
        for name in ("tests/layers", "layers/tree.py", "tree.py", "tests/layers/tree", "tegud.service"):
            self.assertIn(name, known)
        self.assertNotIn("tests/tree.py", known)


if __name__ == "__main__":
    unittest.main()
