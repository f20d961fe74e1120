#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A daemon in a wrong or hostile environment: what a service manager says with variables and descriptors is
garbage, missing, huge, or of another kind than it should be. Each is reported in one line, and the daemon
serves, or ends with the exit code that says why."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from rawclient import PATIENCE, PING, Connection, Daemon

BUILD = os.environ.get("TEGU_BUILD_DIR", "build/release")
EX_CONFIG = 78
UNSET = None


class Manager:
    """What is at the other end of $NOTIFY_SOCKET."""

    def __init__(self, path, abstract=False):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + path if abstract else path)
        self.socket.settimeout(PATIENCE)
        self.name = ("@" if abstract else "") + path

    def fill(self):
        """Until nothing more goes into its queue."""
        sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        sender.setblocking(False)
        sent = 0
        try:
            while True:
                sender.sendto(b"X=1", self.socket.getsockname())
                sent += 1
        except BlockingIOError:
            return sent
        finally:
            sender.close()

    def messages_until(self, wanted):
        """All that came, up to the first that has this line."""
        messages = []
        while not messages or wanted not in messages[-1].split("\n"):
            messages.append(self.socket.recv(65536).decode())
        return messages

    def close(self):
        self.socket.close()


class Environment(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tegud-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.path = os.path.join(self.folder, "s")
        with open(os.path.join(self.folder, "tegud.toml"), "w") as out:
            out.write('[executor]\nthreads = 1\nbackend = "cpu"\n')  # no GPU is missed
            out.write("[timeouts]\nhello_ms = 600000\n")  # no client is too slow

    def manager(self, **more):
        manager = Manager(
            os.path.join(self.folder, "manager") if not more else "tegud-test-%d" % os.getpid(), **more
        )
        self.addCleanup(manager.close)
        return manager

    def start(self, variables, descriptors=()):
        """A daemon with these variables (PID stands for its own process id) and with descriptors that become
        3, 4, ..."""
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        for name in (
            "NOTIFY_SOCKET",
            "WATCHDOG_USEC",
            "WATCHDOG_PID",
            "LISTEN_PID",
            "LISTEN_FDS",
            "LISTEN_FDNAMES",
            "STATE_DIRECTORY",
            "JOURNAL_STREAM",
        ):
            environment.pop(name, None)
        own = [name for name, value in variables.items() if value == "PID"]
        environment.update(
            {name: value for name, value in variables.items() if value is not UNSET and value != "PID"}
        )
        environment["CUDA_VISIBLE_DEVICES"] = ""

        def take_places():
            held = [os.dup2(fd, 100 + i) for i, fd in enumerate(descriptors)]
            for i, fd in enumerate(held):
                os.dup2(fd, 3 + i)
                os.close(fd)
            for name in os.listdir("/proc/self/fd"):  # what whoever runs the tests left open
                if int(name) >= 3 + len(descriptors) and os.path.exists("/proc/self/fd/" + name):
                    os.set_inheritable(int(name), False)

        # exec of the shell keeps its process id.
        command = "".join("export %s=$$; " % name for name in own) + 'exec "$0" "$@"'
        open(os.path.join(self.folder, "log"), "w").close()
        log = open(os.path.join(self.folder, "log"), "a+")  # the daemon's place in it is always the end
        process = subprocess.Popen(
            [
                "sh",
                "-c",
                command,
                os.path.join(BUILD, "bin/tegud"),
                "--config",
                os.path.join(self.folder, "tegud.toml"),
                "--socket",
                self.path,
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment,
            close_fds=False,
            preexec_fn=take_places,
        )
        self.addCleanup(log.close)
        self.addCleanup(process.wait)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        self.process, self.log = process, log
        return process

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def said(self):
        """Warnings and errors."""
        return [line for line in self.text().splitlines() if re.match("tegud: (warning|error): ", line)]

    def answers(self, path=None):
        if self.process.poll() is not None:
            raise AssertionError("tegud ended with %d: %s" % (self.process.returncode, self.said()))
        try:
            with Connection(path or self.path) as client:
                return client.request(PING).status == "OK"
        except (FileNotFoundError, ConnectionRefusedError):
            return False

    def serves(self, wanted, path=None):
        """It does, has said so much and no more, and stops in order. `wanted`: expressions, one for each
        line."""
        Daemon.wait_for(lambda: self.answers(path), "the daemon to answer")
        self.process.terminate()
        self.assertEqual(self.process.wait(PATIENCE), 0)
        said = self.said()
        self.assertEqual(len(said), len(wanted), said)
        for line, expression in zip(said, wanted):
            self.assertRegex(line, expression)

    def ends(self, code, wanted):
        self.assertEqual(self.process.wait(PATIENCE), code, self.said())
        self.assertRegex("\n".join(self.said()), wanted)

    # The service manager's socket.

    def test_notify_socket(self):
        file, stream = os.path.join(self.folder, "file"), os.path.join(self.folder, "stream")
        open(file, "w").close()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(listener.close)
        listener.bind(stream)
        listener.listen(1)
        ignored, untold = r"\$NOTIFY_SOCKET is ignored", "cannot be told through"
        for value, wanted in (
            (UNSET, []),
            ("", [ignored]),
            ("/", [ignored]),
            ("@", [ignored]),
            ("relative/path", [ignored]),
            ("/" + "x" * 107, [ignored]),
            ("@" + "x" * 5000, [ignored]),
            ("vsock:2:1234", [ignored]),
            ("/" + "x" * 100, [untold]),
            ("/missing/socket", [untold]),
            (file, [untold]),
            (stream, [untold]),
            (self.folder, [untold]),
            ("@nobody-is-here-%d" % os.getpid(), [untold]),
        ):
            with self.subTest(value=value):
                self.start({"NOTIFY_SOCKET": value})
                self.serves(wanted)

    def test_notify_socket_that_listens(self):
        for more in ({}, {"abstract": True}):
            with self.subTest(**more):
                manager = self.manager(**more)
                self.start({"NOTIFY_SOCKET": manager.name})
                ready = manager.messages_until("READY=1")[-1]
                self.assertRegex(ready, "STATUS=serving on %s: .*; health " % re.escape(self.path))
                self.serves([])
                stopping = manager.messages_until("STOPPING=1")
                self.assertFalse(any(message.startswith("READY=1") for message in stopping))

    def test_manager_that_does_not_read_is_told_later(self):
        """What must arrive waits, in order, and nothing else does."""
        manager = self.manager()
        filled = manager.fill()
        self.start({"NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "8000000"})
        Daemon.wait_for(self.answers, "the daemon to answer")
        self.process.send_signal(signal.SIGHUP)
        Daemon.wait_for(lambda: "settings read again" in self.text(), "a reload")
        messages = manager.messages_until("WATCHDOG=1")[filled:]
        kinds = [message.split("=")[0] for message in messages]
        self.assertEqual(kinds[:3], ["READY", "RELOADING", "READY"], kinds)
        self.serves(["does not read"])

    # The watchdog.

    def test_watchdog(self):
        wrong = "no watchdog: .WATCHDOG_"
        for usec, pid, wanted, pings in (
            ("8000000", UNSET, [], True),
            ("8000000", "PID", [], True),
            ("1", "PID", None, True),  # on a busy machine its executor may be late for that
            ("400000", "1", [], False),
            ("0", UNSET, [wrong], False),
            ("-5", UNSET, [wrong], False),
            ("soon", UNSET, [wrong], False),
            ("", UNSET, [wrong], False),
            ("18446744073709551615", UNSET, [wrong], False),
            ("31536000000000", UNSET, [], False),
            ("400000", "me", [wrong], False),
            ("400000", "-1", [wrong], False),
        ):
            with self.subTest(usec=usec, pid=pid):
                manager = self.manager()
                self.start({"NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": usec, "WATCHDOG_PID": pid})
                manager.messages_until("READY=1")
                if pings:
                    manager.messages_until("WATCHDOG=1")
                if wanted is None:
                    self.process.kill()
                    self.process.wait()
                else:
                    self.serves(wanted)
                if not pings:
                    self.assertNotIn("WATCHDOG=1", manager.messages_until("STOPPING=1"))
                manager.close()
                os.unlink(manager.name)

    def test_watchdog_without_a_manager(self):
        self.start({"WATCHDOG_USEC": "100000"})
        Daemon.wait_for(self.answers, "the daemon to answer")
        time.sleep(0.5)
        self.serves([])

    # Descriptors.

    def listener(self, kind=socket.SOCK_STREAM, family=socket.AF_UNIX, listens=True):
        made = socket.socket(family, kind)
        self.addCleanup(made.close)
        made.bind(
            os.path.join(self.folder, "l%d" % made.fileno()) if family == socket.AF_UNIX else ("127.0.0.1", 0)
        )
        if listens:
            made.listen(8)
        return made

    def test_listen_variables(self):
        one = self.listener()
        inherited = one.getsockname()
        for pid, count, names, wanted, path in (
            ("PID", "1", "tegud", [], inherited),
            ("PID", "1", UNSET, [], inherited),
            ("PID", "1", "", [], inherited),
            ("PID", "1", "tegud:more:and more", [], inherited),
            ("PID", "1", "\x01\x7f" + "n" * 5000, [], inherited),
            ("PID", "1", ":" * 1000, [], inherited),
            ("PID", "0", "tegud", [], None),
            (UNSET, "1", "tegud", [], None),
            ("1", "1", "tegud", [], None),
            ("PID", UNSET, "tegud", [], None),
            ("me", "1", "tegud", ["LISTEN_PID"], None),
            ("-1", "1", "tegud", ["LISTEN_PID"], None),
            ("PID", "one", "tegud", ["LISTEN_FDS"], None),
            ("PID", "-1", "tegud", ["LISTEN_FDS"], None),
            ("PID", "", "tegud", ["LISTEN_FDS"], None),
            ("PID", "1e3", "tegud", ["LISTEN_FDS"], None),
            ("PID", "3", "tegud", ["2 of the descriptors of .LISTEN_FDS were not passed"], inherited),
            ("PID", "4000000000", "tegud", ["LISTEN_FDS is above 65536"], inherited),
            ("PID", "99999999999999999999999", "tegud", ["LISTEN_FDS"], None),
        ):
            with self.subTest(pid=pid, count=count, names=names):
                self.start({"LISTEN_PID": pid, "LISTEN_FDS": count, "LISTEN_FDNAMES": names}, [one.fileno()])
                self.serves(wanted, path)

    def test_descriptors_of_another_kind(self):
        pipe, file = os.pipe(), os.open(self.folder, os.O_RDONLY)
        for fd in pipe + (file,):
            self.addCleanup(os.close, fd)
        for made in (
            pipe[0],
            pipe[1],
            file,
            self.listener(socket.SOCK_DGRAM, listens=False).fileno(),
            self.listener(socket.SOCK_SEQPACKET).fileno(),
            self.listener(family=socket.AF_INET).fileno(),
            self.listener(listens=False).fileno(),
        ):
            with self.subTest(what=os.readlink("/proc/self/fd/%d" % made)):
                self.start({"LISTEN_PID": "PID", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "tegud"}, [made])
                self.ends(EX_CONFIG, "none of the inherited descriptors is a listening Unix stream socket")

    def test_descriptors_too_many(self):
        one, other = self.listener(), self.listener()
        pipe = os.pipe()
        for fd in pipe:
            self.addCleanup(os.close, fd)
        second, no_listener = (
            "closed a second inherited socket",
            "closed an inherited descriptor that is no listening",
        )
        for descriptors, wanted in (
            ([one, one], [second]),
            ([one, other], [second]),
            ([one, pipe[0]], [no_listener]),
            ([pipe[0], one, pipe[1]], [no_listener, no_listener]),
        ):
            with self.subTest(descriptors=descriptors):
                numbers = [each if isinstance(each, int) else each.fileno() for each in descriptors]
                self.start(
                    {"LISTEN_PID": "PID", "LISTEN_FDS": str(len(numbers)), "LISTEN_FDNAMES": "a:b:c"}, numbers
                )
                self.serves(wanted, one.getsockname())

    # The rest.

    def test_state_directory_and_journal(self):
        fifo = os.path.join(self.folder, "fifo")
        os.mkfifo(fifo)
        for variables in (
            {"STATE_DIRECTORY": ""},
            {"STATE_DIRECTORY": "relative"},
            {"STATE_DIRECTORY": "/missing"},
            {"STATE_DIRECTORY": fifo},
            {"STATE_DIRECTORY": "/" + "x" * 5000},
            {"STATE_DIRECTORY": ":::"},
            {"JOURNAL_STREAM": ""},
            {"JOURNAL_STREAM": "8:" + "9" * 100},
            {"JOURNAL_STREAM": "garbage"},
            {"TEGU_CPU_ISA": "garbage"},
        ):
            with self.subTest(**variables):
                self.start(variables)
                self.serves([])


if __name__ == "__main__":
    unittest.main()
