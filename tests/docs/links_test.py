#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages hang together: every link between them leads to something, and every page is reached from the
README."""

import os
import re
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.S)


def links(text):
    """The targets of a page's links that lie in this tree, with the part of the page that they name."""
    found = [target.partition("#") for target in LINK.findall(CODE.sub("", text))]
    return [(path, part) for path, _, part in found if ":" not in path]


def anchors(text):
    """The names under which the headings of a page can be linked."""
    headings = re.findall(
        r"^#+ +(.*)$", CODE.sub(lambda code: code.group(0) if "\n" not in code.group(0) else "", text), re.M
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def pages():
    found = [name for name in os.listdir(SOURCE) if name.endswith(".md")]
    for folder, _, names in os.walk(os.path.join(SOURCE, "docs")):
        if os.path.basename(folder) != "__pycache__":  # of the scripts that lie there
            found += [os.path.relpath(os.path.join(folder, name), SOURCE) for name in names]
    return found


class Links(unittest.TestCase):
    def test_the_reader_of_links(self):
        self.assertEqual(
            links("[a](b.md#c) `[d](e)` [f](https://g) [h](#i)\n```\n[j](k)\n```"), [("b.md", "c"), ("", "i")]
        )
        self.assertEqual(anchors("# One: two-`three`\n```\n# no\n```"), {"one-two-three"})

    def test_every_link_leads_somewhere(self):
        for page in pages():
            if page.endswith(".md"):
                for path, part in links(read(page)):
                    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                    self.assertTrue(
                        os.path.exists(os.path.join(SOURCE, target)), "%s links %s" % (page, path)
                    )
                    if part:
                        self.assertIn(part, anchors(read(target)), "%s links %s#%s" % (page, path, part))

    def test_every_page_is_reached_from_the_readme(self):
        reached, todo = set(), ["README.md"]
        while todo:
            page = todo.pop()
            if page not in reached:
                reached.add(page)
                if page.endswith(".md"):
                    targets = [
                        os.path.normpath(os.path.join(os.path.dirname(page), path))
                        for path, _ in links(read(page))
                        if path
                    ]
                    folders = [target for target in targets if os.path.isdir(os.path.join(SOURCE, target))]
                    readmes = [
                        os.path.join(folder, "README.md") for folder in folders
                    ]  # what a folder shows, where it has one
                    todo += [
                        target for target in targets + readmes if os.path.isfile(os.path.join(SOURCE, target))
                    ]
        self.assertEqual(sorted(set(pages()) - reached), [])


if __name__ == "__main__":
    unittest.main()
