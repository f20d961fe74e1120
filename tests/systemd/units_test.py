#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The units as files: systemd-analyze finds nothing to say, the exposure stays low, and the traps are avoided that no tool sees."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("TEGU_BUILD_DIR", "")
SYSTEMD = os.path.join(SOURCE, "systemd")

# Exposure, ten times what `systemd-analyze security` shows. 7 now; without CapabilityBoundingSet= alone it would be 26.
MOST_EXPOSURE = 10
FIRST_WITH_OFFLINE_SECURITY = 250
# Groups of system calls that systemd 237 knows: an unknown one in an allow list would leave next to nothing allowed there.
CALL_GROUPS_OF_237 = set(
    "@aio @basic-io @chown @clock @cpu-emulation @debug @default @file-system @io-event @ipc @keyring @memlock @module @mount "
    "@network-io @obsolete @privileged @process @raw-io @reboot @resources @setuid @signal @swap @sync @timer".split())


def read_unit(path):
    """The settings of a unit file: a list of (section, key, value)."""
    settings, section = [], None
    with open(path) as unit:
        for line in unit:
            line = line.strip()
            if not line or line[0] in "#;":
                continue
            if line[0] == "[":
                section = line[1:-1]
            else:
                key, value = line.split("=", 1)
                settings.append((section, key, value))
    return settings


def values(settings, key):
    return [value for _, name, value in settings if name == key]


def systemd_version():
    if shutil.which("systemd-analyze") is None:
        return 0
    text = subprocess.run(["systemd-analyze", "--version"], stdout=subprocess.PIPE, universal_newlines=True).stdout
    found = re.search(r"systemd (\d+)", text)
    return int(found.group(1)) if found else 0


class Units(unittest.TestCase):
    def setUp(self):
        self.service = read_unit(os.path.join(BUILD, "systemd", "tegud.service"))
        self.socket = read_unit(os.path.join(SYSTEMD, "tegud.socket"))

    def test_service_runs_the_installed_program(self):
        program = values(self.service, "ExecStart")[0].split()[0]
        self.assertTrue(os.path.isabs(program) and os.path.basename(program) == "tegud", program)
        self.assertNotIn("@", program)

    def test_socket_is_where_clients_look(self):
        with open(os.path.join(SOURCE, "client", "tegu.h")) as header:
            default = re.search(r'TEGU_DEFAULT_SOCKET "([^"]+)"', header.read()).group(1)
        self.assertEqual(values(self.socket, "ListenStream"), [default])

    def test_no_managed_directory_holds_the_socket(self):
        """systemd removes a RuntimeDirectory when the service stops, with the socket of the socket unit in it."""
        folder = os.path.dirname(values(self.socket, "ListenStream")[0])
        for directory in " ".join(values(self.service, "RuntimeDirectory")).split():
            self.assertFalse((folder + "/").startswith("/run/%s/" % directory), directory)

    def test_socket_is_for_the_group_alone(self):
        self.assertEqual(values(self.socket, "SocketMode"), ["0660"])
        self.assertEqual(values(self.socket, "SocketGroup"), ["tegu-clients"])

    def test_users_and_groups_are_made(self):
        with open(os.path.join(SYSTEMD, "sysusers.conf")) as conf:
            made = {tuple(line.split()[:2]) for line in conf if line.strip() and line[0] != "#"}
        self.assertIn(("u", values(self.service, "User")[0]), made)
        self.assertIn(("g", values(self.socket, "SocketGroup")[0]), made)

    def test_type_is_known_since_237(self):
        """An unknown Type= reads as simple: the daemon would count as ready before it is."""
        self.assertEqual(values(self.service, "Type"), ["notify"])
        self.assertEqual(values(read_unit(os.path.join(SYSTEMD, "tegud.service.d", "notify-reload.conf")), "Type"), ["notify-reload"])

    def test_call_filter_is_known_since_237(self):
        for line in values(self.service, "SystemCallFilter"):
            self.assertTrue(line.startswith("~"), "an allow list that an old systemd only half knows stops the daemon")
            self.assertLessEqual(set(line[1:].split()), CALL_GROUPS_OF_237)

    def test_peers_and_gpu_stay_visible(self):
        """PrivateUsers would show every client as one uid, PrivateDevices would hide the GPU, ProcSubset=pid its driver."""
        self.assertEqual(values(self.service, "PrivateUsers"), ["no"])
        self.assertEqual(values(self.service, "PrivateDevices"), ["no"])
        self.assertEqual(values(self.service, "ProcSubset"), ["all"])
        for device in values(self.service, "DeviceAllow"):
            self.assertFalse("*" in device and not device.startswith("char-"), "no globs in paths: " + device)

    def test_configuration_error_does_not_restart(self):
        self.assertEqual(values(self.service, "RestartPreventExitStatus"), ["78"])
        self.assertEqual(values(self.service, "Restart"), ["on-failure"])

    def test_stopping_gets_more_time_than_jobs(self):
        with open(os.path.join(SOURCE, "config", "tegud.toml")) as settings:
            stop_ms = int(re.search(r"^#stop_ms = (\d+)$", settings.read(), re.M).group(1))
        self.assertGreater(int(values(self.service, "TimeoutStopSec")[0]) * 1000, stop_ms)


