#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes of the house: columns of a line, lines of a file, files of a folder, sentences of a file's opening,
words of a sentence. The product is all code but tests, docs and scripts."""

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
MAX_OPENING_SENTENCES = 3
MAX_NOTE_WORDS = 4  # a note such as "Io thread only." counts for no sentence of an opening
# Lines of a longer product file, and why it stays whole.
LONGER_FILES = {
    "client/tegu.h": (560, "the C interface is one header"),
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


def opening_sentences(lines):
    """The sentences of the first comment or docstring, up to an empty or indented line, without notes."""
    lines = [line for line in lines if not re.match(r"#!|(//|#) SPDX", line)]
    is_python = lines[:1] and lines[0].startswith('"""')
    text = []
    for line in lines:
        words = re.match(r'(?:""")?(\S.*)$' if is_python else r"// ?(\S.*)$", line)
        if not words:
            break
        text.append(words.group(1))
        if is_python and line.endswith('"""'):
            break
    sentences = re.split(r"(?<=[.!?])\s+", " ".join(text))
    return [sentence for sentence in sentences if len(sentence.split()) > MAX_NOTE_WORDS]


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

    def test_openings(self):
        long_openings = [
            "%s: %d sentences open the file" % (path, len(opening_sentences(lines_of(path))))
            for path in product_files()
            if len(opening_sentences(lines_of(path))) > MAX_OPENING_SENTENCES
        ]
        self.assertEqual(long_openings, [])

    def test_the_reader_of_openings(self):
        comment = [
            "// SPDX-License-Identifier: x",
            "// Counts the words of a file. Returns",
            "// the number of all words. Io thread.",
            "//",
            "// More.",
        ]
        self.assertEqual(
            opening_sentences(comment), ["Counts the words of a file.", "Returns the number of all words."]
        )
        docstring = [
            "#!/usr/bin/env python3",
            '"""Reads a whole file of words.',
            'Then writes it back to disk."""',
            "import os",
        ]
        self.assertEqual(
            opening_sentences(docstring), ["Reads a whole file of words.", 'Then writes it back to disk."""']
        )

    def test_the_reader_of_sentences(self):
        sentences = list(comment_sentences(os.path.relpath(__file__, os.path.join(__file__, "../../.."))))
        self.assertIn("Lines of a longer product file, and why it stays whole.", sentences)


if __name__ == "__main__":
    unittest.main()
