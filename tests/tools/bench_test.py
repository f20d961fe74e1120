#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegu-bench runs every case, prints what it promises in both forms, and refuses what it cannot do. No time
is judged."""

import json
import os
import re
import subprocess
import sys
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(os.environ.get("TEGU_BUILD_DIR", "build/release"), "bin", "tegu-bench")
OPERATIONS = (
    "reduce",
    "topk",
    "entropy_map",
    "add",
    "dot",
    "rowscale",
    "quantile",
    "histogram",
    "entropy",
    "fused",
)
FEW = (
    "^(floor/bytes=400000/|reduce/f32/n=1024/stats=sum|topk/i32/n=100000/k=10/uniform|"
    "daemon/(ready|round-trip|pipelined))"
)


def run(*arguments):
    return subprocess.run(
        [PROGRAM] + list(arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        timeout=600,
    )


class Bench(unittest.TestCase):
    def test_json_names_the_run_and_every_case_has_its_figures(self):
        done = run("--json", "--repetitions", "1", "--threads", "2", "--filter", FEW)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertIn("--repetitions 1", report["command"])
        self.assertRegex(report["date"], r"^\d{4}-\d\d-\d\d \d\d:\d\d UTC$")
        self.assertTrue(report["commit"])
        self.assertGreaterEqual(report["device"]["cores"], 1)
        cases = {case["name"]: case for case in report["cases"]}
        for name in (
            "floor/bytes=400000/threads=1",
            "reduce/f32/n=1024/stats=sum/threads=2",
            "topk/i32/n=100000/k=10/uniform/threads=1",
            "daemon/ready",
            "daemon/round-trip/sum/f32/n=1024",
            "daemon/pipelined/sum/f32/n=1024/depth=16",
        ):
            self.assertIn(name, cases)
            self.assertGreater(cases[name]["median_ns"], 0)
            self.assertLessEqual(cases[name]["min_ns"], cases[name]["median_ns"])
            self.assertGreaterEqual(cases[name]["noise"], 0)
        topk = cases["topk/i32/n=100000/k=10/uniform/threads=1"]
        self.assertEqual(topk["elements"], 100000)
        self.assertEqual(topk["bytes"], 400000 + 10 * (4 + 8))
        self.assertIn("cpu", topk["policy"])
        self.assertGreater(topk["of_floor"], 0)  # the floor ran beside it
        trip = cases["daemon/round-trip/sum/f32/n=1024"]
        self.assertGreaterEqual(trip["p99_us"], trip["p50_us"])

    def test_every_case_works(self):
        # Sanitizers make a large case take minutes; the small ones have the same code.
        limits = ["--most-elements", "200000"] if os.environ.get("TEGU_SANITIZE") else []
        names = run("--list", "--threads", "2", *limits).stdout.split()
        self.assertEqual(len(names), len(set(names)))
        if not limits:
            self.assertEqual(
                {name.split("/")[0] for name in names}, set(OPERATIONS) | {"floor", "daemon", "tuning"}
            )
        done = run("--json", "--quick", "--threads", "2", *limits)
        self.assertEqual(done.returncode, 0, done.stderr)
        cases = json.loads(done.stdout)["cases"]
        self.assertEqual([case["name"] for case in cases], names)
        for case in cases:
            self.assertGreater(case["median_ns"], 0, case)
            if case["name"].split("/")[0] in OPERATIONS:
                self.assertGreater(case["elements"], 0, case)
                self.assertGreater(case["bytes"], 0, case)
                self.assertTrue(case["policy"], case)

    def test_the_ladder_climbs_or_says_that_there_is_no_gpu(self):
        done = run("ladder", "--quick", "--json", "--threads", "256")
        if done.returncode == 69:
            self.assertIn("no GPU", done.stderr)
            self.assertEqual(done.stdout, "")
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertTrue(report["device"]["gpu"])
        names = [case["name"] for case in report["cases"]]
        for stem in ("sum/f32/n=1048576/", "sum/i32/n=1048576/"):
            self.assertEqual(
                [name[len(stem) :] for name in names if name.startswith(stem)],
                ["0a", "0b", "1", "2", "3", "4a", "4b", "4c", "5", "6", "7", "tegu"],
            )
        self.assertTrue(all(case["median_ns"] > 0 for case in report["cases"]))

    def test_subcommands_refuse_what_they_do_not_know(self):
        self.assertEqual(run("ladder", "--threads", "7").returncode, 64)
        self.assertIn(run("gpu", "--no-such-option").returncode, (64, 69))  # 69: built without it

    def test_the_man_page_explains_every_option_of_the_ladder_and_no_other(self):
        with open(os.path.join(SOURCE, "docs", "man", "tegu-bench.1"), encoding="utf-8") as page:
            sections = page.read().replace("\\-", "-").replace("\\ ", " ").split("\n.SH ")
        text = [section for section in sections if section.startswith("LADDER")][0]
        explained = set(
            re.findall(
                r"(?<![\w-])--?[a-z][a-z-]*", " ".join(re.findall(r"^\.TP\n\.B[RI]? (.*)", text, re.M))
            )
        )
        listed = re.findall(r"^  (-\S+)", run("ladder", "--help").stdout, re.M)
        self.assertEqual(explained, set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(listed))))

    def completed(self, *words):
        script = (
            '. %s; COMP_WORDS=(%s); COMP_CWORD=%d; _tegu_bench "%s" "%s" "%s"; '
            'printf "%%s\\n" "${COMPREPLY[@]}"'
            % (
                os.path.join(SOURCE, "tools/completion/tegu-bench.bash"),
                " ".join('"%s"' % word for word in words),
                len(words) - 1,
                PROGRAM,
                words[-1],
                words[-2],
            )
        )
        done = subprocess.run(
            ["bash", "--norc", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_completion(self):
        self.assertLessEqual({"gpu", "ladder", "--filter", "--json"}, self.completed("tegu-bench", ""))
        self.assertEqual(self.completed("tegu-bench", "l"), {"ladder"})
        self.assertEqual(self.completed("tegu-bench", "ladder", "--q"), {"--quick"})
        self.assertEqual(self.completed("tegu-bench", "ladder", "--threads", "1"), {"128", "1024"})
        self.assertEqual(self.completed("tegu-bench", "gpu", "--q"), {"--quick"})
        self.assertEqual(self.completed("tegu-bench", "r"), {"run"})
        self.assertEqual(self.completed("tegu-bench", "run", "--parts", "sc"), {"scaling"})
        self.assertEqual(self.completed("tegu-bench", "run", "--operations", "topk,ro"), {"topk,rowscale"})
        self.assertEqual(self.completed("tegu-bench", "compare", "--mo"), {"--model"})

    def test_quick_is_not_for_measuring(self):
        done = run("--quick", "--repetitions", "3")
        self.assertEqual(done.returncode, 64)

    def test_markdown_is_a_table_under_a_line_that_says_how(self):
        done = run("--repetitions", "1", "--filter", "^reduce/u8/n=1024/stats=sum")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith("`tegu-bench --repetitions 1"))
        self.assertTrue(
            any(
                re.match(r"^\| reduce/u8/n=1024/stats=sum/threads=1 \| [\d.]+ (ns|us|ms) \|", line)
                for line in lines
            )
        )

    def test_a_filter_that_is_no_regular_expression_is_refused(self):
        done = run("--filter", "(")
        self.assertEqual(done.returncode, 64)
        self.assertIn("'('", done.stderr)

    def test_a_daemon_that_does_not_start_is_an_error(self):
        done = run("--filter", "daemon/ready", "--tegud", "/bin/false")
        self.assertEqual(done.returncode, 69)
        self.assertIn("/bin/false", done.stderr)


if __name__ == "__main__":
    if not os.path.exists(PROGRAM):
        print("tegu-bench is not built here")
        sys.exit(77)
    unittest.main()
