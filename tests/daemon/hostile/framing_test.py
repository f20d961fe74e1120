#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks on the framing: bytes that are no message, messages that never end, and clients that come and
go."""

import random
import socket
import struct
import time
import unittest

from hostile_base import HostileTest  # first: finds the helpers
import rawclient
from rawclient import Closed, header, frame


class BrokenFraming(HostileTest):
    """The daemon answers with an EVENT that names the field, and closes."""

    def attack(self, data, status, field, hello=True):
        connection = self.connect(hello=hello)
        connection.send(data)
        self.assert_ended(connection, status, field)

    def test_wrong_magic(self):
        self.attack(header(rawclient.PING, 1, 0, magic=b"TEGV"), "BAD_REQUEST", "magic")
        self.attack(header(rawclient.HELLO, 1, 0, magic=b"\0\0\0\0"), "BAD_REQUEST", "magic", hello=False)

    def test_another_protocol(self):
        self.attack(
            b"GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: none\r\n\r\n",
            "BAD_REQUEST",
            "magic",
            hello=False,
        )

    def test_wrong_version(self):
        for version in (0, 2, 255):
            self.attack(header(rawclient.PING, 1, 0, version=version), "BAD_VERSION", "version")

    def test_body_over_the_limit(self):
        for size in (81921, 1 << 31, (1 << 32) - 1):
            self.attack(header(rawclient.PING, 1, size), "TOO_LARGE", "body_bytes")

    def test_body_over_the_limit_before_hello(self):
        self.attack(header(rawclient.HELLO, 1, 1025), "TOO_LARGE", "body_bytes", hello=False)

    def test_request_id_zero(self):
        self.attack(header(rawclient.PING, 0, 0), "BAD_REQUEST", "request_id")

    def test_reserved_fields(self):
        self.attack(header(rawclient.PING, 1, 0, reserved=1), "BAD_REQUEST", "reserved")
        self.attack(header(rawclient.PING, 1, 0, reserved_tail=1 << 63), "BAD_REQUEST", "reserved")

    def test_wrong_direction(self):
        self.attack(header(rawclient.PING | rawclient.REPLY, 1, 0), "BAD_REQUEST", "type")
        self.attack(header(rawclient.EVENT, 0, 0), "BAD_REQUEST", "type")

    def test_no_hello_first(self):
        self.attack(frame(rawclient.PING, 1), "BAD_REQUEST", "type", hello=False)
        self.attack(
            frame(rawclient.JOB, 1, rawclient.job_body(data=bytes(16))), "BAD_REQUEST", "type", hello=False
        )

    def test_descriptor_count_over_one(self):
        for count in (2, 253, 255):
            self.attack(header(rawclient.PING, 1, 0, descriptors=count), "BAD_DESCRIPTOR", "descriptors")

    def test_good_requests_before_the_broken_one_are_answered(self):
        connection = self.connect()
        connection.send(
            frame(rawclient.PING, 5, b"a")
            + frame(rawclient.PING, 6, b"b")
            + bytes(64)
            + frame(rawclient.PING, 7)
        )
        self.assertEqual([connection.receive().body, connection.receive().body], [b"a", b"b"])
        self.assert_ended(connection, "BAD_REQUEST", "magic")

    def test_noise(self):
        seed = random.randrange(1 << 32)
        noise = random.Random(seed)
        for _ in range(200):
            connection = self.connect(hello=noise.random() < 0.5)
            try:
                for _ in range(noise.randrange(1, 4)):
                    data = bytearray(header(noise.randrange(13), noise.randrange(3), noise.randrange(200)))
                    data += bytes(noise.randrange(256) for _ in range(noise.randrange(300)))
                    for _ in range(noise.randrange(4)):
                        data[noise.randrange(len(data))] = noise.randrange(256)
                    connection.send(bytes(data))
            except (BrokenPipeError, ConnectionResetError):
                pass  # it was told to go in the middle
            connection.close()
        self.assertTrue(self.daemon.alive(), "seed %d" % seed)


class Hello(HostileTest):
    """HELLO itself; what is wrong with its body is answered."""

    def test_no_version_in_common(self):
        connection = self.connect(hello=False)
        reply = connection.request(rawclient.HELLO, rawclient.hello_body(2, 9))
        self.assertEqual((reply.status, reply.allowed), ("BAD_VERSION", "1..1"), reply)
        self.assert_ended(connection)

    def test_version_range_is_reversed(self):
        connection = self.connect(hello=False)
        self.assert_refused(
            connection.request(rawclient.HELLO, rawclient.hello_body(2, 1)), "BAD_RANGE", "version_min"
        )
        self.assertEqual(connection.request(rawclient.HELLO, rawclient.hello_body()).status, "OK")

    def test_name_with_control_characters(self):
        connection = self.connect(hello=False)
        body = rawclient.hello_body(name=b"a\nFAKE=log line")
        self.assert_refused(connection.request(rawclient.HELLO, body), "BAD_REQUEST", "name")
        self.assert_refused(
            connection.request(rawclient.HELLO, rawclient.hello_body(name=b"x" * 65)), "TOO_LARGE", "name"
        )

    def test_body_is_truncated(self):
        connection = self.connect(hello=False)
        for size in range(16):
            reply = connection.request(rawclient.HELLO, rawclient.hello_body()[:size])
            self.assert_refused(reply, "BAD_REQUEST", "body")

    def test_second_hello(self):
        connection = self.connect()
        self.assert_refused(
            connection.request(rawclient.HELLO, rawclient.hello_body()), "BAD_REQUEST", "type"
        )
        self.assert_lives(connection)

    def test_features_from_the_future_are_ignored(self):
        connection = self.connect(hello=False)
        reply = connection.request(rawclient.HELLO, rawclient.hello_body(1, 65535, (1 << 64) - 1))
        self.assertEqual(struct.unpack_from("<H", reply.body)[0], 1)
        self.assertEqual(struct.unpack_from("<Q", reply.body, 8)[0], 31)

    def test_features_that_were_not_agreed_on(self):
        connection = self.connect(hello=False)
        connection.request(rawclient.HELLO, rawclient.hello_body(features=0))
        self.assertEqual(connection.create(4096).status, "UNSUPPORTED")
        self.assertEqual(connection.request(rawclient.BUFFER_LIST).status, "UNSUPPORTED")
        self.assertEqual(connection.job(handle=1).status, "UNSUPPORTED")
        self.assertEqual(connection.job(data=bytes(16)).status, "OK")


class ComingAndGoing(HostileTest):
    """Streams that are cut anywhere."""

    def test_one_byte_at_a_time_is_fine(self):
        connection = self.connect()
        message = frame(rawclient.JOB, 9, rawclient.job_body(data=rawclient.floats(1, 2, 3, 4)))
        for i in range(len(message)):
            connection.send(message[i : i + 1])
        self.assertEqual(connection.receive().arrays()[rawclient.SUM + 1][2], (10.0,))

    def test_every_cut_of_two_messages_is_fine(self):
        connection = self.connect()
        stream = frame(rawclient.PING, 1, b"one") + frame(rawclient.PING, 2, b"second")
        for cut in range(1, len(stream)):
            connection.send(stream[:cut])
            time.sleep(0.0005)
            connection.send(stream[cut:])
            self.assertEqual([connection.receive().body, connection.receive().body], [b"one", b"second"], cut)

    def test_gone_after_any_number_of_bytes(self):
        message = frame(rawclient.JOB, 9, rawclient.job_body(data=rawclient.floats(1, 2, 3, 4)))
        for cut in range(0, len(message), 3):
            connection = self.connect()
            connection.send(message[:cut])
            connection.close()

    def test_gone_without_reading(self):
        for _ in range(50):
            connection = self.connect()
            connection.send(b"".join(frame(rawclient.PING, i, bytes(1000)) for i in range(1, 60)))
            connection.close()

    def test_gone_before_hello(self):
        for _ in range(300):
            self.connect(hello=False).close()

    def test_half_closed(self):
        connection = self.connect()
        for i in range(1, 21):
            connection.submit(
                rawclient.JOB, rawclient.job_body(data=rawclient.floats(1, 2, 3, i)), request_id=i
            )
        connection.socket.shutdown(socket.SHUT_WR)
        replies = {connection.receive().request_id for _ in range(20)}
        self.assertEqual(replies, set(range(1, 21)))
        with self.assertRaises(Closed):
            connection.receive()

    def test_half_closed_in_the_middle_of_a_message(self):
        connection = self.connect()
        connection.send(frame(rawclient.PING, 1, b"x") + header(rawclient.PING, 2, 100))
        connection.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(connection.receive().body, b"x")
        with self.assertRaises(Closed):
            connection.receive()

    def test_deaf(self):
        connection = self.connect()
        connection.socket.shutdown(socket.SHUT_RD)
        try:
            for i in range(1, 1000):
                connection.submit(rawclient.PING, bytes(1000), request_id=i)
        except (BrokenPipeError, ConnectionResetError):
            pass


class Slow(HostileTest):
    """Clients that take their time; the limits are short."""

    def drip(self, connection, data, pause):
        """One byte at a time, until the daemon ends the connection, for which it has half a minute."""
        self.assertGreater(len(data) * pause, 30)
        try:
            for i in range(len(data)):
                connection.send(data[i : i + 1])
                time.sleep(pause)
        except (BrokenPipeError, ConnectionResetError):
            return
        self.fail("the daemon took all %d bytes" % len(data))


class SlowToGreet(Slow):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.daemon.reload("[timeouts]\nhello_ms = 1000\n")  # the witness had its time

    def test_silent(self):
        self.assert_ended(self.connect(hello=False), "DEADLINE_EXCEEDED", "timeouts.hello_ms")

    def test_hello_one_byte_at_a_time(self):
        connection = self.connect(hello=False)
        self.drip(connection, frame(rawclient.HELLO, 1, rawclient.hello_body(name=b"x" * 64)), 0.3)
        self.assert_ended(connection, "DEADLINE_EXCEEDED", "timeouts.hello_ms")

    def test_many_silent_ones_at_once(self):
        crowd = [self.connect(hello=False) for _ in range(40)]
        self.assert_well()
        for connection in crowd:
            self.assert_ended(connection, "DEADLINE_EXCEEDED", "timeouts.hello_ms")


class SlowToSend(Slow):
    SETTINGS = "[timeouts]\nframe_ms = 1000\n"  # all other messages are sent whole

    def test_message_one_byte_at_a_time(self):
        connection = self.connect()
        self.drip(connection, frame(rawclient.PING, 1, bytes(600)), 0.05)
        self.assert_ended(connection, "DEADLINE_EXCEEDED", "timeouts.frame_ms")

    def test_body_that_never_comes(self):
        connection = self.connect()
        connection.send(header(rawclient.PING, 1, 80000) + bytes(79999))
        self.assert_ended(connection, "DEADLINE_EXCEEDED", "timeouts.frame_ms")

    def test_idle_between_messages_is_fine(self):
        connection = self.connect()
        time.sleep(1.6)
        self.assert_lives(connection)


if __name__ == "__main__":
    unittest.main()
