#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files of config/monitoring against a running tegud: every metric, label and value of a label that the
rules and the dashboard name is one that it exports. promtool checks rules, queries and unit tests."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MONITORING = os.path.join(os.path.dirname(TESTS), "config", "monitoring")
sys.path[:0] = [os.path.join(TESTS, "daemon"), os.path.join(TESTS, "daemon", "health")]
import rawclient  # noqa: E402
from daemon_test import NAMES, Board  # noqa: E402

PROMTOOL = shutil.which("promtool")
# Files of rules with their unit tests, and the dashboards: of one board, and of many.
RULES = {"tegu.rules.yml": "rules_test.yml", "fleet.rules.yml": "fleet_rules_test.yml"}
DASHBOARDS = ("tegu.dashboard.json", "fleet.dashboard.json")
# Labels that Prometheus adds, and values that a sound daemon on these boards does not show.
OF_PROMETHEUS = {"instance", "job", "alertname"}
NOT_FROM_TEGUD = {"up"}
FROM_TEXTFILE = {"tegu_up"}
UNSHOWN = {
    ("tegu_jobs_total", "status", "DEVICE_LOST"),
    ("tegu_jobs_total", "status", "INTERNAL"),
    ("tegu_requests_refused_total", "status", "BUSY"),
    ("tegu_health_reason", "code", "gpu_unavailable"),
}
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? \S+$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
SELECTOR = re.compile(r"(?<![\w:])(tegu_\w+|up)\b(?!:)(?:\{([^}]*)\})?")
RECORDED = re.compile(r"(?<![\w:])\w+:[\w:]+")
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
GROUPING = re.compile(r"\b(?:by|without)\s*\(([^)]*)\)")


class Exported:
    """Metrics with their labels and the values of those, of all boards together."""

    def __init__(self):
        self.labels = {}

    def add(self, text):
        for line in text.splitlines():
            if line.startswith("#"):
                continue
            name, labels = SAMPLE.match(line).groups()
            known = self.labels.setdefault(name, {})
            for label, value in LABEL.findall(labels or ""):
                known.setdefault(label, set()).add(value)


def read(name):
    with open(os.path.join(MONITORING, name), encoding="utf-8") as file:
        return file.read()


def rule_expressions(name):
    """Every expr: of the rules, with the continued lines of a folded one."""
    found, lines = [], read(name).splitlines()
    for at, line in enumerate(lines):
        match = re.match(r"( +)expr: (.*)$", line)
        if match is None:
            continue
        text = match.group(2)
        if text == ">-":
            rest = []
            for follower in lines[at + 1 :]:
                if not follower.startswith(match.group(1) + "  "):
                    break
                rest.append(follower.strip())
            text = " ".join(rest)
        found.append(text)
    return found


def recorded():
    """{name of a recorded series: its expression}"""
    found = {}
    for name in RULES:
        kinds = re.findall(r"- (record|alert): (\S+)", read(name))
        found.update(
            (rule, expression)
            for (kind, rule), expression in zip(kinds, rule_expressions(name))
            if kind == "record"
        )
    return found


def panels(name):
    return [panel for panel in json.loads(read(name))["panels"] if panel["type"] != "row"]


def targets(name):
    return [(panel, target) for panel in panels(name) for target in panel["targets"]]


def unit_tests(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), RULES[name])
    with open(path, encoding="utf-8") as file:
        return path, file.read()


def exported():
    """What tegud shows on every board of the tests, with jobs, an error, a reason and a watchdog."""
    found = Exported()
    hot = {"sys/class/thermal/thermal_zone8/temp": "103000\n"}
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(os.path.join(folder, "notify"))
        os.environ.update(NOTIFY_SOCKET=manager.getsockname(), WATCHDOG_USEC="60000000")
        try:
            for name in NAMES:
                with Board(name, hot if name == "orin-nano" else None) as board:
                    if name == "orin-nano":  # its reason is shown
                        board.wait_for(lambda: board.health()[0] == 2)
                    with rawclient.Connection(board.socket) as client:
                        work(client)
                        if name == NAMES[0]:
                            os.makedirs(os.path.join(board.root, "var/lib/tegud"))
                            board.wait_for(lambda: "tegu_state_directory" in board.tegu("metrics").stdout)
                        found.add(board.tegu("metrics").stdout)
        finally:
            del os.environ["NOTIFY_SOCKET"], os.environ["WATCHDOG_USEC"]
    found.add(metrics_of_this_machine())
    return found


