#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/man/tegud.8 explains every option of tegud and no other."""
import os
import re
import subprocess
import unittest

BUILD = os.environ["TEGU_BUILD_DIR"]
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "man", "tegud.8")
OPTION = r"(?<![\w-])--?[a-z][a-z-]*"


class ManPageTest(unittest.TestCase):
    def test_options_are_those_of_help(self):
        shown = subprocess.run([os.path.join(BUILD, "bin", "tegud"), "--help"], stdout=subprocess.PIPE, check=True)
        listed = set(re.findall(OPTION, " ".join(re.findall(r"^  (-\S+)", shown.stdout.decode(), re.M))))
        with open(PAGE, encoding="utf-8") as page:
            section = page.read().replace("\\-", "-").split(".SH OPTIONS")[1].split(".SH ")[0]
        explained = set(re.findall(OPTION, " ".join(re.findall(r"^\.TP\n\.\w+ (.*)", section, re.M))))
        self.assertGreater(len(listed), 5)
        self.assertEqual(explained, listed)


if __name__ == "__main__":
    unittest.main()
