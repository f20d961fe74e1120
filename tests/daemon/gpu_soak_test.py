# SPDX-License-Identifier: Apache-2.0
"""Hours of use of a GPU in seconds: clients in processes of their own send jobs of every operation, on arrays and on buffers, cancel some, rewrite
buffers while jobs run, leave and come back. Every result is right, and after each of several equal rounds, when all have gone, the daemon holds no more
memory and no more descriptors than after the second, but for what its arena keeps within its limit.

On the guarded device in strict mode; with $TEGU_TEST_CUDA set in tegud itself on the GPU of this machine, in each memory class that it can be forced
into, and the device's own count of used memory is compared, too. $TEGU_SOAK_SECONDS: for all (default 5)."""
import os
import random
import subprocess
import sys
import time
import traceback

import rawclient

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "client"))
import harness  # noqa: E402

harness.preload_sanitizer()

try:
    import numpy
    import tegu
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)

SECONDS = float(os.environ.get("TEGU_SOAK_SECONDS", "5"))
ON_CUDA = "TEGU_TEST_CUDA" in os.environ
SANITIZED = bool(os.environ.get("TEGU_SANITIZE"))  # its allocator keeps what was freed for a while, up to a bound of its own
CLIENTS = 4
ROUNDS = 4
MIB = 1 << 20
ARENA_BYTES = 192 * MIB


def make_inputs():
    """By name; the same in every process."""
    generator = numpy.random.RandomState(2026)
    large = 2000000 if ON_CUDA else 100000
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
    "reduce rows": (("f32", "u8"), lambda c, x, **o: c.submit.reduce(x, ("sum", "argmax", "var"), shape=image_of(x), axis=1, **o)),
    "topk": (("f32", "i32", "u8"), lambda c, x, **o: c.submit.topk(x, 100, **o)),
    "topk distinct": (("i32", "u8"), lambda c, x, **o: c.submit.topk(x, 50, distinct=True, largest=False, **o)),
    "topk many": (("f32",), lambda c, x, **o: c.submit.topk(x, 2500, **o)),
    "entropy map": (("f32", "u8"), lambda c, x, **o: c.submit.entropy_map(x, shape=image_of(x), **o)),
    "add": (("f32", "i32", "u8"), lambda c, x, **o: c.submit.add(x, x, **o)),
    "dot": (("f32", "f64"), lambda c, x, **o: c.submit.dot(x, x, **o)),
    "rowscale": (("f32", "f64"), lambda c, x, **o: c.submit.rowscale(x, shape=image_of(x), **o)),
    "quantile": (("f32", "u8"), lambda c, x, **o: c.submit.quantile(x, (0.1, 0.5, 0.99), **o)),
    "histogram": (("f32", "u8", "f64"), lambda c, x, **o: c.submit.histogram(x, 300, **o)),
    "entropy": (("f32", "u8"), lambda c, x, **o: c.submit.entropy(x, **o)),
    "fused": (("f32", "u8"), lambda c, x, **o: c.submit.fused(x, reduce={"stats": "all"}, histogram={"bins": 64}, topk={"k": 7}, **o)),
}


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
    with tegu.connect(path) as client:
        for job, (types, call) in sorted(JOBS.items()):
            for name in sorted(inputs):
                if name.split()[0] in types:
                    cases.append((job, name, bits(call(client, inputs[name], backend="cpu").result())))
    return cases


class Worker:
    """What one client does."""

    def __init__(self, path, inputs, cases, seed):
        self.path, self.inputs, self.cases, self.random = path, inputs, cases, random.Random(seed)
        self.client, self.jobs = tegu.connect(path), 0

    def expect(self, case, x, what):
        job, name, wanted = case
        backend = self.random.choice(("gpu", "gpu", "auto"))
        found = bits(JOBS[job][1](self.client, x, backend=backend).result())
        self.jobs += 1
        if found != wanted:
            raise AssertionError("%s of %s %s: another result than the CPU's (%s)" % (job, name, what, self.client.last.policy))

    def on_array(self, case):
        self.expect(case, self.inputs[case[1]], "as an array")

    def make_buffer(self, x):
        buffer = self.client.buffer(x.shape, dtype=x.dtype)
        buffer.array[:] = x
        buffer.commit()
        return buffer

    def on_buffer(self, case):
        if case[0] in ("reduce rows", "entropy map", "rowscale"):
            return self.on_array(case)  # a buffer has the shape that it was made with
        with self.make_buffer(self.inputs[case[1]]) as buffer:
            for _ in range(self.random.randint(1, 4)):
                self.expect(case, buffer, "in a buffer")
            if self.random.random() < 0.3:
                buffer.freeze()
                self.expect(case, buffer, "in a frozen buffer")

    def scribbled(self, case):
        """The buffer is rewritten while a job runs; that one's result may be anything."""
        if case[0] in ("reduce rows", "entropy map", "rowscale"):
            return self.on_array(case)
        x = self.inputs[case[1]]
        with self.make_buffer(x) as buffer:
            noise = numpy.frombuffer(self.random.getrandbits(8 * 4096).to_bytes(4096, "little"), dtype="u1")
            memory = buffer.array.view("u1")
            future = JOBS[case[0]][1](self.client, buffer, backend="gpu")
            while not future.done():
                at = self.random.randrange(max(1, memory.size - noise.size))
                part = memory[at:at + noise.size]
                part[:] = noise[:part.size]
            try:
                future.result()
            except tegu.Error as error:
                if error.status not in ("OVERFLOW", "BAD_RANGE"):
                    raise
            buffer.array[:] = x
            buffer.commit()
            self.expect(case, buffer, "after it was rewritten")

    def cancelled(self, case):
        x = self.inputs[case[1]]
        futures = [JOBS[case[0]][1](self.client, x, backend="gpu") for _ in range(3)]
        for future in futures:
            future.cancel()
        for future in futures:
            try:
                if bits(future.result()) != case[2]:
                    raise AssertionError("%s of %s: a wrong result of a job that was to be cancelled" % case[:2])
            except tegu.Cancelled:
                pass

    def left(self, case):
        """The client goes with jobs in flight and buffers open."""
        buffer = self.make_buffer(self.inputs[case[1]])
        unasked = [JOBS["reduce"][1](self.client, buffer, backend="gpu") for _ in range(3)]
        self.client.close()
        del unasked, buffer
        self.client = tegu.connect(self.path)

    def run(self, end):
        order = list(self.cases)
        while True:
            self.random.shuffle(order)
            for case in order:
                act = self.random.choices((self.on_array, self.on_buffer, self.scribbled, self.cancelled, self.left), (6, 6, 3, 1, 1))[0]
                act(case)
                if time.monotonic() > end:
                    self.client.close()
                    return


