#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes of the house: columns of a line, lines of a file, files of a folder, words of a comment's sentence.
The product is all code but tests, docs and scripts."""

import collections
import os
import re
import unittest

from tree import lines_of, source_files

CODE = r"\.(c|h|hpp|cpp|cu|cuh|py)$"
MAX_COLUMNS = 110
MAX_LINES = 350
MAX_FILES = 40
MAX_WORDS = 25
# Lines of a longer product file, and why it stays whole.
LONGER_FILES = {
    "client/tegu.h": (520, "the C interface is one header"),
    "kernels/execution/cuda/simt.cuh": (400, "one device model for CUDA and for fibers"),
}


def product_files():
    return [path for path in source_files(CODE) if not path.startswith(("tests/", "docs/", "scripts/"))]


def comment_sentences(path):
    """The sentences of each block of comment lines."""
    block = []
    for line in lines_of(path) + [""]:
        comment = re.match(r"\s*(?://|#(?!\s*(?:include|pragma|if|e|define|undef)))\s?(.*)", line)
        if comment:
            block.append(comment.group(1))
        elif block:
            for sentence in re.split(r"(?<=[.;:!?])\s+", " ".join(block)):
                yield sentence
            block = []


class House(unittest.TestCase):
    def test_columns(self):
        long_lines = [
            "%s:%d: %d columns" % (path, number, len(line))
            for path in source_files(CODE)
            for number, line in enumerate(lines_of(path), 1)
            if len(line) > MAX_COLUMNS
        ]
        self.assertEqual(long_lines, [])

    def test_headers_are_guarded(self):
        headers = source_files(r"\.(h|hpp|cuh)$")
        guard = re.compile(r"^#(pragma once|ifndef \w+)")
        self.assertEqual([path for path in headers if not any(map(guard.match, lines_of(path)))], [])

    def test_lines_of_a_file(self):
        sizes = {path: len(lines_of(path)) for path in product_files()}
        long_files = [
            "%s: %d lines" % (path, size)
            for path, size in sizes.items()
            if size > LONGER_FILES.get(path, (MAX_LINES, ""))[0]
        ]
        self.assertEqual(long_files, [])

    def test_files_of_a_folder(self):
        folders = collections.Counter(os.path.dirname(path) for path in product_files())
        self.assertEqual([folder for folder, files in folders.items() if files > MAX_FILES], [])

    def test_sentences_of_comments(self):
        long_sentences = [
            "%s: %d words: %s" % (path, len(sentence.split()), sentence)
            for path in product_files()
            for sentence in comment_sentences(path)
            if len(sentence.split()) > MAX_WORDS
        ]
        self.assertEqual(long_sentences, [])

    def test_the_reader_of_sentences(self):
        sentences = list(comment_sentences(os.path.relpath(__file__, os.path.join(__file__, "../../.."))))
        self.assertIn("Lines of a longer product file, and why it stays whole.", sentences)


if __name__ == "__main__":
    unittest.main()
