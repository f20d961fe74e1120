#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegud-metrics.socket: scrapes of a daemon that has no network of its own. Played by service_test.py; not to
be run by hand."""

import os
import socket
import unittest
import urllib.error
import urllib.request

from inside import run, systemctl, show, wait_for, TEGU, Service, main

DROPIN = "/opt/tegu/work/units/tegud-metrics.socket.d/port.conf"
PATIENCE = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@unittest.skipUnless(__name__ == "__main__", "needs the systemd of service_test.py")
class Metrics(Service):
    def setUp(self):
        systemctl("stop", "tegud-metrics.socket")
        Service.setUp(self)
        # The network is the host's, and its port 9469 may be taken there.
        self.port = free_port()
        self.listen("ListenStream=\nListenStream=127.0.0.1:%d\n" % self.port)

    def tearDown(self):
        Service.tearDown(self)
        systemctl("stop", "tegud-metrics.socket", "tegud.socket", "tegud.service")

    def listen(self, lines):
        os.makedirs(os.path.dirname(DROPIN), exist_ok=True)
        with open(DROPIN, "w") as out:
            out.write("[Socket]\n" + lines)
        systemctl("daemon-reload")

    def scrape(self):
        with urllib.request.urlopen("http://127.0.0.1:%d/metrics" % self.port, timeout=PATIENCE) as answer:
            self.assertEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
            return answer.read().decode()

    def test_a_scrape_starts_the_daemon_and_is_answered_by_it(self):
        systemctl("start", "tegud-metrics.socket")
        self.assertEqual(show("ActiveState"), "inactive")
        self.assertIn("\ntegu_build_info{", self.scrape())
        self.assertEqual(show("ActiveState"), "active")
        self.assertIn("scrapes are answered on 127.0.0.1:%d" % self.port, self.messages())
        # Clients have theirs, and are in another network than the daemon.
        self.assertEqual(run(TEGU, "ping").returncode, 0)
        pid = show("MainPID")
        self.assertNotEqual(os.readlink("/proc/%s/ns/net" % pid), os.readlink("/proc/self/ns/net"))

    def test_it_outlives_the_daemon(self):
        systemctl("start", "tegud-metrics.socket")
        self.scrape()
        systemctl("restart", "tegud.service")
        self.assertIn("\ntegu_build_info{", self.scrape())
        os.kill(int(show("MainPID")), 9)
        wait_for("the restart", lambda: show("NRestarts") == "1" and show("ActiveState") == "active")
        self.assertIn("\ntegu_build_info{", self.scrape())

    def test_without_the_unit_nothing_listens(self):
        systemctl("start", "tegud.service")
        with self.assertRaises(urllib.error.URLError):
            self.scrape()
        self.assertNotIn("scrapes", self.messages())

    def test_the_setting_says_what_the_sandbox_does_not_allow(self):
        self.write_settings('[metrics]\nlisten = "127.0.0.1:%d"\n' % self.port)
        systemctl("start", "tegud.service")
        self.assertIn("no scrapes are answered: metrics.listen 127.0.0.1:%d: " % self.port, self.messages())
        self.assertIn("(under systemd the unit tegud-metrics.socket makes this socket)", self.messages())
        self.assertEqual(run(TEGU, "ping").returncode, 0)

    def test_a_unix_socket_of_the_unit(self):
        self.listen("ListenStream=\nListenStream=/run/tegud/metrics.sock\nSocketMode=0666\n")
        systemctl("start", "tegud-metrics.socket")
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE)
            client.connect("/run/tegud/metrics.sock")
            client.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = b"".join(iter(lambda: client.recv(65536), b""))
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 OK\r\n"))
        self.assertEqual(run(TEGU, "ping").returncode, 0)


if __name__ == "__main__":
    main()
