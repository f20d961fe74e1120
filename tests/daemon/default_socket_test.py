#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tegud without a socket to listen on: where it makes one for root and for another user, that clients find it
there, and that neither uses a folder which somebody else can change. Each case has a /run of its own."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = os.environ.get("TEGU_BUILD_DIR", "build/release")
PATIENCE = 60  # seconds, for a machine that is busy
NOBODY = 65534
EX_UNAVAILABLE, EX_NOPERM, EX_CONFIG = 69, 77, 78
SYSTEM = "/run/tegud/tegud.sock"
INSIDE = "TEGU_TEST_OWN_RUN"


def can_be(uid):
    return os.geteuid() in (0, uid) and uid in (0, NOBODY) and is_mapped(uid)


def is_mapped(uid):
    with open("/proc/self/uid_map") as ranges:
        starts = [list(map(int, line.split())) for line in ranges]
    return any(start <= uid < start + count for start, _, count in starts)


def become(uid):
    def change():
        if uid != os.geteuid():
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)

    return change


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tegu-default-", dir="/run")
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(shutil.rmtree, "/run/tegud", ignore_errors=True)
        self.settings = os.path.join(self.folder, "tegud.toml")
        with open(self.settings, "w") as out:
            out.write('executor.backend = "cpu"\n')
        self.daemons = []

    def tearDown(self):
        for daemon in self.daemons:
            if daemon.poll() is None:
                daemon.kill()
            daemon.wait()

    def runtime(self, uid, mode=0o700):
        """A runtime folder of that user."""
        folder = os.path.join(self.folder, "runtime-%d" % uid)
        os.mkdir(folder)
        os.chmod(folder, mode)
        if uid != os.geteuid():
            os.chown(folder, uid, uid)
        return folder

    def environment(self, runtime):
        mine = {
            name: value
            for name, value in os.environ.items()
            if name not in ("XDG_RUNTIME_DIR", "TEGU_SOCKET") and not name.startswith("LISTEN_")
        }
        if runtime is not None:
            mine["XDG_RUNTIME_DIR"] = runtime
        return mine

    def start(self, uid, runtime=None, *more):
        self.log = open(os.path.join(self.folder, "log"), "a+")  # a daemon's place in it is always the end
        self.addCleanup(self.log.close)
        daemon = subprocess.Popen(
            [os.path.join(BUILD, "bin", "tegud"), "--config", self.settings] + list(more),
            stdout=self.log,
            stderr=self.log,
            env=self.environment(runtime),
            preexec_fn=lambda: (os.umask(0o077), become(uid)()),
        )
        self.daemons.append(daemon)
        return daemon

    def lines(self):
        self.log.seek(0)
        return self.log.read().splitlines()

    def ping(self, uid, runtime=None):
        return subprocess.run(
            [os.path.join(BUILD, "bin", "tegu"), "ping"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            env=self.environment(runtime),
            preexec_fn=become(uid),
        )

    def serves(self, uid, runtime, path):
        daemon = self.start(uid, runtime)
        end = time.monotonic() + PATIENCE
        while self.ping(uid, runtime).returncode != 0:
            self.assertIsNone(daemon.poll(), self.lines())
            self.assertLess(time.monotonic(), end, self.lines())
            time.sleep(0.02)
        self.assertIn("ready on " + path, self.lines()[-1])
        self.assertTrue(stat.S_ISSOCK(os.stat(path).st_mode))
        return daemon

    def stops(self, daemon, path):
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.wait(PATIENCE), 0)
        self.assertFalse(os.path.exists(path))

    def refuses(self, code, wanted, uid, runtime=None):
        self.assertEqual(self.start(uid, runtime).wait(PATIENCE), code, self.lines())
        self.assertEqual(len(self.lines()), 1, self.lines())
        self.assertIn(wanted, self.lines()[0])


@unittest.skipUnless(can_be(0), "needs a user 0")
class Root(Case):
    def test_the_folder_is_made_as_tmpfiles_makes_it(self):
        daemon = self.serves(0, None, SYSTEM)
        made = os.stat("/run/tegud")
        self.assertEqual((stat.S_IMODE(made.st_mode), made.st_uid, made.st_gid), (0o755, 0, 0))
        self.stops(daemon, SYSTEM)
        self.stops(self.serves(0, None, SYSTEM), SYSTEM)  # the folder is there

    def test_a_runtime_folder_is_not_for_root(self):
        self.stops(self.serves(0, self.runtime(0), SYSTEM), SYSTEM)

    def test_a_folder_that_others_can_change_is_refused(self):
        os.mkdir("/run/tegud")
        os.chmod("/run/tegud", 0o777)
        self.refuses(EX_NOPERM, "/run/tegud can be written by others", 0)

    def test_what_is_no_folder_is_refused(self):
        self.addCleanup(os.unlink, "/run/tegud")
        os.symlink(self.folder, "/run/tegud")
        self.refuses(EX_CONFIG, "/run/tegud is no directory", 0)

    @unittest.skipUnless(can_be(NOBODY), "needs another user")
    def test_a_folder_of_another_user_is_refused(self):
        os.mkdir("/run/tegud")
        os.chown("/run/tegud", NOBODY, NOBODY)
        self.refuses(EX_NOPERM, "/run/tegud belongs to user 65534", 0)


