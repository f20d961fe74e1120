#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The socket for scrapes, as Prometheus and as the unkind see it: what is answered, that it is what `tegu
metrics` prints, and that no connection keeps the daemon from its clients, nor a scrape from its answer for
long."""

import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from rawdaemon import open_descriptors  # noqa: E402

BUILD = os.environ["TEGU_BUILD_DIR"]
TEGU = os.path.join(BUILD, "bin", "tegu")
TEGUD = os.path.join(BUILD, "bin", "tegud")
PATIENCE = 60  # seconds, for a machine that is busy
SCRAPE = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain;version=0.0.4\r\n\r\n"
TIME_LIMIT = 5  # ScrapeServer::kTime
READING = 1  # seconds between two readings of the board
MAX_CONNECTIONS = 8  # ScrapeServer::kMax


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def with_port(settings):
    """A Daemon whose settings have a free port for %d, and that port. Another program may take it first."""
    while True:
        port = free_port()
        daemon = Daemon(settings % port)
        if "Address already in use" not in daemon.messages():
            return daemon, port
        daemon.remove()


class Daemon:
    """tegud with `settings`; %(folder)s in them is a folder of its own."""

    def __init__(self, settings, pass_fd=None):
        self.folder = tempfile.mkdtemp(prefix="tegu-scrape-")
        self.socket = os.path.join(self.folder, "tegud.sock")
        self.log = open(os.path.join(self.folder, "log"), "a+b")  # the daemon's place in it is always the end
        with open(os.path.join(self.folder, "tegud.toml"), "w") as out:
            out.write(settings % {"folder": self.folder})
        command = [TEGUD, "--config", os.path.join(self.folder, "tegud.toml"), "--socket", self.socket]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LISTEN_")}
        more = {}
        if pass_fd is not None:  # as systemd passes a socket: descriptor 3, with the pid and the name
            command = [
                "/bin/sh",
                "-c",
                'LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=metrics exec "$0" "$@"',
            ] + command
            more = {
                "preexec_fn": lambda: (os.dup2(pass_fd, 3), os.set_inheritable(3, True)),
                "close_fds": False,
            }
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=environment, **more)
        end = time.monotonic() + PATIENCE
        while self.tegu("ping").returncode != 0:
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("tegud did not start: " + self.messages())
            time.sleep(0.02)

    def tegu(self, *arguments):
        return subprocess.run(
            [TEGU] + list(arguments) + ["--socket", self.socket],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def messages(self):
        self.log.seek(0)
        return self.log.read().decode()

    def descriptors(self):
        return open_descriptors(self.process.pid)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def remove(self):
        self.stop()
        self.log.close()
        shutil.rmtree(self.folder)


def connected(address):
    client = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
    client.settimeout(PATIENCE)
    client.connect(address)
    return client


def rest(client):
    """All that still comes; a connection that is reset has ended too."""
    got = b""
    while True:
        try:
            part = client.recv(65536)
        except ConnectionError:
            return got
        if not part:
            return got
        got += part


def exchange(address, request, half_close=False):
    with connected(address) as client:
        try:
            client.sendall(request)
            if half_close:
                client.shutdown(socket.SHUT_WR)
        except ConnectionError:
            pass  # refused before all was sent
        return rest(client)


def parts(answer):
    """Status, header fields, body."""
    head, body = answer.split(b"\r\n\r\n", 1)
    lines = head.decode().split("\r\n")
    return int(lines[0].split()[1]), dict(line.split(": ", 1) for line in lines[1:]), body.decode()


def series(text):
    """Line without its value -> value; comments as they are."""
    found = {}
    for line in text.splitlines():
        name, value = (line, None) if line.startswith("#") else line.rsplit(" ", 1)
        assert name not in found, name
        found[name] = value
    return found


def in_time(test, attempt):
    """`attempt` returns for how long it waited. What waits for slow connections does so until their time is
    up, each time; one of five is enough, for a machine that is busy."""
    test.assertTrue(any(attempt() < TIME_LIMIT for _ in range(5)), "it waits for slow connections")


class ScrapeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon, port = with_port('[metrics]\nlisten = "127.0.0.1:%d"\n')
        cls.port = ("127.0.0.1", port)

    @classmethod
    def tearDownClass(cls):
        code = cls.daemon.stop()
        cls.daemon.remove()
        assert code == 0, code

    def setUp(self):
        """No client is there any more, whose end the daemon may not have seen at once."""
        end = time.monotonic() + PATIENCE
        while "tegu_users 0\n" not in parts(exchange(self.port, SCRAPE))[2]:
            self.assertLess(time.monotonic(), end)
        self.begin = self.daemon.descriptors()

    def tearDown(self):
        """Nothing is left of a connection."""
        end = time.monotonic() + PATIENCE
        while self.daemon.descriptors() > self.begin:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        self.assertEqual(self.daemon.tegu("ping").returncode, 0)

    def status(self, request, **more):
        return parts(exchange(self.port, request, **more))[0]

    def test_a_scrape(self):
        status, fields, body = parts(exchange(self.port, SCRAPE))
        self.assertEqual(status, 200)
        self.assertEqual(fields["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        self.assertEqual(fields["Connection"], "close")
        self.assertEqual(int(fields["Content-Length"]), len(body.encode()))
        self.assertIn('\ntegu_health_state{state="', body)

    def test_it_is_what_the_command_prints(self):
        end = time.monotonic() + PATIENCE
        while True:  # until no reading of the board comes between
            begin = time.monotonic()
            before = series(parts(exchange(self.port, SCRAPE))[2])
            printed = series(self.daemon.tegu("metrics").stdout.decode())
            after = series(parts(exchange(self.port, SCRAPE))[2])
            if time.monotonic() - begin < READING and before["tegu_users"] == "0":
                break
            self.assertLess(time.monotonic(), end)
        # What comes and goes with the second is in one of two scrapes at least.
        self.assertLessEqual(set(before) & set(after), set(printed))
        self.assertLessEqual(set(printed), set(before) | set(after))
        # The command is a client, which a scrape is not.
        steady = [
            name
            for name in printed
            if name in before
            and before[name] == after.get(name)
            and "connections" not in name
            and name != "tegu_users"
        ]
        self.assertEqual((before["tegu_users"], printed["tegu_users"]), ("0", "1"))
        self.assertGreater(len(steady), len(printed) // 2)
        for name in steady:
            self.assertEqual(printed[name], before[name], name)

    @unittest.skipIf(shutil.which("promtool") is None, "needs promtool")
    def test_promtool_has_nothing_to_say(self):
        checked = subprocess.run(
            ["promtool", "check", "metrics"],
            input=parts(exchange(self.port, SCRAPE))[2].encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.assertEqual((checked.returncode, checked.stdout), (0, b""))

    def test_nothing_else_is_answered(self):
        for request, status in (
            (b"GET / HTTP/1.1", 404),
            (b"POST /metrics HTTP/1.1", 405),
            (b"HEAD /metrics HTTP/1.1", 405),
            (b"GET /metrics HTTP/3.0", 400),
            (b"\x16\x03\x01\x02\x00\x01\x00", 400),
            (b"hello", 400),
        ):
            answer = exchange(self.port, request + b"\r\nHost: x\r\n\r\n")
            found, fields, body = parts(answer)
            self.assertEqual(
                (found, body),
                (status, "tegud answers GET /metrics, by HTTP/1.1, and nothing else.\n"),
                request,
            )
            self.assertEqual(fields.get("Allow"), "GET" if status == 405 else None)

    def test_half_close(self):
        self.assertEqual(self.status(SCRAPE, half_close=True), 200)
        self.assertEqual(exchange(self.port, SCRAPE[:-1], half_close=True), b"")
        self.assertEqual(exchange(self.port, b"", half_close=True), b"")

    def test_bytes_one_by_one(self):
        with connected(self.port) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in SCRAPE:
                client.sendall(bytes([byte]))
            self.assertEqual(parts(rest(client))[0], 200)

    def test_pipelining_is_answered_once(self):
        answer = exchange(self.port, SCRAPE * 50)
        self.assertEqual(answer.count(b"HTTP/1.1 "), 1)
        self.assertEqual(parts(answer)[0], 200)

    def test_huge_headers(self):
        self.assertEqual(self.status(SCRAPE[:-2] + b"X: " + b"x" * 1000000), 431)
        self.assertEqual(self.status(b"GET /" + b"x" * 9000), 431)
        self.assertEqual(self.status(SCRAPE[:-2] + b"X: x\r\n" * 5000), 431)

    def test_garbage(self):
        self.assertIn(self.status(bytes(range(256)) * 40), (400, 431))  # as much as comes at once
        self.assertEqual(self.status(b"\r\n\r\n\r\n\r\n"), 400)
        self.assertEqual(self.status(b"\0" * 100 + b"\r\n"), 400)

    def test_a_reset_in_the_middle(self):
        for request in (b"", b"GET /met", SCRAPE):
            client = connected(self.port)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(request)
            client.close()
        self.assertEqual(self.status(SCRAPE), 200)

    def fill_and_scrape(self):
        """Returns how long a scrape waits beside connections that say nothing, a little, or do not read, and
        fill all places."""
        slow = []
        try:
            for i in range(MAX_CONNECTIONS):
                slow.append(connected(self.port))
                slow[-1].sendall((b"", b"GET /metrics HT", SCRAPE)[i % 3])
            begin = time.monotonic()
            self.assertEqual(self.status(SCRAPE), 200)
            waited = time.monotonic() - begin
            self.assertEqual(rest(slow[0]), b"")
            return waited
        finally:
            for client in slow:
                client.close()

    def test_slow_ones_give_way(self):
        """A scrape is answered all the same, and the oldest has ended."""
        in_time(self, self.fill_and_scrape)  # not by the end of theirs

    def test_a_slow_one_ends_by_itself(self):
        begin = time.monotonic()  # before the daemon can
        with connected(self.port) as client:
            client.sendall(b"GET /metrics HTTP/1.1\r\n")
            self.assertEqual(rest(client), b"")
            self.assertGreater(time.monotonic() - begin, TIME_LIMIT - 1)

    def test_a_flood_keeps_no_client_waiting(self):
        """Many at once, more than are taken in a second: all are answered in the end, and jobs go on
        meanwhile."""
        flood = [connected(self.port) for _ in range(16)]
        for client in flood:
            client.sendall(SCRAPE)
        self.assertEqual(self.daemon.tegu("ping", "-c", "3", "-i", "0").returncode, 0)
        answers = [rest(client) for client in flood]
        for client in flood:
            client.close()
        # Of those behind more than MAX_CONNECTIONS some had to give way before they were read.
        self.assertGreaterEqual(
            sum(answer.startswith(b"HTTP/1.1 200") for answer in answers), MAX_CONNECTIONS
        )

    def test_metrics_count_no_scrape_as_a_client(self):
        with connected(self.port):
            end = time.monotonic() + PATIENCE  # the end of a client before may not have been seen
            while series(self.daemon.tegu("metrics").stdout.decode())["tegu_connections_open"] != "1":
                self.assertLess(time.monotonic(), end)


class SocketTest(unittest.TestCase):
    def daemon(self, settings, **more):
        daemon = Daemon(settings, **more)
        self.addCleanup(daemon.remove)
        return daemon

    def test_a_unix_socket(self):
        daemon = self.daemon('[metrics]\nlisten = "%(folder)s/metrics.sock"\nmode = "0600"\n')
        path = os.path.join(daemon.folder, "metrics.sock")
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.assertEqual(parts(exchange(path, SCRAPE))[0], 200)
        self.assertIn("scrapes are answered on " + path, daemon.messages())
        self.assertEqual(daemon.stop(), 0)
        self.assertFalse(os.path.exists(path))

    def test_descriptors_end_an_exchange_and_nobody_waits_for_them(self):
        """The last close of a TCP socket that lingers over what was not read takes a day: read, unread, and
        behind a request."""
        daemon = self.daemon('[metrics]\nlisten = "%(folder)s/metrics.sock"\n')
        path = os.path.join(daemon.folder, "metrics.sock")
        kept, closers = [], []
        for text in (b"G", SCRAPE, SCRAPE + b"more"):
            listener = socket.socket()
            listener.bind(("127.0.0.1", 0))
            listener.listen(1)
            lingers = socket.create_connection(listener.getsockname())
            kept.append((listener, listener.accept()[0]))
            lingers.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 86400))
            lingers.setblocking(False)
            try:
                while True:
                    lingers.send(bytes(65536))
            except BlockingIOError:
                pass
            with connected(path) as client:
                client.sendmsg(
                    [text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", lingers.fileno()))]
                )
                # In a thread: it waits if the daemon has closed its own before.
                closers.append(threading.Thread(target=os.close, args=(lingers.detach(),), daemon=True))
                closers[-1].start()
                self.assertNotIn(b"200 OK", rest(client))
            self.assertEqual(parts(exchange(path, SCRAPE))[0], 200)
        for listener, peer in kept:
            peer.close()
            listener.close()
        for closer in closers:
            closer.join()

    @unittest.skipUnless(os.path.exists("/proc/net/if_inet6"), "needs IPv6")
    def test_ipv6(self):
        with socket.socket(socket.AF_INET6) as probe:
            try:
                probe.bind(("::1", 0))
            except OSError:
                self.skipTest("needs ::1")
            port = probe.getsockname()[1]
        daemon = self.daemon('[metrics]\nlisten = "[::1]:%d"\n' % port)
        with socket.create_connection(("::1", port)) as client:
            client.sendall(SCRAPE)
            self.assertEqual(parts(rest(client))[0], 200)
        self.assertIn("scrapes are answered on [::1]:%d" % port, daemon.messages())

    def test_it_is_off_unless_asked_for(self):
        self.assertNotIn("scrapes", self.daemon("").messages())

    def test_a_port_that_is_taken(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen(1)
            daemon = self.daemon('[metrics]\nlisten = "127.0.0.1:%d"\n' % other.getsockname()[1])
            self.assertIn(
                "no scrapes are answered: metrics.listen 127.0.0.1:%d: Address already in use"
                % other.getsockname()[1],
                daemon.messages(),
            )

    def test_a_path_that_is_taken(self):
        daemon = self.daemon('[metrics]\nlisten = "/proc/metrics.sock"\n')
        self.assertIn("no scrapes are answered: metrics.listen: ", daemon.messages())

    def test_a_socket_that_is_passed_goes_first(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(5)
            address = listener.getsockname()
            daemon = self.daemon('[metrics]\nlisten = "%(folder)s/metrics.sock"\n', pass_fd=listener.fileno())
        self.assertEqual(parts(exchange(address, SCRAPE))[0], 200)
        self.assertIn("scrapes are answered on 127.0.0.1:%d" % address[1], daemon.messages())
        self.assertFalse(os.path.exists(os.path.join(daemon.folder, "metrics.sock")))

    def test_a_descriptor_that_is_no_socket(self):
        with open("/dev/null", "rb") as other:
            daemon = self.daemon("", pass_fd=other.fileno())
        self.assertIn("closed an inherited descriptor that is no listening stream socket", daemon.messages())

    def stop_beside_a_scrape(self):
        daemon = self.daemon('[metrics]\nlisten = "%(folder)s/metrics.sock"\n')
        with connected(os.path.join(daemon.folder, "metrics.sock")) as client:
            client.sendall(b"GET")
            begin = time.monotonic()
            self.assertEqual(daemon.stop(), 0)
            waited = time.monotonic() - begin
            self.assertEqual(rest(client), b"")
            return waited

    def test_a_stop_does_not_wait_for_scrapes(self):
        in_time(self, self.stop_beside_a_scrape)


if __name__ == "__main__":
    unittest.main()
