"""Strangers at a collector, and what honest phones notice of them.

`strangers.py HOST PORT --pid P --token T [--connections 10000] [--seconds 60]` opens a run, measures
uploads of honest phones, each on a connection of its own as a woken phone has it, then again while
so many connections send one byte a second and others send what no phone would. It prints what it
measured, and exits 1 where honest phones wait more than twice as long at p99, where the collector
grew, or where a stranger was not counted.
"""

import argparse
import os
import resource
import select
import socket
import statistics
import struct
import sys
import time

import client
from client import CallFailed, Connection, frame, headers_body, prefixed
from messages import pb
from payload import IDENTITY, Fix, compress, envelope, upload_of

SECOND = 1_000_000
START_US = 1_790_000_000 * SECOND
UPLOAD = "/flotilla.v1.Collector/Upload"
# Below this nobody notices a difference, and a scheduler's slice is already longer.
FLOOR_MS = 4.0
# In so many parts of a second strangers send: they do not know of one another.
GROUPS = 200
# A connection's buffers, its two tables and its timer; the allocator's slack once.
BYTES_PER_CONNECTION = 16_384
SLACK_BYTES = 48 << 20

arguments = argparse.ArgumentParser()
arguments.add_argument("host")
arguments.add_argument("port", type=int)
arguments.add_argument("--pid", type=int, required=True)
arguments.add_argument("--token", required=True)
arguments.add_argument("--connections", type=int, default=10_000)
arguments.add_argument("--seconds", type=float, default=60)
options = arguments.parse_args()
failures = []


def expect(condition, what):
    sys.stdout.write(f"{'ok  ' if condition else 'FAIL'} {what}\n")
    sys.stdout.flush()
    if not condition:
        failures.append(what)


def connect():
    return Connection(options.host, options.port, options.token)