def metrics_of_this_machine():
    """Here time passes between two readings, so that there is a load."""
    daemon = rawclient.Daemon('executor.backend = "cpu"\n')
    tegu = [os.path.join(os.environ["TEGU_BUILD_DIR"], "bin", "tegu"), "metrics", "--socket", daemon.path]
    try:
        texts = [""]

        def has_load():
            texts.append(subprocess.check_output(tegu, universal_newlines=True))
            return "tegu_cpu_load_ratio" in texts[-1]

        rawclient.Daemon.wait_for(has_load, "a second reading")
        return texts[-1]
    finally:
        daemon.stop()


def work(client):
    data = rawclient.floats(1, 2, 3, 4)
    assert client.job(params=rawclient.reduce_params(), data=data).status == "OK"
    for _ in range(20):  # long enough to compare their time with the prediction
        done = client.job(operation=rawclient.QUANTILE, cols=16000, data=bytes(64000))
        assert done.status == "OK", done
    wrong = client.job(operation=rawclient.TOPK, params=rawclient.topk_params(99), data=data)
    assert wrong.status == "BAD_RANGE", wrong


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.exported = exported().labels

    def check(self, expression):
        """Each metric of it is exported, with the labels of its selector; the others it groups by exist. What
        it names with a colon is recorded."""
        names = []
        for name in RECORDED.findall(expression):
            self.assertIn(name, recorded(), expression)
        for name, selector in SELECTOR.findall(expression):
            if name in NOT_FROM_TEGUD | FROM_TEXTFILE:
                continue
            self.assertTrue(name in self.exported, "%s of %s" % (name, expression))
            names.append(name)
            for label, operator, value in MATCHER.findall(selector):
                if label in OF_PROMETHEUS:
                    continue
                self.assertIn(label, self.exported[name], "%s of %s" % (label, expression))
                for one in value.split("|") if operator in ("=~", "!~") else [value]:
                    if (name, label, one) not in UNSHOWN:
                        self.assertIn(one, self.exported[name][label], expression)
        known = OF_PROMETHEUS.union(*(self.exported[name] for name in names))
        for group in GROUPING.findall(expression):
            for label in re.split(r"[,\s]+", group):
                self.assertIn(label, known, expression)
        return known

    def test_of_the_rules(self):
        for name in RULES:
            expressions = rule_expressions(name)
            self.assertGreater(len(expressions), 15)
            for expression in expressions:
                self.check(expression)

    def test_what_is_recorded_is_named_by_its_labels(self):
        """instance:... has the label instance alone, fleet:... has none."""
        for name, expression in recorded().items():
            labels = {"instance": ["instance"], "fleet": []}[name.split(":")[0]]
            groups = [set(re.split(r"[,\s]+", group)) - {"le"} for group in GROUPING.findall(expression)]
            if groups and "scalar" not in expression:
                self.assertTrue(all(group == set(labels) for group in groups), name)

    def test_what_is_recorded_is_shown_and_tested(self):
        shown = " ".join(target["expr"] for _, target in targets("fleet.dashboard.json"))
        _, tests = unit_tests("fleet.rules.yml")
        for name in recorded():
            self.assertIn(name, shown)
            if name != "fleet:tegu_job_duration_seconds:p99_5m":
                self.assertIn("expr: " + name + "\n", tests)

    def test_of_the_texts_of_the_rules(self):
        """A rule's text may use labels that its own expression has."""
        for name in RULES:
            rules = re.split(r"- (?:alert|record): ", read(name))[1:]
            self.assertEqual(len(rules), len(rule_expressions(name)))
            for rule, expression in zip(rules, rule_expressions(name)):
                for label in re.findall(r"\$labels\.(\w+)", rule):
                    self.assertIn(label, self.check(expression), rule)

    def test_of_the_dashboard(self):
        for name in DASHBOARDS:
            self.assertGreater(len(targets(name)), 20)
            for panel, target in targets(name):
                known = self.check(target["expr"])
                for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                    self.assertIn(label, known, panel["title"])

    def test_values_that_no_sound_daemon_shows_are_words_of_the_lists(self):
        with open(os.path.join(os.path.dirname(TESTS), "docs", "health.md"), encoding="utf-8") as page:
            codes = set(re.findall(r"^\| `(\w+)` \|", page.read(), re.M))
        for _, label, value in UNSHOWN:
            self.assertIn(value, codes if label == "code" else rawclient.STATUS_WORDS)

    def test_wrong_names_are_found(self):
        for expression in (
            "tegu_connections > 3",
            'tegu_jobs_total{state="OK"}',
            'tegu_jobs_total{status="FINE"}',
            "sum by (operations) (tegu_jobs_total)",
            "instance:tegu_jobs:rate1h",
        ):
            with self.assertRaises(AssertionError, msg=expression):
                self.check(expression)


