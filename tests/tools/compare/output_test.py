#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is written: Markdown and CSV against golden files, and the page as text: valid, complete in itself,
and closed to texts of files that would be markup.

usage: output_test.py test output_test.py --write write the golden files anew; look at the difference before
it is committed"""

import csv
import io
import os
import re
import subprocess
import sys
import unittest

import fixture_boards
import support
from support import HERE, run, start

support.skip_without("jinja2", "matplotlib")
GOLDEN = os.path.join(HERE, "golden")
MODELS = "jetson-nano,jetson-orin-nano"
HOSTILE = (
    "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> $x$ | `a` [b](http://example.invalid) =1+1 "
    "\\ &amp; {{ 7*7 }}"
)


def few(key):
    """A part of a fixture, small enough to be read as a golden file."""
    content = fixture_boards.content(key)
    kept = {"copy", "operations", "crossover", "scaling", "roundtrip", "s1", "s2"}
    content["records"] = [
        record
        for record in content["records"]
        if record["part"] in kept
        and record.get("axes", {}).get("k", 5) in (5, 10, 48)
        and "first touch" not in record.get("case", "")
        and record.get("operation") in (None, "copy", "reduce", "topk", "entropy_map", "roundtrip")
    ]
    return content


def golden_outputs(folder):
    """name -> text of the golden files."""
    for key in fixture_boards.NAMES:
        folder.write(key + ".json", few(key))
    files = ["%s.json" % key for key in fixture_boards.NAMES]
    before = os.getcwd()
    os.chdir(folder.path)
    try:
        outputs = {
            "report.md": run(*files, "--model", MODELS),
            "one.md": run("desktop.json"),
            "report.csv": run(*files, "--model", MODELS, "--csv", "-"),
        }
    finally:
        os.chdir(before)
    for name, (code, _, error) in outputs.items():
        assert (code, error) == (0, ""), (name, error)
    return {name: out for name, (_, out, _) in outputs.items()}


class GoldenTest(unittest.TestCase):
    maxDiff = None

    def test_markdown_and_csv(self):
        with support.Folder() as folder:
            for name, text in golden_outputs(folder).items():
                with open(os.path.join(GOLDEN, name), encoding="utf-8") as file:
                    self.assertEqual(file.read(), text, "%s: output_test.py --write makes it anew" % name)


class CsvTest(unittest.TestCase):
    def test_every_result_has_its_line(self):
        with support.Folder() as folder:
            code, out, _ = run(*folder.files.values(), "--csv", "-", "--model", "jetson-nano")
        self.assertEqual(code, 0)
        rows = list(csv.DictReader(io.StringIO(out)))
        expected = sum(
            record["kind"] == "result"
            for key in fixture_boards.NAMES
            for record in fixture_boards.content(key)["records"]
        )
        measured = [row for row in rows if row["provenance"] == "measured"]
        self.assertEqual(len(measured), expected)
        modelled = [row for row in rows if row["provenance"] == "modelled"]
        self.assertTrue(modelled)
        self.assertEqual({row["board"] for row in modelled}, {"Jetson Nano"})
        one = next(row for row in measured if row["case"] == "topk f32 1e7 k=10" and row["backend"] == "cuda")
        self.assertEqual(
            (one["axis_type"], one["axis_elements"], one["axis_threads_per_block"], one["checked"]),
            ("f32", "10000000", "256", "true"),
        )
        record = next(
            record
            for record in fixture_boards.content("nano")["records"]
            if record.get("case") == one["case"] and record["backend"] == "cuda"
        )
        self.assertEqual(float(one["seconds"]), record["seconds"])

    def test_a_text_is_no_formula(self):
        with support.Folder() as folder:
            content = fixture_boards.content("desktop")
            content["records"][1]["note"] = "=HYPERLINK(1)"
            code, out, _ = run(folder.write("x.json", content), "--csv", "-")
        self.assertIn(",'=HYPERLINK(1)", out)


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = support.Folder().__enter__()
        cls.page = cls.made("page.html", *cls.folder.files.values(), "--model", MODELS)
        hostile = few("orin")
        for name in ("board", "kernel", "driver", "power_mode"):
            hostile["identity"][name] = HOSTILE
        hostile["identity"]["gpu"]["name"] = hostile["identity"]["tegu"]["commit"] = HOSTILE
        for record in hostile["records"]:
            for name in ("case", "method", "operation", "note", "reason"):
                if isinstance(record.get(name), str):
                    record[name] = HOSTILE + record[name]
            if record["kind"] == "condition":
                record["temperatures_c"] = {HOSTILE: 50.0}
                record["throttle"] = [HOSTILE]
            for axis in list(record.get("axes", {})):
                if isinstance(record["axes"][axis], str):
                    record["axes"][axis] = HOSTILE
        cls.hostile = cls.made(
            "hostile.html",
            cls.folder.write("hostile.json", hostile),
            cls.folder.files["nano"],
            "--title",
            HOSTILE,
        )

    @classmethod
    def tearDownClass(cls):
        cls.folder.__exit__()

    @classmethod
    def made(cls, name, *arguments):
        path = os.path.join(cls.folder.path, name)
        code, out, error = run(*arguments, "-o", path)
        assert (code, out, error) == (0, "", ""), error
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_it_is_complete_in_itself(self):
        for text in (self.page, self.hostile):
            self.assertEqual(
                re.findall(
                    r"<script|<iframe|<object|<embed|@import|\bon[a-z]+=\"|javascript:",
                    re.sub(r"&lt;.*?&gt;", "", text),
                ),
                [],
            )
            loaded = re.findall(r"(?:href|src|action|data|poster)=\"([^\"]*)\"|url\(([^)]*)\)", text)
            for address in (one or other for one, other in loaded):
                self.assertTrue(address.startswith("#") or address == "data:,", address)
            self.assertIn("default-src 'none'", text)

    def test_every_section_and_board_is_there(self):
        for title in (
            "Who is faster at what",
            "Where the runs differ",
            "The boards",
            "Every operation",
            "How near to the memory",
            "CPU and GPU over the size",
            "What more threads",
            "Which block size",
            "Round trips",
            "S1:",
            "S2:",
            "S3:",
            "S4:",
            "S5:",
            "Energy of a job",
            "Temperatures",
            "How to read",
        ):
            self.assertIn("<h2>" + title, self.page)
        for name in ("Fixture Jetson N", "Fixture Jetson O", "Fixture x86", "Jetson Nano (modelled)"):
            self.assertIn(name, self.page)

    def test_modelled_columns_are_marked_and_ranked_nowhere(self):
        answer = self.page[
            self.page.index('<section id="answer">') : self.page.index('<section id="warnings">')
        ]
        self.assertNotIn("odelled", answer)
        self.assertNotIn("Jetson Nano", answer)
        heads = re.findall(r'<th scope="col" class="([^"]*)">([^<]*)</th>', self.page)
        for classes, name in heads:
            self.assertEqual(
                "modelled" in classes,
                "(modelled)" in name
                or name in ("memory, GB/s", "arithmetic, G operations/s", "meet at, operations per byte"),
                name,
            )

    def test_ids_are_unique_and_all_that_is_referred_to_is_there(self):
        for text in (self.page, self.hostile):
            ids = re.findall(r'\bid="([^"]*)"', text)
            self.assertEqual(len(ids), len(set(ids)))
            self.assertLessEqual(
                set(re.findall(r'href="#([^"]*)"', text)) | set(re.findall(r"url\(#([^)]*)\)", text)),
                set(ids),
            )

    def test_every_picture_has_words(self):
        labels = re.findall(r'<svg[^>]*role="img"[^>]*aria-label="([^"]*)"', self.page) + re.findall(
            r'<svg[^>]*aria-label="([^"]*)"[^>]*role="img"', self.page
        )
        self.assertEqual(len(labels), len(re.findall(r'<svg[^>]*class="plot', self.page)))
        self.assertGreater(min(map(len, labels)), 30)

    def test_colours_follow_the_page(self):
        pictures = "".join(re.findall(r'<svg[^>]*class="plot.*?</svg>', self.page, re.S))
        self.assertIn("var(--series-0)", pictures)
        self.assertEqual(re.findall(r"#[0-9a-fA-F]{6}\b", pictures), [])

    def test_it_is_valid_html(self):
        try:
            import html5lib
        except ImportError:
            self.skipTest("needs html5lib")
        for text in (self.page, self.hostile):
            parser = html5lib.HTMLParser()
            parser.parse(text)
            self.assertEqual(parser.errors, [])

    def test_hostile_texts_are_texts(self):
        self.assertIn("&lt;script&gt;alert(1)&lt;/script&gt;", self.hostile)
        self.assertNotIn("<script", self.hostile)
        self.assertNotIn("<img", self.hostile)
        self.assertIn("{{ 7*7 }}", self.hostile)  # no template of a template
        code, out, _ = run(self.folder.path + "/hostile.json")
        self.assertEqual(code, 0)
        self.assertNotRegex(out, r"(?<!\\)<script|(?<!\\)\[b(?<!\\)\]")

    def test_the_same_files_give_the_same_page(self):
        self.assertEqual(
            *(self.made(name, self.folder.files["desktop"]) for name in ("one.html", "again.html"))
        )

    def test_one_board_alone(self):
        page = self.made("one.html", self.folder.files["desktop"])
        self.assertIn("What was measured", page)

    def test_eight_boards(self):
        paths = []
        for index in range(8):
            content = few("orin")
            content["identity"]["power_mode"] = "%dW" % (10 + index)
            paths.append(self.folder.write("orin%d.json" % index, content))
        self.assertIn("Fixture Jetson O (17W)", self.made("eight.html", *paths))
        code, text, _ = support.run("--markdown", "-", *paths)
        self.assertEqual(code, 0)
        (table,) = re.findall(r"by operation\*\*\n\n(.*?)\n", text)
        self.assertEqual(table.count(" against "), 7)
        # A sentence for each against the base; who is faster among the others is for the table.
        lead = text.split("## Who is faster at what")[1].split("**Against")[0]
        self.assertEqual(len([line for line in lead.splitlines() if line]), 7)
        each = text.split("**Each against each**")[1].split("**")[0]
        self.assertEqual(sum(line.startswith("| Fixture") for line in each.splitlines()), 8)

    def test_odd_but_allowed_files(self):
        empty = support.small("Empty", [])
        lone = support.small(
            "Lone",
            [
                {"case": "x", "seconds": 1e-15},
                {
                    "case": "y",
                    "seconds": 1e24,
                    "part": "s1",
                    "axes": {"k": 1e24, "threads_per_block": 1e-15},
                    "backend": "seed",
                },
            ],
        )
        for part in (
            "copy",
            "occupancy",
            "scaling",
            "crossover",
            "roundtrip",
            "coldstart",
            "s1",
            "s2",
            "s3",
            "s4",
            "s5",
        ):
            lone["records"].append(
                {
                    "kind": "result",
                    "part": part,
                    "case": "c",
                    "backend": "cuda",
                    "seconds": 1.0,
                    "bytes": 0,
                    "flops": 0,
                    "operation": "",
                    "axes": {"elements": 1, "threads": 1, "threads_per_block": 32, "k": 1},
                }
            )
        lone["records"].append(
            {
                "kind": "condition",
                "part": "copy",
                "at": "before",
                "elapsed_s": 0,
                "temperatures_c": {"a": None, "b": -1e24},
            }
        )
        self.made("odd.html", self.folder.write("empty.json", empty), self.folder.write("lone.json", lone))


class ProgramTest(unittest.TestCase):
    def test_the_program_and_its_package_start(self):
        with support.Folder() as folder:
            code, out, error = start(folder.files["orin"], folder.files["nano"])
            self.assertEqual((code, error), (0, ""))
            self.assertIn("# Fixture Jetson O beside Fixture Jetson N", out)
            code, _, error = start(folder.path + "/none.json")
            self.assertEqual(
                (code, error),
                (66, "tegu-bench compare: %s/none.json: No such file or directory\n" % folder.path),
            )

    def test_the_folder_starts_too(self):
        """tegu-bench compare runs it so; its modules must not hide those of Python."""
        with support.Folder() as folder:
            package = os.path.join(os.path.dirname(support.PROGRAM), "tegu_compare")
            page = os.path.join(folder.path, "page.html")
            command = [sys.executable, package, folder.files["desktop"], "-o", page]
            subprocess.run(command, check=True, cwd=folder.path)
            self.assertTrue(os.path.exists(page))

    def test_help_names_every_option(self):
        code, out, _ = start("--help")
        self.assertEqual(code, 0)
        for option in ("--output", "--markdown", "--csv", "--names", "--model", "--list-models", "--title"):
            self.assertIn(option, out)
        self.assertIn("jetson-agx-orin ", start("--list-models")[1])


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        os.makedirs(GOLDEN, exist_ok=True)
        with support.Folder() as made_in:
            for golden_name, golden_text in golden_outputs(made_in).items():
                with open(os.path.join(GOLDEN, golden_name), "w", encoding="utf-8") as golden_file:
                    golden_file.write(golden_text)
    else:
        unittest.main()
