# SPDX-License-Identifier: Apache-2.0
"""What clients of every kind do with the daemon, mixed at random: jobs of all operations on arrays and on
buffers, many in flight, cancelled, overdue, in place; buffers that are made, rewritten, frozen and given
back; connections that end with jobs in flight. Every result is compared bit for bit with one that was
computed before. Used by the soaks here and in tests/daemon, and by the clients of the kill test."""

import contextlib
import random
import time

import numpy
import tegu

PIPELINE = 16


def make_inputs(large=100000):
    """By name; the same in every process."""
    generator = numpy.random.RandomState(2026)
    inputs = {}
    for name, count in (("small", 3000), ("medium", 40000), ("large", large)):
        inputs["f32 " + name] = (generator.standard_normal(count) * 100).astype("f4")
        inputs["i32 " + name] = generator.randint(-100000, 100000, count).astype("i4")
        inputs["u8 " + name] = generator.randint(0, 100, count).astype("u1")
        inputs["f64 " + name] = generator.standard_normal(count)
    return inputs


def image_of(x):
    return (x.shape[0] // 200, 200)


# name: (types, call(client, x, **options))
JOBS = {
    "reduce": (("f32", "i32", "u8", "f64"), lambda c, x, **o: c.submit.reduce(x, "all", **o)),
    "reduce rows": (
        ("f32", "u8"),
        lambda c, x, **o: c.submit.reduce(x, ("sum", "argmax", "var"), shape=image_of(x), axis=1, **o),
    ),
    "topk": (("f32", "i32", "u8"), lambda c, x, **o: c.submit.topk(x, 100, **o)),
    "topk distinct": (
        ("i32", "u8"),
        lambda c, x, **o: c.submit.topk(x, 50, distinct=True, largest=False, **o),
    ),
    "topk many": (("f32",), lambda c, x, **o: c.submit.topk(x, 2500, **o)),
    "entropy map": (("f32", "u8"), lambda c, x, **o: c.submit.entropy_map(x, shape=image_of(x), **o)),
    "add": (("f32", "i32", "u8"), lambda c, x, **o: c.submit.add(x, x, **o)),
    "dot": (("f32", "f64"), lambda c, x, **o: c.submit.dot(x, x, **o)),
    "rowscale": (("f32", "f64"), lambda c, x, **o: c.submit.rowscale(x, shape=image_of(x), **o)),
    "quantile": (("f32", "u8"), lambda c, x, **o: c.submit.quantile(x, (0.1, 0.5, 0.99), **o)),
    "histogram": (("f32", "u8", "f64"), lambda c, x, **o: c.submit.histogram(x, 300, **o)),
    "entropy": (("f32", "u8"), lambda c, x, **o: c.submit.entropy(x, **o)),
    "fused": (
        ("f32", "u8"),
        lambda c, x, **o: c.submit.fused(
            x, reduce={"stats": "all"}, histogram={"bins": 64}, topk={"k": 7}, **o
        ),
    ),
}
OF_IMAGES = ("reduce rows", "entropy map", "rowscale")  # a buffer has the shape that it was made with


def bits(value):
    """The bytes of a result, whatever it is."""
    if isinstance(value, dict):
        return b"".join(key.encode() + bits(value[key]) for key in sorted(value))
    if isinstance(value, (tuple, list)):
        return b"".join(bits(each) for each in value)
    return numpy.asarray(value).tobytes()


def make_cases(path, inputs):
    """(job, input, the bytes of the CPU's result) of everything."""
    cases = []
    with tegu.connect(path, connect_timeout=120) as client:
        for job, (types, call) in sorted(JOBS.items()):
            for name in sorted(inputs):
                if name.split()[0] in types:
                    cases.append((job, name, bits(call(client, inputs[name], backend="cpu").result())))
    return cases


class Watch(object):
    """Told of what a Worker does; this one does not care."""

    @contextlib.contextmanager
    def doing(self, what):
        """what: "registering", "freezing", "replies" or "releasing"."""
        yield

    def submitted(self):
        """A job was handed over."""

    def answered(self):
        """A job has ended."""


class Worker(object):
    """What one client does. acts: name -> how often, in proportion; backends: among which a job's is
    drawn."""

    def __init__(
        self, path, inputs, cases, seed, acts, backends=("auto",), watch=None, reconnect_timeout=120.0
    ):
        self.path, self.inputs, self.cases, self.random = path, inputs, cases, random.Random(seed)
        self.acts, self.backends, self.watch, self.reconnect_timeout = (
            acts,
            backends,
            watch or Watch(),
            reconnect_timeout,
        )
        self.jobs = self.reconnects = self.resent = 0
        self.outcomes = {"right": 0, "cancelled": 0, "overdue": 0, "undone": 0, "disturbed": 0}
        self.client = self.connect()

    def connect(self):
        return tegu.connect(
            self.path, connect_timeout=self.reconnect_timeout, reconnect_timeout=self.reconnect_timeout
        )

    def leave(self):
        """Closes the client, and remembers what it knew."""
        self.reconnects += self.client.reconnects
        self.client.close()

    # One job

    def submit(self, case, x, **options):
        future = JOBS[case[0]][1](
            self.client, x, **dict({"backend": self.random.choice(self.backends)}, **options)
        )
        self.watch.submitted()
        return future

    def result(self, future, in_flight=1):
        """Its result or tegu.Error. in_flight: how many jobs are, to know how many had to be sent again if
        the connection was lost."""
        before = self.client.reconnects
        try:
            return future.result()
        finally:
            self.watch.answered()
            self.jobs += 1
            self.resent += in_flight if self.client.reconnects > before else 0

    def check(self, case, found, what):
        if bits(found) != case[2]:
            raise AssertionError(
                "%s of %s %s: another result than before (%s)"
                % (case[0], case[1], what, self.client.last.policy)
            )
        self.outcomes["right"] += 1

    def expect(self, case, x, what):
        self.check(case, self.result(self.submit(case, x)), what)

    def settle(self, case, future, what, allowed, outcome, in_flight=1):
        """The job is right, or failed with `allowed` (a status), which counts as `outcome`."""
        try:
            found = self.result(future, in_flight)
        except tegu.Error as error:
            if error.status != allowed:
                raise
            self.outcomes[outcome] += 1
        else:
            self.check(case, found, what)

    def make_buffer(self, x):
        with self.watch.doing("registering"):
            buffer = self.client.buffer(x.shape, dtype=x.dtype)
        buffer.array[:] = x
        buffer.commit()
        return buffer

    @contextlib.contextmanager
    def buffer_of(self, x):
        buffer = self.make_buffer(x)
        yield buffer
        with self.watch.doing("releasing"):
            buffer.close()
            self.client.ping()  # what is closed goes with the next message

    # Acts

    def on_array(self, case):
        self.expect(case, self.inputs[case[1]], "as an array")

    def on_buffer(self, case):
        if case[0] in OF_IMAGES:
            return self.on_array(case)
        with self.buffer_of(self.inputs[case[1]]) as buffer:
            for _ in range(self.random.randint(1, 4)):
                self.expect(case, buffer, "in a buffer")
            if self.random.random() < 0.3:
                with self.watch.doing("freezing"):
                    buffer.freeze()
                self.expect(case, buffer, "in a frozen buffer")

    def scribbled(self, case):
        """The buffer is rewritten while a job runs; that one's result may be anything."""
        if case[0] in OF_IMAGES:
            return self.on_array(case)
        x = self.inputs[case[1]]
        with self.buffer_of(x) as buffer:
            noise = numpy.frombuffer(self.random.getrandbits(8 * 4096).to_bytes(4096, "little"), dtype="u1")
            memory = buffer.array.view("u1")
            future = self.submit(case, buffer)
            while not future.done():
                at = self.random.randrange(max(1, memory.size - noise.size))
                part = memory[at : at + noise.size]
                part[:] = noise[: part.size]
            try:
                self.result(future)
            except tegu.Error as error:
                if error.status not in ("OVERFLOW", "BAD_RANGE"):
                    raise
            self.outcomes["disturbed"] += 1
            buffer.array[:] = x
            buffer.commit()
            self.expect(case, buffer, "after it was rewritten")

    def pipelined(self, unused):
        """Many in flight, fetched in another order; with large replies among them."""
        cases = [self.random.choice(self.cases) for _ in range(PIPELINE)]
        futures = [
            (
                case,
                self.submit(
                    case, self.inputs[case[1]], priority=self.random.choice(("high", "normal", "low"))
                ),
            )
            for case in cases
        ]
        self.random.shuffle(futures)
        with self.watch.doing("replies"):
            while futures:
                case, future = futures.pop()
                self.check(case, self.result(future, len(futures) + 1), "among many")

    def cancelled(self, case):
        x = self.inputs[case[1]]
        futures = [self.submit(case, x) for _ in range(3)]
        for future in futures:
            future.cancel()
        for index, future in enumerate(futures):
            self.settle(
                case, future, "that was to be cancelled", "CANCELLED", "cancelled", len(futures) - index
            )

    def overdue(self, case):
        self.settle(
            case,
            self.submit(case, self.inputs[case[1]], deadline=10 ** self.random.uniform(-4.5, -2)),
            "with a deadline",
            "DEADLINE_EXCEEDED",
            "overdue",
        )

    def in_place(self, unused):
        """x + x over x: undone, and said so, if the connection was lost meanwhile."""
        case = self.random.choice([case for case in self.cases if case[0] == "add"])
        with self.buffer_of(self.inputs[case[1]]) as buffer:
            future = self.client.submit.add(buffer, buffer, out=buffer)
            self.watch.submitted()
            try:
                self.check(case, self.result(future).array, "in place")
            except tegu.Error as error:
                if (error.status, error.field) != ("IO", "output"):
                    raise
                self.outcomes["undone"] += 1

    def left(self, case):
        """The client goes with jobs in flight and buffers open."""
        buffer = self.make_buffer(self.inputs[case[1]])
        unasked = [self.submit(("reduce",), buffer) for _ in range(3)]
        self.leave()
        self.watch.answered()
        del unasked, buffer
        self.client = self.connect()

    def run(self, keeps_on, pause_s=0.0):
        """Acts until keeps_on() says no, with pauses of up to that long between them."""
        order, names, weights = list(self.cases), list(self.acts), list(self.acts.values())
        while True:
            self.random.shuffle(order)
            for case in order:
                getattr(self, self.random.choices(names, weights)[0])(case)
                if not keeps_on():
                    return
                if pause_s:
                    time.sleep(self.random.uniform(0, pause_s))
