# SPDX-License-Identifier: Apache-2.0
"""What scenarios have in common that service_test.py plays inside its namespaces, where PID 1 is systemd and
the units are the shipped ones."""

import json
import os
import re
import subprocess
import sys
import time
import unittest

CLIENT = "/opt/tegu/bin/load_client"
DAEMON = "/opt/tegu/sbin/tegud"
TEGU = "/opt/tegu/bin/tegu"
SOCKET = "/run/tegud/tegud.sock"
SETTINGS = "/etc/tegud/tegud.toml"
DROP_INS = "/opt/tegu/work/units/tegud.service.d"
FRIEND, STRANGER = 4101, 4102


def run(*command, **more):
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, **more
    )


def systemctl(*arguments):
    done = run("systemctl", "--no-pager", *arguments)
    if done.returncode != 0:
        raise AssertionError(
            "systemctl %s: exit %d\n%s" % (" ".join(arguments), done.returncode, done.stdout)
        )
    return done.stdout


def show(name, unit="tegud.service"):
    return systemctl("show", "--property=" + name, unit).strip().split("=", 1)[1]


def stats():
    return json.loads(run(TEGU, "stats", "--json").stdout)["stats"]


def wait_for(what, condition, seconds=180):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("not within %d s: %s" % (seconds, what))
        time.sleep(0.02)


def wait_until_stored(count):
    """So many buffers of a client, and all that its library has besides, are in the descriptor store."""

    def all_are():
        now = stats()
        return now["buffers_stored"] == now["buffers"] >= count

    wait_for("buffers in the store", all_are)


def as_user(uid):
    """For preexec_fn: become the user, with the groups that the user tables give."""
    import pwd

    user = pwd.getpwuid(uid)

    def become():
        os.initgroups(user.pw_name, user.pw_gid)
        os.setgid(user.pw_gid)
        os.setuid(uid)

    return become


class Holder:
    """A client that keeps its connection, and does what it is told."""

    def __init__(self, reconnect_ms=60000, uid=FRIEND):
        self.process = subprocess.Popen(
            [CLIENT, "hold", str(reconnect_ms)],
            preexec_fn=as_user(uid),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )
        self.hello = self.process.stdout.readline().strip()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self):
        return self.process.stdout.readline().strip()

    def ask(self, line):
        self.tell(line)
        return self.answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Service(unittest.TestCase):
    """Each scenario begins with the socket listening, no daemon, no settings file, and no failures
    remembered."""

    def setUp(self):
        self.clients, self.added = [], set()
        systemctl("stop", "tegud.socket", "tegud.service", "tegud-alone.service")
        systemctl("reset-failed")
        if os.path.exists(SETTINGS):
            os.unlink(SETTINGS)
        run("journalctl", "--rotate", "--vacuum-time=1s")
        self.cursor = self.journal("--show-cursor", "--lines=1").rsplit("-- cursor: ", 1)[-1].strip()
        systemctl("start", "tegud.socket")

    def tearDown(self):
        for client in self.clients:
            client.close()
        if self.added:
            self.remove_drop_ins()

    def holder(self, **more):
        client = Holder(**more)
        self.clients.append(client)
        self.assertEqual(client.hello, "ready")
        return client

    def load(self, seconds, seed):
        process = subprocess.Popen(
            [CLIENT, "run", str(seconds), str(seed)], stdout=subprocess.PIPE, universal_newlines=True
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def loads(self, seconds, count):
        """So many, once all have connected."""
        processes = [self.load(seconds, seed) for seed in range(count)]
        wait_for("the load", lambda: stats()["connections"] >= count)
        return processes

    def journal(self, *arguments):
        return run("journalctl", "--no-pager", "--quiet", *arguments).stdout

    def messages(self):
        run("journalctl", "--sync")
        return self.journal("--unit=tegud.service", "--output=cat", "--after-cursor=" + self.cursor)

    def is_known(self, name):
        """Whether a drop-in NAME-VERSION.conf is for this systemd."""
        found = re.search(r"-(\d+)\.conf$", name)
        return not found or int(found.group(1)) <= int(systemctl("--version").split()[1])

    def drop_in(self, text, name="90-scenario.conf"):
        """Adds settings to the service until the scenario ends."""
        with open(os.path.join(DROP_INS, name), "w") as out:
            out.write("[Service]\n" + text if text[:1] not in "[#" else text)
        self.added.add(os.path.join(DROP_INS, name))
        systemctl("daemon-reload")

    def shipped_drop_in(self, name, pattern="", replacement=""):
        """One of ours, with every match of the pattern replaced."""
        with open("/opt/tegu/build/systemd/dropins/" + name) as shipped:
            text = shipped.read()
        changed = re.sub(pattern, replacement, text) if pattern else text
        self.assertTrue(not pattern or changed != text, pattern)
        self.drop_in(changed, name)

    def remove_drop_ins(self):
        for path in self.added:
            os.unlink(path)
        self.added.clear()
        systemctl("daemon-reload")

    def write_settings(self, text):
        os.makedirs(os.path.dirname(SETTINGS), exist_ok=True)
        with open(SETTINGS, "w") as out:
            out.write(text)


def main():
    """Of a file of scenarios. The only argument is a folder: `passed` is made there if all went well."""
    work = sys.argv.pop()
    begin = time.monotonic()
    result = unittest.main(verbosity=2, exit=False).result
    print("%.1f s" % (time.monotonic() - begin))
    if result.wasSuccessful() and result.testsRun > 0:
        open(os.path.join(work, "passed"), "w").close()