def resident_bytes():
    with open(f"/proc/{options.pid}/status") as status:
        line = next(line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def counters():
    with connect() as connection:
        reply = connection.unary("Snapshot", pb.SnapshotRequest(), pb.SnapshotReply)
    return {count.name: count.value for count in reply.counters}


def open_run():
    push = pb.PushSettings(scheduler="none", sweep_us=60 * SECOND)
    clock = pb.RunClock(
        scenario_start_us=START_US, measure_start_us=START_US,
        measure_end_us=START_US + 86_400 * SECOND, speed=1)
    with connect() as connection:
        connection.unary("OpenRun", pb.OpenRunRequest(
            run_id="strangers", hash_key=1, seed=1, phones=1_000_000, clock=clock, push=push),
            pb.OpenRunReply)


class Honest:
    """Phones that upload one batch each, fifty a second."""

    pause = 0.02

    def __init__(self):
        self.phone = 0

    def upload(self):
        self.phone += 1
        fixes = [Fix(START_US // 10_000 - 100 * i) for i in range(20, 0, -1)]
        request = upload_of(self.phone, 1, fixes)
        begun = time.perf_counter()
        with connect() as connection:
            reply = connection.unary("Upload", request, pb.UploadReply)
        if reply.check != request.check:
            raise CallFailed("DATA_LOSS", "an ack of another batch")
        return (time.perf_counter() - begun) * 1000

    def window(self, seconds):
        end = time.monotonic() + seconds
        waits = []
        while time.monotonic() < end:
            waits.append(self.upload())
            time.sleep(self.pause)
        waits.sort()
        return waits[len(waits) // 2], waits[int(len(waits) * 0.99)]

    def windows(self, seconds, count=5):
        """Medians of several windows and, for a machine that others use too, the best p99."""
        medians, p99s = zip(*(self.window(seconds / count) for _ in range(count)))
        return statistics.median(medians), statistics.median(p99s), min(p99s)


# ---- the strangers, in a process of their own

class Slow:
    """Connections that send a good upload, one byte a second; a new one for each that is cut."""

    def __init__(self, count):
        message = prefixed(upload_of(999_999, 1, [Fix(START_US // 10_000)]).SerializeToString())
        self.bytes = (
            client.PREFACE + frame(client.HEADERS, 1, headers_body(
                UPLOAD, 0, [("authorization", f"Bearer {options.token}")]))
            + frame(client.DATA, 1, message, client.END_OF_STREAM))
        self.count = count
        self.sent = {}
        self.poll = select.epoll()
        self.sources = 0
        self.cut = 0

    def connect(self):
        stranger = socket.socket()
        # Twenty thousand from one address would be all its ports.
        self.sources += 1
        if options.host.startswith("127."):
            stranger.bind((f"127.0.0.{2 + self.sources % 8}", 0))
        stranger.setblocking(False)
        stranger.connect_ex((options.host, options.port))
        self.sent[stranger.fileno()] = (stranger, 0)
        self.poll.register(stranger.fileno(), select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR)

    def drop(self, number):
        stranger, _ = self.sent.pop(number)
        self.poll.unregister(number)
        stranger.close()
        self.cut += 1

    def second(self, until):
        """A byte each, spread over the second; what was cut is replaced, spread alike."""
        for number, _ in self.poll.poll(0, 4096):
            self.drop(number)
        missing = min(self.count - len(self.sent), 2_000)
        turn = list(self.sent.items())
        begun = time.monotonic()
        for group in range(GROUPS):
            for _ in range(missing * group // GROUPS, missing * (group + 1) // GROUPS):
                self.connect()
            for number, (stranger, place) in turn[group::GROUPS]:
                try:
                    stranger.send(self.bytes[place:place + 1] or b"\0")
                    self.sent[number] = (stranger, place + 1)
                except BlockingIOError:
                    pass
                except OSError:
                    self.drop(number)
            due = begun + (until - begun) * (group + 1) / GROUPS
            time.sleep(max(0, due - time.monotonic()))


def with_dictionary(compressed):
    return compressed[:4] + bytes([compressed[4] | 1]) + b"\x07" + compressed[5:]


def pests():
    """What no phone sends; each ends its call or its connection at once."""
    plain = bytes(1 << 20)
    bomb = envelope(5, 1, b"", 100, payload=compress(plain), uncompressed_size=196_608)
    liar = envelope(5, 2, plain, 100)
    lost = envelope(5, 3, b"x" * 300, 1, payload=with_dictionary(compress(b"x" * 300)))
    token = [("authorization", f"Bearer {options.token}")]

    def opened(path=UPLOAD, metadata=token):
        return client.PREFACE + frame(client.HEADERS, 1, headers_body(path, 0, metadata))

    def sending(request):
        data = prefixed(request.SerializeToString())
        return opened() + frame(client.DATA, 1, data, client.END_OF_STREAM)

    bad_run = b"\x0a\x03\xff\xfe\xfd\x22\x00\x32\x00"
    return [
        sending(bomb), sending(liar), sending(lost),
        opened() + frame(client.DATA, 1, b"", length=0xFFFF_FFFF),
        opened() + frame(client.DATA, 1, prefixed(b"", length=0xFFFF_FFFF)),
        opened(b"/\xff\xfe\xc0\x80"), opened(metadata=[("authorization", b"Bearer \xff\xfe")]),
        opened("/flotilla.v1.Collector/OpenRun")
        + frame(client.DATA, 1, prefixed(bad_run), client.END_OF_STREAM),
        opened(metadata=[("authorization", "Bearer wrong")]),
        client.PREFACE + os.urandom(300), os.urandom(300),
        sending(envelope(5, 4, b"\x07\xff", 1, IDENTITY)),
        client.PREFACE + frame(client.PING, 0, bytes(8)) * 100,
    ]


def pester(data):
    with socket.create_connection((options.host, options.port), timeout=0.2) as stranger:
        try:
            stranger.sendall(data)
            stranger.recv(200)
        except OSError:
            pass


def strangers(progress):
    """Writes a byte when the slow ones are there, another when each kind has had its turn."""
    # Strangers have machines of their own: here they work when honest phones leave them time.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
    slow = Slow(options.connections)
    kinds = pests()
    turn = 0
    are_there = went_round = False
    while True:
        until = time.monotonic() + 1
        for _ in range(4):
            pester(kinds[turn % len(kinds)])
            turn += 1
        slow.second(until)
        if len(slow.sent) >= options.connections * 0.9 and not are_there:
            os.write(progress, b"!")
            are_there = True
        if are_there and turn >= len(kinds) and not went_round:
            os.write(progress, b"!")
            went_round = True


def stay_awake():
    """Where it is allowed: a core that sleeps is late by more than strangers could make it."""
    try:
        latency = open("/dev/cpu_dma_latency", "wb", buffering=0)
        latency.write(struct.pack("i", 0))
        return latency
    except OSError:
        return None


def main():
    awake = stay_awake()
    open_run()
    honest = Honest()
    honest.window(2)
    before = honest.windows(options.seconds)
    quiet = resident_bytes()
    counted = counters()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            strangers(writing)
        finally:
            os._exit(1)
    os.close(writing)
    try:
        expect(os.read(reading, 1) == b"!", f"{options.connections} strangers are there")
        during = honest.windows(options.seconds)
        grown = resident_bytes() - quiet
        # They work in what is left of the machine: on a busy one they may not be through yet.
        expect(os.read(reading, 1) == b"!", "each kind of stranger had its turn")
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    time.sleep(1)
    gained = {name: value - counted.get(name, 0) for name, value in counters().items()}
    expect(
        during[1] <= 2 * before[1] + FLOOR_MS,
        "honest uploads, median, p99, best p99 in ms: alone {:.2f} {:.2f} {:.2f}, beside strangers "
        "{:.2f} {:.2f} {:.2f}: p99 {:.2f} times".format(
            *before, *during, during[1] / before[1]))
    bound = SLACK_BYTES + options.connections * BYTES_PER_CONNECTION
    expect(grown <= bound, f"memory grew by {grown >> 20} MiB; {bound >> 20} MiB are allowed")
    named = {name: value for name, value in sorted(gained.items()) if value > 0}
    sys.stdout.write(f"counted: {named}\n")
    for name in WANTED:
        expect(gained.get(name, 0) > 0, f"{name} counts its strangers")
    with connect() as connection:
        reply = connection.unary("Health", pb.HealthRequest(), pb.HealthReply)
        expect(reply.serving, "the collector serves")
    if awake:
        awake.close()
    return 1 if failures else 0


WANTED = [
    "protocolErrors", "limit.messageBytesMax", "limit.pingsPerSecondMax", "status.UNAUTHENTICATED",
    "status.UNIMPLEMENTED", "status.INTERNAL", "status.RESOURCE_EXHAUSTED",
]
# What is slow is cut when the time of a first call is over.
if options.seconds > 15:
    WANTED.append("limit.firstCallTime")

if __name__ == "__main__":
    sys.exit(main())