class Analyzed(unittest.TestCase):
    """What systemd-analyze says, with the program replaced by one that is there."""

    def setUp(self):
        if systemd_version() == 0:
            self.skipTest("no systemd-analyze here")
        self.folder = tempfile.mkdtemp(prefix="tegu-units-")
        self.addCleanup(shutil.rmtree, self.folder)
        with open(os.path.join(BUILD, "systemd", "tegud.service")) as unit:
            text = re.sub(r"(?m)^ExecStart=.*$", "ExecStart=/bin/true", unit.read())
        with open(os.path.join(self.folder, "tegud.service"), "w") as unit:
            unit.write(text)
        shutil.copy(os.path.join(SYSTEMD, "tegud.socket"), self.folder)

    def analyze(self, *arguments):
        environment = dict(os.environ, SYSTEMD_UNIT_PATH=self.folder + ":", SYSTEMD_LOG_LEVEL="warning")
        done = subprocess.run(("systemd-analyze", "--no-pager") + arguments, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True)
        return done.returncode, done.stdout

    def test_verify(self):
        paths = [os.path.join(self.folder, name) for name in ("tegud.service", "tegud.socket")]
        code, text = self.analyze("verify", "--man=no", *paths)
        about_us = [line for line in text.splitlines() if "tegud" in line]
        self.assertEqual(about_us, [])
        self.assertEqual(code, 0, text)

    def test_exposure(self):
        if systemd_version() < FIRST_WITH_OFFLINE_SECURITY:
            self.skipTest("systemd-analyze %d has no --offline" % systemd_version())
        path = os.path.join(self.folder, "tegud.service")
        code, text = self.analyze("security", "--offline=true", "--threshold=%d" % MOST_EXPOSURE, path)
        self.assertEqual(code, 0, text)
        self.assertNotEqual(self.analyze("security", "--offline=true", "--threshold=0", path)[0], 0, "the gate cannot fail")


class Installed(unittest.TestCase):
    def test_files_lie_where_systemd_looks(self):
        folder = tempfile.mkdtemp(prefix="tegu-units-")
        self.addCleanup(shutil.rmtree, folder)
        done = subprocess.run(["cmake", "-DCMAKE_INSTALL_PREFIX=/usr", "-P", os.path.join(BUILD, "systemd", "cmake_install.cmake")],
                              env=dict(os.environ, DESTDIR=folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        for path in ("lib/systemd/system/tegud.service", "lib/systemd/system/tegud.socket", "lib/sysusers.d/tegud.conf"):
            self.assertTrue(os.path.exists(os.path.join(folder, "usr", path)), path)


if __name__ == "__main__":
    if not BUILD:
        print("TEGU_BUILD_DIR names the build tree")
        sys.exit(77)
    unittest.main(verbosity=2)
