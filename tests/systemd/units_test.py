#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The units and drop-ins as files: systemd-analyze finds nothing to say, the exposure stays low, and the
traps are avoided that no tool sees."""

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

# Exposure, ten times what `systemd-analyze security` shows. 7 now; without CapabilityBoundingSet= alone it
# would be 26.
MOST_EXPOSURE = 10
FIRST_WITH_OFFLINE_SECURITY = 250
# Groups of system calls that systemd 237 knows: an unknown one in an allow list would leave next to nothing
# allowed there.
CALL_GROUPS_OF_237 = set(
    "@aio @basic-io @chown @clock @cpu-emulation @debug @default @file-system @io-event @ipc "
    "@keyring @memlock @module @mount @network-io @obsolete @privileged @process @raw-io @reboot "
    "@resources @setuid @signal @swap @sync @timer".split()
)


# Settings of ours that systemd 237 does not know (`systemd --dump-configuration-items` of Ubuntu 18.04 lists
# what it does), and since when.
NEWER_SETTINGS = {
    "ExecPaths": 248,
    "NoExecPaths": 248,
    "OOMPolicy": 243,
    "PrivateIPC": 248,
    "PrivateMounts": 239,
    "ProcSubset": 247,
    "ProtectClock": 245,
    "ProtectHostname": 242,
    "ProtectKernelLogs": 244,
    "ProtectProc": 247,
    "ReloadSignal": 253,
    "RestrictSUIDSGID": 242,
}
# Those that it knows, of sections where we use newer ones.
SETTINGS_OF_237 = set(
    "AmbientCapabilities CapabilityBoundingSet Delegate DeviceAllow DevicePolicy Environment "
    "ExecReload ExecStart ExecStartPre FileDescriptorStoreMax Group IPAddressDeny KeyringMode "
    "LimitCORE LimitNOFILE LockPersonality LogExtraFields LogLevelMax MemoryAccounting "
    "MemoryDenyWriteExecute MemoryMax NoNewPrivileges NotifyAccess OOMScoreAdjust PrivateDevices "
    "PrivateNetwork PrivateTmp PrivateUsers ProtectControlGroups ProtectHome ProtectKernelModules "
    "ProtectKernelTunables ProtectSystem RemoveIPC Restart RestartPreventExitStatus RestartSec "
    "RestrictAddressFamilies RestrictNamespaces RestrictRealtime RuntimeDirectory "
    "RuntimeDirectoryMode RuntimeDirectoryPreserve StateDirectory StateDirectoryMode "
    "SuccessExitStatus SupplementaryGroups SystemCallArchitectures SystemCallErrorNumber "
    "SystemCallFilter TimeoutStartSec TimeoutStopSec Type UMask User WatchdogSec".split()
)


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


def dropins():
    """The names of all drop-ins."""
    return sorted(os.listdir(os.path.join(SYSTEMD, "dropins")))


def needs(name):
    """The version of systemd that a drop-in is for, by its name."""
    found = re.search(r"-(\d+)\.conf$", name)
    return int(found.group(1)) if found else 237


def read_dropin(name):
    return read_unit(os.path.join(BUILD, "systemd", "dropins", name))


def systemd_version():
    if shutil.which("systemd-analyze") is None:
        return 0
    text = subprocess.run(
        ["systemd-analyze", "--version"], stdout=subprocess.PIPE, universal_newlines=True
    ).stdout
    found = re.search(r"systemd (\d+)", text)
    return int(found.group(1)) if found else 0


class Units(unittest.TestCase):
    def setUp(self):
        self.service = read_unit(os.path.join(BUILD, "systemd", "tegud.service"))
        self.textfile = read_unit(os.path.join(BUILD, "systemd", "tegud-textfile.service"))
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
        """systemd removes a RuntimeDirectory when the service stops, with the socket of the socket unit in
        it."""
        folder = os.path.dirname(values(self.socket, "ListenStream")[0])
        for directory in " ".join(values(self.service, "RuntimeDirectory")).split():
            self.assertFalse((folder + "/").startswith("/run/%s/" % directory), directory)

    def test_state_directory_is_named_before_240(self):
        self.assertIn(
            "STATE_DIRECTORY=%S/" + values(self.service, "StateDirectory")[0],
            values(self.service, "Environment"),
        )

    def test_socket_is_for_the_group_alone(self):
        self.assertEqual(values(self.socket, "SocketMode"), ["0660"])
        self.assertEqual(values(self.socket, "SocketGroup"), ["tegu-clients"])

    def test_users_and_groups_are_made(self):
        with open(os.path.join(SYSTEMD, "sysusers.conf")) as conf:
            made = {tuple(line.split()[:2]) for line in conf if line.strip() and line[0] != "#"}
        self.assertIn(("u", values(self.service, "User")[0]), made)
        self.assertIn(("u", values(self.textfile, "User")[0]), made)
        self.assertEqual(values(self.textfile, "SupplementaryGroups"), values(self.socket, "SocketGroup"))
        self.assertIn(("g", values(self.socket, "SocketGroup")[0]), made)

    def test_type_is_known_since_237(self):
        """An unknown Type= reads as simple: the daemon would count as ready before it is."""
        self.assertEqual(values(self.service, "Type"), ["notify"])
        self.assertEqual(values(read_dropin("10-reload-253.conf"), "Type"), ["notify-reload"])

    def test_every_setting_is_known_where_it_is_installed(self):
        files = [
            (name, 237, read_unit(os.path.join(BUILD, "systemd", name)))
            for name in ("tegud.service", "tegud-textfile.service")
        ]
        files += [(name, needs(name), read_dropin(name)) for name in dropins()]
        for name, version, settings in files:
            for section, key, _ in settings:
                if section == "Service" and key not in SETTINGS_OF_237:
                    self.assertIn(key, NEWER_SETTINGS, name)
                    self.assertLessEqual(NEWER_SETTINGS[key], version, name + ": " + key)

    def test_an_administrators_dropin_has_the_last_word(self):
        """Drop-ins are read in the order of their names, wherever they lie; `systemctl edit` writes
        override.conf."""
        for name in dropins():
            self.assertLess(name, "override.conf")
        self.assertTrue(all(name.startswith(("10-", "50-")) for name in dropins()))

    def test_no_sandbox_takes_back_every_restriction(self):
        """A setting of the sandbox that it forgets would send a search for the culprit the wrong way."""
        ours = [name for name in dropins() if name.startswith("50-no-sandbox")]
        taken_back = {key for name in ours for _, key, _ in read_dropin(name)}
        kept = {
            "AmbientCapabilities",
            "Delegate",
            "PrivateDevices",
            "PrivateUsers",
            "ProcSubset",
            "SystemCallErrorNumber",
        }  # as without us, or without effect
        sandbox = set()
        for settings in [self.service] + [read_dropin(name) for name in dropins() if name.startswith("10-")]:
            sandbox |= {
                key
                for section, key, _ in settings
                if section == "Service"
                and re.match(
                    "Ambient|Capability|Delegate|Device|IPAddress|Keyring|Lock|NoNew|Private|Proc|Protect|"
                    "RemoveIPC|Restrict|SystemCall",
                    key,
                )
            }
        self.assertEqual(sandbox - taken_back - kept, set())
        self.assertEqual(taken_back - sandbox, set())

    def test_call_filter_is_known_since_237(self):
        for line in values(self.service, "SystemCallFilter") + values(self.textfile, "SystemCallFilter"):
            self.assertTrue(
                line.startswith("~"), "an allow list that an old systemd only half knows stops the daemon"
            )
            self.assertLessEqual(set(line[1:].split()), CALL_GROUPS_OF_237)

    def test_peers_and_gpu_stay_visible(self):
        """PrivateUsers would show every client as one uid, PrivateDevices would hide the GPU, ProcSubset=pid
        its driver."""
        self.assertEqual(values(self.service, "PrivateUsers"), ["no"])
        self.assertEqual(values(self.service, "PrivateDevices"), ["no"])
        self.assertEqual(values(read_dropin("10-sandbox-249.conf"), "ProcSubset"), ["all"])
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
    """What systemd-analyze says of the units with the drop-ins for its version, and programs replaced by one
    that is there."""

    def setUp(self):
        if systemd_version() == 0:
            self.skipTest("no systemd-analyze here")
        self.folder = tempfile.mkdtemp(prefix="tegu-units-")
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("tegud.service", "tegud-textfile.service"):
            self.copy(os.path.join(BUILD, "systemd", name), name)
        for name in ("tegud.socket", "tegud-metrics.socket", "tegud-textfile.timer"):
            shutil.copy(os.path.join(SYSTEMD, name), self.folder)
        for name in dropins():
            if name.startswith("10-"):
                self.add(name)

    def copy(self, source, name):
        with open(source) as unit:
            text = re.sub(
                r"(?m)^(ExecStart(?:Pre)?=[+-]*)\S+/(?:tegud?|nvidia-modprobe)(?= |$)",
                r"\1/bin/true",
                unit.read(),
            )
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as unit:
            unit.write(text)

    def add(self, name):
        """Adds a drop-in; False if it is for a newer systemd."""
        if needs(name) > systemd_version():
            return False
        for unit in (
            ("tegud",) if "-sandbox-" not in name or name.startswith("50-") else ("tegud", "tegud-textfile")
        ):
            self.copy(
                os.path.join(BUILD, "systemd", "dropins", name), os.path.join(unit + ".service.d", name)
            )
        return True

    def analyze(self, *arguments):
        environment = dict(
            os.environ, SYSTEMD_UNIT_PATH=self.folder + ":", SYSTEMD_LOG_LEVEL="warning", SYSTEMD_COLORS="0"
        )
        done = subprocess.run(
            ("systemd-analyze", "--no-pager") + arguments,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )
        return done.returncode, done.stdout

    def skip_unless_units_can_be_verified(self):
        """systemd-analyze starts a manager of its own for it, which needs control groups: a chroot may have
        none."""
        path = os.path.join(self.folder, "harmless.service")
        with open(path, "w") as unit:
            unit.write("[Service]\nExecStart=/bin/true\n")
        code, text = self.analyze("verify", "--man=no", path)
        if code != 0 and "Failed to initialize manager" in text:
            self.skipTest("systemd-analyze verifies no unit here: " + text.strip())

    def assert_verified(self):
        names = (
            "tegud.service",
            "tegud.socket",
            "tegud-metrics.socket",
            "tegud-textfile.service",
            "tegud-textfile.timer",
        )
        code, text = self.analyze("verify", "--man=no", *[os.path.join(self.folder, name) for name in names])
        self.assertEqual([line for line in text.splitlines() if "tegud" in line], [])
        self.assertEqual(code, 0, text)

    def test_verify(self):
        self.skip_unless_units_can_be_verified()
        self.assert_verified()
        os.makedirs(os.path.join(self.folder, "tegud.service.d"), exist_ok=True)
        with open(os.path.join(self.folder, "tegud.service.d", "99-wrong.conf"), "w") as wrong:
            wrong.write("[Service]\nProtectSytem=strict\n")
        with self.assertRaises(AssertionError):
            self.assert_verified()

    def test_verify_with_each_dropin(self):
        self.skip_unless_units_can_be_verified()
        for name in dropins():
            if name.startswith("50-"):
                with self.subTest(name):
                    if self.add(name):
                        self.assert_verified()
                        os.unlink(os.path.join(self.folder, "tegud.service.d", name))

    def test_exposure(self):
        if systemd_version() < FIRST_WITH_OFFLINE_SECURITY:
            self.skipTest("systemd-analyze %d has no --offline" % systemd_version())
        for name in ("tegud.service", "tegud-textfile.service"):
            path = os.path.join(self.folder, name)
            code, text = self.analyze("security", "--offline=true", "--threshold=%d" % MOST_EXPOSURE, path)
            self.assertEqual(code, 0, text)
            self.assertNotEqual(
                self.analyze("security", "--offline=true", "--threshold=0", path)[0],
                0,
                "the gate cannot fail",
            )


if __name__ == "__main__":
    if not BUILD:
        print("TEGU_BUILD_DIR names the build tree")
        sys.exit(77)
    unittest.main(verbosity=2)
