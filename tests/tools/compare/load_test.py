#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that are not what `tegu-bench run` writes: each is refused with the file, the place and what is
wrong."""

import copy
import json
import random
import unittest

import fixture_boards
import support
from support import run

support.skip_without()


class LoadTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = support.Folder().__enter__()
        cls.good = fixture_boards.content("desktop")

    @classmethod
    def tearDownClass(cls):
        cls.folder.__exit__()

    def refused(self, content, words, exit_code=65):
        """`content` of bad.json beside a good file: the message has all words, and nothing is written."""
        path = self.folder.write("bad.json", content)
        code, out, error = run(self.folder.files["orin"], path)
        self.assertEqual((code, out), (exit_code, ""), error)
        self.assertEqual(len(error.splitlines()), 1, error)
        self.assertTrue(error.startswith("tegu-bench compare: " + path), error)
        for word in words:
            self.assertIn(word, error)

    def changed(self, change):
        content = copy.deepcopy(self.good)
        change(content)
        return content

    def test_files_that_cannot_be_read(self):
        code, _, error = run(self.folder.path + "/none.json")
        self.assertEqual(code, 66)
        self.assertIn("none.json: No such file", error)
        code, _, error = run(self.folder.path)
        self.assertEqual(code, 66)
        self.assertIn("is a folder", error)

    def test_files_that_are_not_json(self):
        self.refused(b"", ["is empty"])
        self.refused(b"a,b\n1,2\n", [":1:1:", "not JSON"])
        self.refused(b"\xff\xfe", ["byte 0 is not UTF-8"])
        self.refused(b'{"schema": "tegu-field/1", "schema": "tegu-field/1"}', ['"schema" stands twice'])
        self.refused(b"[" * 100000, ["nested too deeply"])

    def test_a_truncated_file(self):
        text = fixture_boards.text("desktop").encode()
        for length in (1, len(text) // 2, len(text) - 3):
            self.refused(text[:length], ["truncated?", "bad.json:"])

    def test_json_of_something_else(self):
        self.refused([], ['has no "schema"'])
        self.refused({"cases": []}, ['has no "schema"'])
        self.refused(dict(self.good, schema="tegu-field/2"), ['schema: "tegu-field/2"', '"tegu-field/1"'])
        self.refused(dict(self.good, schema=None), ["schema: null"])
        self.refused(
            dict(self.good, schema="tegu-field/0"), ['"tegu-field/0"', "older: measure the board again"]
        )
        self.refused(dict(self.good, schema="tegu-field/2"), ["newer: compare it with"])
        self.refused(dict(self.good, schema="tegu-field/two"), ['"tegu-field/two"'])

    def test_what_is_missing_or_of_the_wrong_type_is_named(self):
        def first(name, value):
            def change(content):
                content["records"][1][name] = value

            return change

        cases = (
            (lambda content: content.pop("identity"), ["identity is missing", "an object"]),
            (lambda content: content.pop("records"), ["records is missing"]),
            (lambda content: content.pop("finished"), ["finished is missing", "true or false"]),
            (lambda content: content["identity"].update(board=""), ['identity.board: "" is not a text']),
            (
                lambda content: content["identity"].update(gpu="H200"),
                ['identity.gpu: "H200" is not an object'],
            ),
            (
                lambda content: content["identity"]["cpu"].update(cores=2.5),
                ["identity.cpu.cores: 2.5", "whole"],
            ),
            (lambda content: content.update(records={}), ["records: {} is not a list"]),
            (lambda content: content["records"].append(7), ["records[", "kind: null"]),
            (first("kind", "guess"), ['records[1].kind: "guess"', "result, condition, skipped"]),
            (first("seconds", "fast"), ['records[1].seconds: "fast" is not a number above 0']),
            (first("seconds", None), ["records[1].seconds is missing"]),
            (first("seconds", -1), ["records[1].seconds: -1"]),
            (first("seconds", 0), ["records[1].seconds: 0"]),
            (first("seconds", 1e300), ["records[1].seconds: 1e+300"]),
            (first("noise", True), ["records[1].noise: true"]),
            (first("occupancy", 1.5), ["records[1].occupancy: 1.5", "from 0 to 1"]),
            (first("axes", {"k": [1]}), ["records[1].axes"]),
            (first("part", 3), ["records[1].part: 3"]),
            (first("checked", "yes"), ["records[1].checked", "true or false"]),
        )
        for change, words in cases:
            self.refused(self.changed(change), words)

    def test_numbers_that_json_does_not_have(self):
        for word in (b"NaN", b"Infinity", b"-Infinity"):
            self.refused(b'{"schema": "tegu-field/1", "finished": %s}' % word, [word.decode()])

    def test_numbers_that_no_computer_holds(self):
        for word, words in ((b"1" * 5000, "5000 digits: 1111"), (b"-1e999", "-1e999 is too large")):
            self.refused(b'{"schema": "tegu-field/1", "finished": %s}' % word, [words])

    def test_a_file_with_anything_in_it_is_shown_or_refused(self):
        """Values of a good file are replaced at random: never is there another end than these two."""
        values = [None, "", 0, -1, 1e-15, 1e24, 1e300, True, [], {}, "<b>x</b>", "$x$ {{1}} | `", "a" * 5000]
        values += ["\n\x00", 10**30, [1, 2], {"a": {"b": 1}}, "\u202e", 1.5, 2**63]
        ends, chance = set(), random.Random(1)
        few = dict(self.good, records=[one for one in self.good["records"] if chance.random() < 0.15])
        for _ in range(60):
            content = copy.deepcopy(few)
            for _ in range(chance.choice((1, 1, 3))):
                at = chance.choice([content, content["identity"]] + [chance.choice(content["records"])] * 8)
                if not isinstance(at, dict):
                    continue
                name = chance.choice(sorted(at) + ["new"])
                inner = at.get(name)
                if isinstance(inner, dict) and inner and chance.random() < 0.7:
                    at, name = inner, chance.choice(sorted(inner))
                at[name] = chance.choice(values)
                if not isinstance(content.get("records"), list) or not isinstance(content["identity"], dict):
                    break
            path = self.folder.write("any.json", content)
            code, out, error = run(path)
            ends.add(code)
            self.assertIn(code, (0, 65), error)
            self.assertTrue(
                out if code == 0 else error.startswith("tegu-bench compare: %s: " % path), content
            )
        self.assertEqual(ends, {0, 65})

    def test_one_run_given_twice(self):
        same = self.folder.write("same.json", fixture_boards.content("orin"))
        code, _, error = run(self.folder.files["orin"], same)
        self.assertEqual(code, 65)
        self.assertIn("same.json: is the same run as " + self.folder.files["orin"], error)

    def test_unknown_keys_and_parts_are_allowed(self):
        content = copy.deepcopy(self.good)
        content["later"] = content["identity"]["later"] = 1
        content["records"][1]["later"] = {}
        content["records"][1]["part"] = "dance"
        code, out, error = run(self.folder.write("later.json", content))
        self.assertEqual((code, error), (0, ""))
        self.assertIn("parts that this program does not know", out)
        self.assertIn("dance", out)

    def test_an_unfinished_run_is_shown_with_a_warning(self):
        content = copy.deepcopy(self.good)
        content["finished"] = False
        content["records"] = content["records"][:20]
        code, out, error = run(self.folder.files["orin"], self.folder.write("part.json", content))
        self.assertEqual((code, error), (0, ""))
        self.assertIn("Fixture x86: the run is not finished", out)
        self.assertIn("Fixture x86 has no results of", out)

    def test_a_run_without_any_record(self):
        code, out, error = run(self.folder.write("empty.json", dict(self.good, records=[], finished=False)))
        self.assertEqual((code, error), (0, ""))
        self.assertIn("the run is not finished", out)

    def test_usage(self):
        for arguments, words in (
            ((), "at least one file"),
            (("--dance",), "--dance"),
            ((self.folder.files["orin"], "--names", "a,b"), "one name for each of the 1 files"),
            ((self.folder.files["orin"], self.folder.files["nano"], "--names", "a,a"), "all different"),
            ((self.folder.files["orin"], "--model", "pi"), 'no board "pi" (known: jetson-nano'),
            ((self.folder.files["orin"], "--model", "jetson-tx2,jetson-tx2"), "given twice"),
            ((self.folder.files["desktop"], "--model", "jetson-nano"), "needs a run with a GPU"),
        ):
            code, out, error = run(*arguments)
            self.assertEqual((code, out), (64, ""), error)
            self.assertIn(words, error)

    def test_what_cannot_be_written(self):
        code, _, error = run(self.folder.files["orin"], "--csv", self.folder.path + "/no/such/folder.csv")
        self.assertEqual(code, 73)
        self.assertIn("cannot write", error)

    def test_control_characters_do_not_reach_a_terminal(self):
        content = copy.deepcopy(self.good)
        content["identity"]["cpu"]["name"] = "x\u001b[31m\u0007\ud800\u202e86"
        code, out, error = run(self.folder.write("control.json", json.dumps(content).encode()))
        self.assertEqual((code, error), (0, ""))
        self.assertEqual([one for one in out if ord(one) < 32 and one != "\n" or one == "\u202e"], [])


if __name__ == "__main__":
    unittest.main()
