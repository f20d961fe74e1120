#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No CMake file uses what is newer than CMake 3.10, the floor. Where a newer word only makes the build
faster, one file of cmake/ asks for the version first. scripts/check-cmake.sh builds with the floor itself."""

import os
import re
import subprocess
import sys
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# What: since when, and which file may have it.
NEWER = {
    r"\blist\s*\(\s*(JOIN|TRANSFORM|PREPEND|POP_BACK|POP_FRONT)\b": ("3.12", None),
    r"\bstring\s*\(\s*(JOIN|REPEAT|JSON)\b": ("3.12", None),
    r"\bfile\s*\(\s*(CONFIGURE|CREATE_LINK|ARCHIVE_CREATE|ARCHIVE_EXTRACT|REAL_PATH|SIZE|CHMOD)\b": (
        "3.14",
        None,
    ),
    r"\b(include|INCLUDE)\s*\(\s*FetchContent\b|\bFetchContent_": ("3.11", None),
    r"\bFindPython3\b|\bfind_package\s*\(\s*Python3\b|\bPython3::": ("3.12", None),
    r"\b(target_link_options|target_link_directories|add_link_options)\b": (
        "3.13",
        "cmake/TeguTargets.cmake",
    ),
    r"\btarget_precompile_headers\b": ("3.16", "cmake/TeguPrecompile.cmake"),
    r"\badd_compile_definitions\b": ("3.12", None),
    r"\bSHELL:": ("3.12", None),
    r"\$<COMPILE_LANGUAGE:[^>]*,": ("3.15", None),
    r"\$<(COMPILE_LANG_AND_ID|LINK_LANGUAGE|FILTER|REMOVE_DUPLICATES|TARGET_EXISTS)\b": ("3.12", None),
    r"\bset_source_files_properties\s*\([^)]*\bCOMPILE_OPTIONS\b": ("3.11", None),
    r"\bNAMELINK_COMPONENT\b": ("3.12", None),
    r"\badd_library\s*\(\s*\S+\s+OBJECT\b": (
        "3.12, to link",
        "cmake/TeguTargets.cmake cmake/TeguPrecompile.cmake",
    ),
    r"\badd_library\s*\(\s*\S+(\s+(STATIC|SHARED|OBJECT))?\s*\)": ("3.11, without sources", None),
    r"\bcmake_path\s*\(|\bblock\s*\(|\bcmake_language\s*\(|\bIN\s+ZIP_LISTS\b": ("3.17", None),
}


def without_comments(text):
    return re.sub(r"(?m)(^|\s)#.*$", r"\1", text)


def newer_words(name, text):
    """What a file uses that is newer than the floor, one line each."""
    text = without_comments(text)
    found = []
    for pattern, (since, allowed) in NEWER.items():
        if name in (allowed or "").split():
            continue
        for match in re.finditer(pattern, text):
            line = text.count("\n", 0, match.start()) + 1
            found.append("%s:%d: '%s' is of CMake %s" % (name, line, match.group(0).split("\n")[0], since))
    return found


def cmake_files():
    listed = subprocess.check_output(["git", "-C", SOURCE, "ls-files"], universal_newlines=True).splitlines()
    files = [name for name in listed if re.search(r"(^|/)CMakeLists\.txt$|\.cmake(\.in)?$", name)]
    return [name for name in files if not name.startswith("packaging/")]  # that runs on Debian 12 alone


class FloorTest(unittest.TestCase):
    def test_no_file_is_above_the_floor(self):
        found = []
        for name in cmake_files():
            with open(os.path.join(SOURCE, name)) as file:
                found += newer_words(name, file.read())
        self.assertEqual(found, [])

    def test_the_floor_is_the_one_that_is_asked_for(self):
        with open(os.path.join(SOURCE, "CMakeLists.txt")) as file:
            self.assertIn("cmake_minimum_required(VERSION 3.10...", file.read())

    def test_newer_words_are_found(self):
        for text in (
            "list(JOIN a b c)",
            "target_link_options(t PRIVATE -x)",
            "add_library(objects OBJECT a.cpp)",
            "add_library(objects STATIC)",
            "file(CREATE_LINK a b)",
            'target_compile_options(t PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:-x>")',
            "set_source_files_properties(a.cpp b.cpp\n  PROPERTIES COMPILE_OPTIONS -O1)",
            "find_package(Python3 REQUIRED)",
        ):
            self.assertEqual(len(newer_words("CMakeLists.txt", text)), 1, text)
        for text in (
            "list(APPEND a b)",
            "# list(JOIN a b c)",
            "add_library(t STATIC a.cpp)",
            "tegu_link_options(t x)",
        ):
            self.assertEqual(newer_words("CMakeLists.txt", text), [], text)
        self.assertEqual(newer_words("cmake/TeguTargets.cmake", "target_link_options(t PRIVATE -x)"), [])


if __name__ == "__main__":
    if not os.path.exists(os.path.join(SOURCE, ".git")):
        sys.exit(77)  # an archive: git lists no files
    unittest.main(verbosity=2)