def run_round(path, inputs, cases, seconds):
    """All clients at once, each in its process. The number of jobs whose results were compared."""
    end, children = time.monotonic() + seconds, []
    for seed in range(CLIENTS):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                worker = Worker(path, inputs, cases, seed)
                worker.run(end)
                os.write(writer, b"%d" % worker.jobs)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        os.close(writer)
        children.append((child, reader))
    jobs, failed = 0, False
    for child, reader in children:
        text = os.read(reader, 100)
        os.close(reader)
        failed = os.waitpid(child, 0)[1] != 0 or failed
        jobs += int(text or b"0")
    if failed:
        raise AssertionError("a client failed")
    return jobs


def device_bytes():
    """Memory in use on the device, by everybody; 0 where its driver does not tell."""
    if not ON_CUDA:
        return 0
    try:
        text = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.decode()
        return int(text.split()[0]) * MIB
    except (OSError, ValueError, IndexError):
        return 0


def sample(daemon):
    """What the daemon holds when all clients have gone."""
    connection = rawclient.Connection(daemon.path)

    def is_quiet():
        stats = connection.fields(rawclient.STATS)
        return all(stats[name] == 0 for name in ("buffer_bytes", "gpu_buffers", "gpu_arena_used_bytes", "jobs_in_flight"))

    try:
        daemon.wait_for(is_quiet, "the daemon to have let go of everything")
        stats = connection.fields(rawclient.STATS)
        descriptors = daemon.descriptors()  # before the daemon may or may not have seen the end of this connection
    finally:
        connection.close()
    return {"descriptors": descriptors, "resident": daemon.resident_bytes(), "arena": stats["gpu_arena_bytes"], "device": device_bytes(),
            "jobs on the GPU": stats["gpu_jobs_total"]}


def soak(memory_class, inputs, seconds):
    """False: the device cannot be forced into this class."""
    settings = '[executor]\nbackend = "auto"\n[gpu]\narena_bytes = "%dMiB"\n' % (ARENA_BYTES // MIB)
    if ON_CUDA:
        daemon = rawclient.Daemon(settings + 'memory_class = "%s"\n' % memory_class,
                                  environment={"CUDA_VISIBLE_DEVICES": os.environ.get("CUDA_VISIBLE_DEVICES", "0")})
    else:
        daemon = rawclient.Daemon(settings, environment={"TEGU_TEST_GPU": memory_class}, program="tests/guard_tegud")
    try:
        with tegu.connect(daemon.path) as client:
            info = client.info()
        if info["backend"] != "gpu":
            print("memory class %s: %s" % (memory_class, info["backend_reason"]))
            return False
        cases = make_cases(daemon.path, inputs)
        samples, jobs = [], 0
        for _ in range(ROUNDS):
            jobs += run_round(daemon.path, inputs, cases, seconds / ROUNDS)
            samples.append(sample(daemon))
        print("memory class %s: %d results compared; after each round: %s" % (memory_class, jobs, samples))
        first, last = samples[1], samples[-1]
        assert daemon.alive(), daemon.log_text()
        assert last["jobs on the GPU"] > first["jobs on the GPU"] > 0, samples
        assert last["descriptors"] <= first["descriptors"], samples
        # The arena keeps memory for jobs of like sizes, none of which is in use now, within its limit; a new mixture of jobs may want another piece.
        assert last["arena"] <= ARENA_BYTES, samples
        kept = max(0, last["arena"] - first["arena"])
        assert SANITIZED or last["resident"] <= first["resident"] + kept + 16 * MIB, samples
        assert last["device"] <= first["device"] + kept + 64 * MIB, samples
        return True
    finally:
        daemon.stop()


def main():
    inputs = make_inputs()
    classes = ("A", "B", "C", "discrete")
    ran = [soak(memory_class, inputs, SECONDS / len(classes)) for memory_class in classes]
    if not any(ran):
        print("skipped: no GPU")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
