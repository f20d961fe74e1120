#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The metrics of a running tegud under the rules of OpenMetrics, where a counter `x_total` is the family `x`:
no two families may share a name. The strict parser of prometheus_client reads them where it is installed."""

import os
import socket
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "health"))
from daemon_test import NAMES, Board
from scrape_test import SCRAPE, with_port

try:
    from prometheus_client import parser as text_parser
    from prometheus_client.openmetrics import parser as strict_parser
except ImportError:
    text_parser = strict_parser = None

ONLY_WITH_PARSER = unittest.skipIf(strict_parser is None, "needs the Python module prometheus_client")
# What a family of each type takes of the names, besides its own.
SUFFIXES = {
    "counter": ("_total", "_created"),
    "histogram": ("_bucket", "_sum", "_count", "_created"),
    "gauge": (),
}


def strict(text):
    """The same metrics in OpenMetrics: a counter's family has no `_total`, and there is an end."""
    lines = []
    for line in text.splitlines():
        words = line.split(" ", 3)
        if words[:2] == ["#", "TYPE"] and words[3] == "counter":
            if not words[2].endswith("_total"):
                raise ValueError("a counter without _total: " + line)
            help_line = lines[-1].split(" ", 3)
            if help_line[:3] != ["#", "HELP", words[2]]:
                raise ValueError("no HELP before " + line)
            name = words[2][: -len("_total")]
            lines[-1] = " ".join(["#", "HELP", name, help_line[3]])
            line = " ".join(["#", "TYPE", name, "counter"])
        lines.append(line)
    return "\n".join(lines + ["# EOF", ""])


def clashes(text):
    """Names that two families take."""
    owners, found = {}, []
    for line in strict(text).splitlines():
        words = line.split(" ")
        if words[:2] != ["#", "TYPE"]:
            continue
        for name in [words[2]] + [words[2] + suffix for suffix in SUFFIXES[words[3]]]:
            if name in owners:
                found.append("%s: %s and %s" % (name, owners[name], words[2]))
            owners[name] = words[2]
    return found


def busy(daemon):
    """Jobs of several operations, good and bad, so that families with labels have samples."""
    path = os.path.join(daemon.folder, "values.raw")
    with open(path, "wb") as out:
        out.write(bytes(range(256)) * 16)
    raw = ["--dtype", "u8", path]
    for command in (["reduce"], ["topk", "-k", "3"], ["histogram"], ["entropy"], ["quantile", "-q", "0.5"]):
        assert daemon.tegu(*(command + raw)).returncode == 0, command
    assert daemon.tegu("topk", "-k", "100000", "--dtype", "u8", path).returncode == 65


class BusyDaemon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon, port = with_port('executor.backend = "cpu"\nmetrics.listen = "127.0.0.1:%d"\n')
        busy(cls.daemon)
        cls.printed = cls.daemon.tegu("metrics").stdout.decode()
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(SCRAPE)
            answer = b"".join(iter(lambda: client.recv(65536), b"")).decode()
        cls.scraped = answer.partition("\r\n\r\n")[2]

    @classmethod
    def tearDownClass(cls):
        cls.daemon.remove()

    def test_no_names_clash(self):
        for text in (self.printed, self.scraped):
            self.assertIn("tegu_connections_open ", text)
            self.assertEqual(clashes(text), [])

    def test_a_clash_is_found(self):
        self.assertEqual(
            clashes(
                "# HELP a A.\n# TYPE a gauge\na 1\n# HELP a_total A.\n# TYPE a_total counter\na_total 1\n"
            ),
            ["a: a and a"],
        )

    @ONLY_WITH_PARSER
    def test_a_strict_parser_reads_all(self):
        for text in (self.printed, self.scraped):
            samples = {}
            for family in strict_parser.text_string_to_metric_families(strict(text)):
                self.assertTrue(family.documentation, family.name)
                for sample in family.samples:
                    samples.setdefault(sample.name, []).append(sample)
            self.assertEqual(
                sum(map(len, samples.values())), sum(not line.startswith("#") for line in text.splitlines())
            )
            operations = {sample.labels["operation"] for sample in samples["tegu_jobs_total"]}
            self.assertTrue({"reduce", "topk", "histogram", "entropy", "quantile"} <= operations, operations)

    @ONLY_WITH_PARSER
    def test_the_parser_of_the_text_format_reads_the_same(self):
        for text in (self.printed, self.scraped):
            plain = list(text_parser.text_string_to_metric_families(text))
            exact = list(strict_parser.text_string_to_metric_families(strict(text)))
            self.assertEqual([family.name for family in plain], [family.name for family in exact])
            self.assertEqual([family.samples for family in plain], [family.samples for family in exact])

    @ONLY_WITH_PARSER
    def test_the_strict_parser_refuses_a_clash(self):
        text = self.printed.replace("tegu_connections_open", "tegu_connections")
        self.assertEqual(len(clashes(text)), 1)
        with self.assertRaises(ValueError):
            list(strict_parser.text_string_to_metric_families(strict(text)))


class EveryBoard(unittest.TestCase):
    """Boards have families that this machine lacks: rails, fans, throttling."""

    def test_no_names_clash(self):
        for name in NAMES:
            with self.subTest(board=name), Board(name) as board:
                text = board.tegu("metrics").stdout
                self.assertEqual(clashes(text), [])
                if strict_parser is not None:
                    families = list(strict_parser.text_string_to_metric_families(strict(text)))
                    self.assertIn("tegu_temperature_celsius", [family.name for family in families])


if __name__ == "__main__":
    unittest.main()
