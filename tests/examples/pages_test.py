#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/examples.md has each example with its picture, and each file of an example is short."""

import json
import os
import re
import unittest

import example

MAX_LINES = 150
DOCS = os.path.join(example.harness.SOURCE, "docs")


def folders():
    names = [each for each in sorted(os.listdir(example.EXAMPLES)) if each != "__pycache__"]
    return [each for each in names if os.path.isdir(os.path.join(example.EXAMPLES, each))]


def files():
    for folder in folders():
        for name in sorted(os.listdir(os.path.join(example.EXAMPLES, folder))):
            if name != "__pycache__":
                yield os.path.join(example.EXAMPLES, folder, name)


def lines_of(path):
    """Lines of code; of a notebook those of its cells."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".ipynb"):
        return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"]).splitlines()
    return text.splitlines()


class Pages(unittest.TestCase):
    def test_files_are_short(self):
        sizes = {path: len(lines_of(path)) for path in files()}
        self.assertGreater(len(sizes), 8)
        self.assertEqual({path: size for path, size in sizes.items() if size > MAX_LINES}, {})

    def test_the_page_has_each_example_its_files_and_its_picture(self):
        with open(os.path.join(DOCS, "examples.md"), encoding="utf-8") as file:
            page = file.read()
        sections = dict(re.findall(r"^## `?(\w+)`?.*?$\n(.*?)(?=^## |\Z)", page, re.M | re.S))
        for folder in folders():
            self.assertIn(folder, sections)
            self.assertRegex(sections[folder], r"!\[[^\]]+\]\(examples/%s\.(png|svg)\)" % folder)
        for path in files():
            self.assertIn(os.path.basename(path), sections[os.path.basename(os.path.dirname(path))])


if __name__ == "__main__":
    unittest.main()
