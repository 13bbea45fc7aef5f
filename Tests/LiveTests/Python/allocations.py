"""What a collector allocates for a batch once it knows its phones.

`allocations.py HOST PORT --token T --count FILE` uploads over one connection, some to begin with, then
`--batches`, and prints how often the collector called malloc for each of them: FILE holds its calls so
far (the counter that AllocationTests.swift puts into it).
"""

import argparse
import struct
import sys

from client import Connection
from messages import pb
from payload import Fix, upload_of

SECOND = 1_000_000
START_US = 1_790_000_000 * SECOND

arguments = argparse.ArgumentParser()
arguments.add_argument("host")
arguments.add_argument("port", type=int)
arguments.add_argument("--token", required=True)
arguments.add_argument("--pid", type=int)
arguments.add_argument("--count", required=True)
arguments.add_argument("--warm", type=int, default=2_000)
arguments.add_argument("--batches", type=int, default=4_000)
options = arguments.parse_args()


def calls():
    with open(options.count, "rb") as file:
        return struct.unpack("<Q", file.read(8))[0]


def upload(connection, number):
    # A hundred phones in turn; their sequences grow without a gap, as an outbox sends them.
    phone, sequence = number % 100, number // 100 + 1
    fixes = [Fix(START_US // 10_000 + number - 100 * i) for i in range(20, 0, -1)]
    request = upload_of(phone, sequence, fixes)
    if number == 0:
        return connection.unary("Upload", request, pb.UploadReply)
    return connection.again(request, pb.UploadReply)


push = pb.PushSettings(scheduler="none", sweep_us=3_600 * SECOND)
clock = pb.RunClock(
    scenario_start_us=START_US, measure_start_us=START_US, measure_end_us=START_US + 86_400 * SECOND,
    speed=1)
with Connection(options.host, options.port, options.token) as control:
    control.unary("OpenRun", pb.OpenRunRequest(
        run_id="allocations", hash_key=1, seed=1, phones=1_000, clock=clock, push=push),
        pb.OpenRunReply)
with Connection(options.host, options.port, options.token) as connection:
    for number in range(options.warm):
        upload(connection, number)
    before = calls()
    for number in range(options.warm, options.warm + options.batches):
        upload(connection, number)
    sys.stdout.write(f"{(calls() - before) / options.batches:.4f}\n")
