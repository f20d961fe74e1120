#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real Prometheus scrapes a running tegud, with nothing between them. Run by hand:
    TEGU_BUILD_DIR=build/release tests/daemon/reports/scrape_prometheus.py
Needs the programs prometheus and promtool (Debian: prometheus), takes some seconds. Exit 77 without them."""

import json
import os
import shutil
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from scrape_test import Daemon, free_port, PATIENCE

CONFIG = """global: {scrape_interval: 1s}
scrape_configs:
  - job_name: tegu
    static_configs: [{targets: ["127.0.0.1:%d"]}]
"""
SCRAPES = 5


class PrometheusTest(unittest.TestCase):
    def setUp(self):
        target, self.port = free_port(), free_port()
        self.daemon = Daemon('[metrics]\nlisten = "127.0.0.1:%d"\n' % target)
        self.addCleanup(self.daemon.remove)
        config = os.path.join(self.daemon.folder, "prometheus.yml")
        with open(config, "w") as out:
            out.write(CONFIG % target)
        log = open(os.path.join(self.daemon.folder, "prometheus.log"), "w")
        self.addCleanup(log.close)
        self.prometheus = subprocess.Popen(
            [
                "prometheus",
                "--config.file=" + config,
                "--storage.tsdb.path=" + os.path.join(self.daemon.folder, "data"),
                "--web.listen-address=127.0.0.1:%d" % self.port,
            ],
            stdout=log,
            stderr=log,
        )
        self.addCleanup(self.prometheus.wait)
        self.addCleanup(self.prometheus.terminate)

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


if __name__ == "__main__":
    if shutil.which("prometheus") is None:
        print("skipped: needs prometheus")
        sys.exit(77)
    unittest.main()