class Dashboard(unittest.TestCase):
    def test_loads_and_its_panels_fit(self):
        for name in DASHBOARDS:
            self.check_panels(json.loads(read(name)))

    def check_panels(self, dashboard):
        identifiers = [panel["id"] for panel in dashboard["panels"]]
        self.assertEqual(len(identifiers), len(set(identifiers)))
        taken = set()
        for panel in dashboard["panels"]:
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            cells = {
                (x, y)
                for x in range(place["x"], place["x"] + place["w"])
                for y in range(place["y"], place["y"] + place["h"])
            }
            self.assertFalse(cells & taken, panel["title"] + " lies over another panel")
            taken |= cells

    def test_names_no_data_source_but_the_chosen_one(self):
        for name in DASHBOARDS:
            variables = {each["name"] for each in json.loads(read(name))["templating"]["list"]}
            self.assertEqual(variables, {"datasource", "instance"})
            for panel, target in targets(name):
                for of in (panel, target):
                    self.assertEqual(of["datasource"]["uid"], "${datasource}", panel["title"])
                used = set(re.findall(r"\$(\w+)", target["expr"]))
                self.assertLessEqual(used, variables | {"__rate_interval"}, panel["title"])

    def test_the_fleet_is_shown_by_board(self):
        for panel in panels("fleet.dashboard.json"):
            for target in panel["targets"]:
                if panel["type"] != "stat":
                    self.assertIn("$instance", target["expr"], panel["title"])
        links = json.loads(read("fleet.dashboard.json"))["links"]
        self.assertEqual(links[0]["url"], "/d/" + json.loads(read("tegu.dashboard.json"))["uid"])


@unittest.skipIf(PROMTOOL is None, "promtool is not installed")
class Promtool(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tegu-rules-")
        self.addCleanup(shutil.rmtree, self.folder)
        for name in os.listdir(MONITORING):
            shutil.copy(os.path.join(MONITORING, name), self.folder)

    def promtool(self, *arguments):
        return subprocess.run(
            (PROMTOOL,) + arguments,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )

    def test_likes_the_rules_and_the_examples(self):
        for arguments in [("check", "rules", name) for name in RULES] + [
            ("check", "config", "prometheus.yml"),
            ("check", "config", "fleet.prometheus.yml"),
        ]:
            done = self.promtool(*arguments)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_list_of_boards_that_is_wrong_is_found(self):
        with open(os.path.join(self.folder, "fleet.boards.yml"), "a") as out:
            out.write("- boards: [x]\n")
        self.assertNotEqual(self.promtool("check", "config", "fleet.prometheus.yml").returncode, 0)

    def test_a_board_is_called_by_its_name(self):
        """promtool shows what becomes of the labels of each target."""
        done = self.promtool("check", "service-discovery", "fleet.prometheus.yml", "tegu")
        self.assertEqual(done.returncode, 0, done.stdout)
        names = re.findall(r'"instance": "([^"]*)"', done.stdout)
        self.assertEqual(set(names), {"nano-1", "nano-2", "orin-1"})

    def test_the_rules_do_what_they_should(self):
        for name, tests in RULES.items():
            shutil.copy(unit_tests(name)[0], self.folder)
            done = self.promtool("test", "rules", tests)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_unit_tests_can_fail(self):
        for name, found, other in (
            ("tegu.rules.yml", "> 0.05", "> 0.5"),
            ("fleet.rules.yml", "> 4 *", "> 400 *"),
        ):
            shutil.copy(unit_tests(name)[0], self.folder)
            self.assertIn(found, read(name))
            with open(os.path.join(self.folder, name), "w") as out:
                out.write(read(name).replace(found, other))
            self.assertNotEqual(self.promtool("test", "rules", RULES[name]).returncode, 0)

    def test_every_alert_has_a_unit_test(self):
        for name in RULES:
            alerts = re.findall(r"- alert: (\w+)", read(name))
            tested = set(re.findall(r'alertname="(\w+)"', unit_tests(name)[1]))
            self.assertEqual(set(alerts), tested)

    def test_parses_the_queries_of_the_dashboard(self):
        with open(os.path.join(self.folder, "queries.yml"), "w") as out:
            out.write("groups:\n- name: dashboard\n  rules:\n")
            everything = [target for name in DASHBOARDS for target in targets(name)]
            for number, (_, target) in enumerate(everything):
                query = target["expr"].replace("$__rate_interval", "5m")
                out.write("  - record: query%d\n    expr: %s\n" % (number, json.dumps(query)))
        done = self.promtool("check", "rules", "queries.yml")
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