@unittest.skipUnless(can_be(NOBODY), "needs another user")
class User(Case):
    def socket_in(self, runtime):
        return os.path.join(runtime, "tegud", "tegud.sock")

    def test_the_runtime_folder_is_used(self):
        runtime = self.runtime(NOBODY)
        daemon = self.serves(NOBODY, runtime, self.socket_in(runtime))
        made = os.stat(os.path.join(runtime, "tegud"))
        self.assertEqual((stat.S_IMODE(made.st_mode), made.st_uid), (0o700, NOBODY))
        self.assertEqual(self.ping(NOBODY).returncode, EX_UNAVAILABLE)  # without the variable
        self.stops(daemon, self.socket_in(runtime))

    def test_without_one_the_error_names_both(self):
        self.refuses(
            EX_CONFIG,
            "no place for the socket: /run/tegud does not exist; $XDG_RUNTIME_DIR is not set;"
            " name one with --socket",
            NOBODY,
        )

    def test_a_runtime_folder_of_another_user_is_refused(self):
        runtime = self.runtime(0)
        os.chmod(runtime, 0o755)
        self.refuses(EX_NOPERM, runtime + " belongs to user 0", NOBODY, runtime)

    def test_a_runtime_folder_that_others_can_change_is_refused(self):
        runtime = self.runtime(NOBODY, 0o777)
        self.refuses(EX_NOPERM, runtime + " can be written by others", NOBODY, runtime)

    def test_a_folder_for_the_socket_that_is_a_link_is_refused(self):
        runtime = self.runtime(NOBODY)
        os.symlink(self.folder, os.path.join(runtime, "tegud"))
        self.refuses(EX_CONFIG, "is no directory", NOBODY, runtime)

    def test_a_folder_of_the_system_that_may_be_written_goes_first(self):
        os.mkdir("/run/tegud")
        os.chown("/run/tegud", NOBODY, NOBODY)
        self.stops(self.serves(NOBODY, self.runtime(NOBODY), SYSTEM), SYSTEM)

    def test_settings_that_name_the_default_are_obeyed(self):
        with open(self.settings, "a") as out:
            out.write('socket.path = "%s"\n' % SYSTEM)
        self.refuses(EX_CONFIG, "socket %s: No such file or directory" % SYSTEM, NOBODY, self.runtime(NOBODY))

    def test_clients_are_not_lured(self):
        """Into a folder of somebody else, or one where somebody else can put a socket."""
        runtime = self.runtime(NOBODY)
        folder = os.path.join(runtime, "tegud")
        os.mkdir(folder)
        with socket.socket(socket.AF_UNIX) as lure:
            lure.bind(self.socket_in(runtime))
            lure.listen(1)
            lure.settimeout(0)
            os.chmod(self.socket_in(runtime), 0o666)
            for owner, mode in ((0, 0o755), (NOBODY, 0o777), (NOBODY, 0o770)):
                os.chown(folder, owner, owner)
                os.chmod(folder, mode)
                done = self.ping(NOBODY, runtime)
                self.assertEqual(done.returncode, EX_UNAVAILABLE, done)
                self.assertIn(SYSTEM, done.stderr)
                with self.assertRaises(BlockingIOError):
                    lure.accept()

    def test_the_socket_of_the_system_goes_first(self):
        runtime = self.runtime(NOBODY)
        own = self.serves(NOBODY, runtime, self.socket_in(runtime))
        system = self.serves(0, None, SYSTEM)
        os.chmod(SYSTEM, 0o666)
        self.stops(own, self.socket_in(runtime))
        self.assertEqual(self.ping(NOBODY, runtime).returncode, 0)
        self.stops(system, SYSTEM)


if __name__ == "__main__":
    if INSIDE not in os.environ:
        command = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        own_run = command + ["sh", "-c", 'mount -t tmpfs -o mode=755 tmpfs /run && exec "$@"', "sh"]
        if shutil.which("unshare") is None or subprocess.call(own_run + ["true"]) != 0:
            print("skipped: needs a mount namespace")
            sys.exit(77)
        arguments = own_run + [sys.executable, os.path.abspath(__file__)] + sys.argv[1:]
        os.execvpe(arguments[0], arguments, dict(os.environ, **{INSIDE: "1"}))
    unittest.main()
