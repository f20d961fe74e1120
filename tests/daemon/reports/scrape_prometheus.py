#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real Prometheus scrapes a running tegud, with nothing between them, and three of them with the files of
config/monitoring for a fleet. Run by hand:
    TEGU_BUILD_DIR=build/release tests/daemon/reports/scrape_prometheus.py
Needs the programs prometheus and promtool (Debian: prometheus), takes some seconds. Exit 77 without them."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from scrape_test import Daemon, free_port, PATIENCE

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
MONITORING = os.path.join(SOURCE, "config", "monitoring")
CONFIG = """global: {scrape_interval: 1s}
scrape_configs:
  - job_name: tegu
    static_configs: [{targets: ["127.0.0.1:%d"]}]
"""
SCRAPES = 5


class Prometheus(unittest.TestCase):
    def start(self, config):
        """A Prometheus with this configuration; its files lie beside it."""
        self.port, folder = free_port(), os.path.dirname(config)
        log = open(os.path.join(folder, "prometheus.log"), "w")
        self.addCleanup(log.close)
        self.prometheus = subprocess.Popen(
            [
                "prometheus",
                "--config.file=" + config,
                "--storage.tsdb.path=" + os.path.join(folder, "data"),
                "--web.listen-address=127.0.0.1:%d" % self.port,
            ],
            stdout=log,
            stderr=log,
        )
        self.addCleanup(self.prometheus.wait)
        self.addCleanup(self.prometheus.terminate)

    def tegud(self, address):
        daemon = Daemon('[metrics]\nlisten = "%s"\n' % address)
        self.addCleanup(daemon.remove)
        return daemon

    def api(self, path, **query):
        url = "http://127.0.0.1:%d/api/v1/%s?%s" % (self.port, path, urllib.parse.urlencode(query))
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return json.loads(answer.read().decode())["data"]

    def value(self, query):
        """Of the only series; None while there is none."""
        try:
            found = self.api("query", query=query)["result"]
        except (urllib.error.URLError, ConnectionError):
            return None
        return float(found[0]["value"][1]) if len(found) == 1 else None

    def wait_for(self, query, least):
        end = time.monotonic() + PATIENCE
        while (self.value(query) or 0) < least:
            self.assertLess(time.monotonic(), end, "%s is %s" % (query, self.value(query)))
            time.sleep(0.1)


class OneTest(Prometheus):
    def setUp(self):
        target = free_port()
        self.daemon = self.tegud("127.0.0.1:%d" % target)
        config = os.path.join(self.daemon.folder, "prometheus.yml")
        with open(config, "w") as out:
            out.write(CONFIG % target)
        self.start(config)

    def test_it_is_scraped(self):
        self.wait_for("count_over_time(up[5m])", SCRAPES)
        self.assertEqual(self.value("min_over_time(up[5m])"), 1)
        (target,) = self.api("targets")["activeTargets"]
        self.assertEqual((target["health"], target["lastError"]), ("up", ""))
        self.assertEqual(self.value("tegu_build_info"), 1)
        self.assertEqual(self.value("sum(tegu_health_state)"), 1)
        before = self.value("tegu_requests_total")
        self.daemon.tegu("ping", "-c", "10", "-i", "0")
        self.wait_for("tegu_requests_total", before + 10)
        print(
            "%d samples a scrape, %.1f ms each"
            % (
                self.value("scrape_samples_scraped"),
                1000 * self.value("avg_over_time(scrape_duration_seconds[5m])"),
            )
        )

    def test_it_sees_a_stop(self):
        self.wait_for("up", 1)
        self.daemon.stop()
        self.wait_for("1 - up", 1)


class FleetTest(Prometheus):
    """Three boards on addresses of their own, as a board is called by its address without the port."""

    def setUp(self):
        port = free_port()
        self.boards = ["127.0.0.%d" % number for number in (1, 2, 3)]
        self.daemons = [self.tegud("%s:%d" % (board, port)) for board in self.boards]
        self.folder = tempfile.mkdtemp(prefix="tegu-fleet-")
        self.addCleanup(shutil.rmtree, self.folder)
        for name in os.listdir(MONITORING):
            shutil.copy(os.path.join(MONITORING, name), self.folder)
        self.list_boards(self.boards[:2], port)
        config = os.path.join(self.folder, "fleet.prometheus.yml")
        with open(config) as file:
            text = file.read()
        with open(config, "w") as out:
            out.write(text.replace(": 15s", ": 1s"))
        self.start(config)
        self.port_of_boards = port

    def list_boards(self, boards, port):
        with open(os.path.join(self.folder, "fleet.boards.yml"), "w") as out:
            out.write("- targets: [%s]\n" % ", ".join('"%s:%d"' % (board, port) for board in boards))
            out.write("  labels: {site: here}\n")

    def test_boards_come_work_and_go(self):
        self.wait_for("fleet:tegu_boards_up:count", 2)
        self.list_boards(self.boards, self.port_of_boards)  # no reload: the list is read again
        self.wait_for("fleet:tegu_boards:count", 3)
        self.wait_for("fleet:tegu_boards_up:count", 3)
        self.assertEqual(self.value('up{instance="127.0.0.3",site="here"}'), 1)
        picture = os.path.join(SOURCE, "tests", "data", "camera.pgm")
        end = time.monotonic() + PATIENCE
        while not (self.value('instance:tegu_jobs:rate5m{instance="127.0.0.2"}') or 0) > 0:
            self.assertLess(time.monotonic(), end)
            self.assertEqual(self.daemons[1].tegu("reduce", picture).returncode, 0)
            time.sleep(0.2)
        self.assertEqual(self.value('instance:tegu_jobs:rate5m{instance="127.0.0.1"} or vector(0)'), 0)
        self.daemons[2].stop()
        self.wait_for("fleet:tegu_boards:count - fleet:tegu_boards_up:count", 1)
        self.wait_for('count(ALERTS{alertname="FleetBoardsDown",alertstate="pending"})', 1)


if __name__ == "__main__":
    if shutil.which("prometheus") is None:
        print("skipped: needs prometheus")
        sys.exit(77)
    unittest.main()
