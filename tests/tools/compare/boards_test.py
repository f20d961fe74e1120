#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The committed example, docs/benchmarks/boards: files of real boards. Its report is the one that the files
make, names every board, has no empty picture, and its numbers are those of the files, which are read here
without the package."""

import glob
import html
import json
import math
import os
import re
import subprocess
import unittest

import support

support.skip_without("jinja2", "matplotlib")
BOARDS = os.path.join(support.SOURCE, "docs", "benchmarks", "boards")
BASE = "cpu-2-cores.json"
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "µJ": 1e-6, "mJ": 1e-3, "J": 1.0}
SECTIONS = (
    "answer warnings boards operations roofline crossover scaling occupancy trips s1 s2 s3 s4 s5 energy"
)


def results_of(path, part, **wanted):
    """Records of a file as they stand there."""
    with open(path, encoding="utf-8") as file:
        records = json.load(file)["records"]
    return [
        one
        for one in records
        if one["kind"] == "result"
        and one["part"] == part
        and all(one[name] == value for name, value in wanted.items())
    ]


def own_times(path, part="operations"):
    """case -> seconds of the faster of tegu's backends."""
    found = {}
    for one in results_of(path, part):
        if one["backend"] in ("cpu", "cuda"):
            found[one["case"]] = min(one["seconds"], found.get(one["case"], math.inf))
    return found


def value_of(cell):
    """The number of "**1.23 ms** (GPU, ± 1.0 %)" in its unit."""
    number, unit = re.match(r"\**([\d.]+) (\S+?)\**( |$)", cell).group(1, 2)
    return float(number) * UNITS[unit]


def near(a, b):
    """Equal as far as three digits go."""
    return math.isclose(a, b, rel_tol=0.0051)


class BoardsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        others = sorted(set(glob.glob(BOARDS + "/*.json")) - {os.path.join(BOARDS, BASE)})
        cls.paths = [os.path.join(BOARDS, BASE)] + others
        with open(os.path.join(BOARDS, "report.md"), encoding="utf-8") as file:
            cls.text = file.read()
        with open(os.path.join(BOARDS, "report.html"), encoding="utf-8") as file:
            cls.page = file.read()

    def table(self, title):
        """Rows of a table of the Markdown, the head first."""
        lines = self.text.split("**%s**" % title, 1)[1].strip().split("\n\n")[0].splitlines()
        rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
        return [[cell.replace("\\", "") for cell in row] for row in rows[:1] + rows[2:]]

    def place(self, path):
        """The board of a file is this one of the report's boards."""
        return self.paths.index(path)

    def test_there_is_a_gpu_beside_a_cpu(self):
        self.assertGreaterEqual(len(self.paths), 2)
        self.assertEqual(results_of(self.paths[0], "operations", backend="cuda"), [])
        for path in self.paths[1:]:
            self.assertGreater(len(results_of(path, "operations", backend="cuda")), 90)

    def test_the_report_is_the_one_of_its_files(self):
        with support.Folder() as folder:
            command = [os.path.join(support.SOURCE, "scripts", "compare-boards.sh"), "--output", folder.path]
            subprocess.run(command, check=True)
            with open(os.path.join(folder.path, "report.md"), encoding="utf-8") as file:
                self.assertEqual(self.text, file.read(), "scripts/compare-boards.sh makes it anew")
            with open(os.path.join(folder.path, "report.html"), encoding="utf-8") as file:
                made = file.read()
        self.assertEqual(made.count("<svg"), self.page.count("<svg"))  # other versions draw other bytes

    def test_it_is_not_large(self):
        self.assertLess(len(self.page.encode()), 1500000)

    def test_it_names_every_board_and_has_every_section(self):
        head = self.table("Identity")[0]
        for path in self.paths:
            with open(path, encoding="utf-8") as file:
                identity = json.load(file)["identity"]
            name = (identity["gpu"] or identity["cpu"])["name"]
            self.assertIn(head[1 + self.place(path)].split(" (")[0], name)
            self.assertIn(identity["tegu"]["commit"], self.text)
            self.assertIn(os.path.basename(path), self.page)
        self.assertEqual([name for name in SECTIONS.split() if 'id="%s"' % name not in self.page], [])

    def test_no_picture_is_empty(self):
        pictures = re.findall(r'<svg[^>]*class="plot.*?</svg>', self.page, re.S)
        self.assertGreater(len(pictures), 60)
        for picture in pictures:
            words = html.unescape(re.search('aria-label="([^"]*)"', picture).group(1))
            drawn = re.sub(r"<text.*?</text>|<defs>.*?</defs>", "", picture, flags=re.S)
            marks = re.findall(r"var\(--(?:series-\d|ink|soft)\)", drawn)
            self.assertTrue(marks, words)
            self.assertGreater(len(re.findall("<text", picture)), 1, words)
            self.assertIsNone(re.search(r"nan|inf\b", drawn), words)

    def test_times_of_operations_are_those_of_the_files(self):
        rows = self.table("The faster backend of each board")[1:]
        times = [own_times(path) for path in self.paths]
        self.assertEqual({row[0] for row in rows}, set().union(*times))
        for row in rows:
            for cell, found in zip(row[1:], times):
                if row[0] in found:
                    self.assertTrue(near(value_of(cell), found[row[0]]), (row[0], cell, found[row[0]]))

    def test_the_answer_is_the_geometric_mean(self):
        rows, base = (
            self.table("Against %s, by operation" % self.table("Identity")[0][1]),
            own_times(self.paths[0]),
        )
        for place, path in enumerate(self.paths[1:], 1):
            mine = own_times(path)
            for row in rows[1:]:
                logs = [
                    math.log(base[case] / mine[case])
                    for case in base
                    if case in mine and row[0] in ("all cases", case.split()[0])
                ]
                number, word = re.match(r"([\d.]+)× (\w+)", row[place]).groups()
                mean = math.exp(sum(logs) / len(logs))
                self.assertTrue(near(float(number), mean if word == "faster" else 1 / mean), (row, mean))

    def test_energies_are_those_of_the_files(self):
        rows, seen = self.table("Energy of a job, on the backend that takes least")[1:], 0
        for path in self.paths:
            for one in results_of(path, "operations", backend="cuda"):
                if one["energy_j"] is not None:
                    cell = next(row for row in rows if row[0] == one["case"])[1 + self.place(path)]
                    self.assertTrue(near(value_of(cell), one["energy_j"]), (one, cell))
                    seen += 1
        self.assertGreaterEqual(seen, 10)

    def test_the_best_blocks_of_s1_are_those_of_the_files(self):
        rows, seen = self.table("Best block size by k"), 0
        for column, title in enumerate(rows[0]):
            found = re.match(r"(.*) · (.*), (managed, .*): best block", title)
            if not found:
                continue
            name, lists, data = found.groups()
            path = self.paths[self.table("Identity")[0].index(name) - 1]
            for row in rows[1:]:
                cells = [
                    (one["seconds"], one["axes"]["threads_per_block"])
                    for one in results_of(path, "s1", backend="seed")
                    if one["axes"].get("k") == int(row[0])
                    and one["axes"].get("lists") == lists
                    and one["axes"].get("data") == data
                ]
                if cells:
                    self.assertEqual(row[column].strip("*"), str(min(cells)[1]), (title, row))
                    self.assertTrue(near(value_of(row[column + 1]), min(cells)[0]), (title, row))
                    seen += 1
        self.assertGreater(seen, 20)

    def test_modelled_times_are_marked_and_in_no_ranking(self):
        rows = self.table("Modelled, not measured: the largest job")
        for row in rows[1:]:
            self.assertTrue(all(re.match(r"\*[\d.]+ \S+\*$|–$", cell) for cell in row[2:]), row)
        answer = self.text.split("## Where the runs differ")[0]
        self.assertNotIn("Jetson", answer)
        for cell in re.findall(r'<td class="[^"]*modelled[^"]*">[^<]*', self.page):
            self.assertNotIn("–", cell)
        self.assertGreater(self.page.count("(modelled)"), 3)


if __name__ == "__main__":
    unittest.main()
