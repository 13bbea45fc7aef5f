"""Checks a live collector against proto/PROTOCOL.md: `conformance.py HOST PORT [--token T] [--ca FILE]
[--pid P]`.

Prints a line a case and exits 1 if any failed. The collector must be fresh: the script opens its
run. With --ca all connections are secured, and the server's certificate is one of that CA's. With
--pid the collector is told to end (SIGTERM) as the last case.
"""

import argparse
import gzip
import itertools
import os
import random
import signal
import ssl
import struct
import sys
import time
import traceback
import zlib

import client
from client import CODES, CallFailed, Connection, ConnectionEnded, frame, headers_body, prefixed
from messages import pb
from payload import (
    IDENTITY, PACKED, ROWS, ROWS_GZIP, ROWS_ZSTD, ZSTD, Fix, check_of, columns, compress, envelope,
    rows, upload_of, wrapped)

SECOND = 1_000_000
SPEED = 120
START_US = 1_790_000_000 * SECOND
RUN = "conformance"

arguments = argparse.ArgumentParser()
arguments.add_argument("host")
arguments.add_argument("port", type=int)
arguments.add_argument("--token")
arguments.add_argument("--ca")
arguments.add_argument("--pid", type=int)
options = arguments.parse_args()
tls = ssl.create_default_context(cafile=options.ca) if options.ca else None

cases = []
state = {}


def case(title):
    def add(function):
        cases.append((title, function))
        return function
    return add


def connect(**changed):
    return Connection(
        options.host, options.port, **{"token": options.token, "tls": tls, **changed})


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def expect_code(code, action, without_text=False):
    try:
        result = action()
    except CallFailed as failure:
        expect(failure.code == code, f"wanted {code}, got {failure}")
        expect(without_text or failure.text, f"{code} comes without a text for people")
        return failure
    raise AssertionError(f"wanted {code}, got OK with {result!r}")


def call(connection, method, request, **sending):
    return connection.unary(method, request, getattr(pb, f"{method}Reply"), **sending)


def upload(request, **changed):
    with connect(**changed) as connection:
        return call(connection, "Upload", request)


def scenario_now_us():
    return START_US + int((time.monotonic() - state["opened"]) * SPEED * SECOND)


def fixes(count, ago_seconds=0):
    """A walk that ends now: time, place, accuracy, speed, course all change."""
    chance = random.Random(count)
    last = scenario_now_us() // 10_000 - ago_seconds * 100
    return [
        Fix(last - (count - 1 - i) * 50, 48_137_000 + 13 * i + chance.randrange(9),
            11_575_000 - 7 * i, 5 + chance.randrange(20), chance.randrange(-1, 300),
            chance.randrange(-1, 360))
        for i in range(count)]


def expect_goaway(data, code="INTERNAL", preface=client.PREFACE):
    """What breaks the document costs the connection a GOAWAY with code and text, and the close."""
    with connect(preface=preface) as connection:
        connection.send(data)
        try:
            deadline = time.monotonic() + 60
            while True:
                connection.read_frames(deadline)
        except ConnectionEnded as ended:
            expect(ended.goaway is not None, "closed without GOAWAY")
            expect(ended.goaway[1] == code, f"GOAWAY {ended.goaway}, wanted {code}")
            expect(ended.goaway[2], "GOAWAY without text")


# ---- before a run is open

@case("UNAVAILABLE: a call that needs a run, before one is open")
def no_run():
    state["opened"] = time.monotonic()
    with connect() as connection:
        for method, request in (
                ("Register", pb.RegisterRequest(phone=1, authorization=3)),
                ("Upload", upload_of(1, 1, fixes(3))),
                ("PushResult", pb.PushResultRequest()),
                ("Holdings", pb.HoldingsRequest(limit=10)),
                ("Ask", pb.AskRequest(phone=1, deadline_us=30 * SECOND)),
                ("Restore", pb.RestoreRequest())):
            expect_code("UNAVAILABLE", lambda: call(connection, method, request))
        pushes = connection.start("Pushes", pb.PushesRequest(run_id=RUN), pb.PushSweep)
        expect_code("UNAVAILABLE", pushes.next)


@case("Health answers without a run")
def health():
    with connect() as connection:
        expect(call(connection, "Health", pb.HealthRequest()).serving, "not serving")


def run_request(outages=()):
    return pb.OpenRunRequest(
        run_id=RUN, hash_key=42, seed=7, phones=1000,
        clock=pb.RunClock(
            scenario_start_us=START_US, measure_start_us=START_US,
            measure_end_us=START_US + 7200 * SECOND, speed=SPEED),
        push=pb.PushSettings(
            scheduler="fixed", silent_after_us=120 * SECOND, within_us=120 * SECOND,
            sweep_us=30 * SECOND, spacing_us=600 * SECOND, rate_per_second=1000,
            accuracy_limit_meters=100, expiration_us=600 * SECOND, retry_after_us=60 * SECOND),
        cohorts=[pb.Cohort(name="all", settings=pb.TrackerSettings(
            version=3, gps_duration_us=10 * SECOND, min_interval_us=60 * SECOND,
            send_interval_us=300 * SECOND, region_radius_meters=100, max_fixes=20))],
        rollouts=[pb.Rollout(at_us=START_US, share=1, settings=pb.TrackerSettings(version=4))],
        outages=outages)


@case("OpenRun opens the run, and a second time resumes it")
def open_run():
    request = run_request()
    with connect() as connection:
        state["opened"] = time.monotonic()
        reply = call(connection, "OpenRun", request)
        expect(reply.state == pb.RUN_STATE_OPEN, f"state {reply.state}")
        expect(list(reply.encodings) == pb.Encoding.values(),
               f"encodings {reply.encodings}")
        expect(call(connection, "OpenRun", request).state == pb.RUN_STATE_OPEN, "second time")


# ---- what a phone does

@case("Register answers with the tracker settings of the phone's cohort")
def register():
    with connect() as connection:
        for phone in (1, 2, 3):
            reply = call(connection, "Register", pb.RegisterRequest(
                phone=phone, epoch=0, authorization=3, token_valid=True, installed=True,
                at_us=scenario_now_us()))
            expect(reply.settings.version == 4, f"settings {reply.settings}")


@case("Upload: every encoding, several batches on one connection, each acknowledged as itself")
def uploads():
    with connect() as connection:
        for sequence, (encoding, count) in enumerate(
                [(IDENTITY, 1), (IDENTITY, 5), (ZSTD, 1), (ZSTD, 2), (ZSTD, 400),
                 (PACKED, 1), (PACKED, 2), (PACKED, 64), (PACKED, 65), (PACKED, 300),
                 (ROWS, 1), (ROWS, 30), (ROWS_GZIP, 2), (ROWS_GZIP, 400), (ROWS_ZSTD, 2),
                 (ROWS_ZSTD, 400)], start=1):
            request = upload_of(1, sequence, fixes(count), encoding)
            reply = client.with_retries(lambda: call(connection, "Upload", request))
            expect(reply.check == request.check, "an ack of another batch")
            expect(reply.sequence == sequence and reply.fixes == count and not reply.duplicate,
                   f"ack {reply}")
        state["stored"] = 16
        state["fixes"] = 841 + 835


@case("Upload: several calls at once on one connection, each answered on its stream")
def multiplexed():
    with connect() as connection:
        requests = [upload_of(2, s, fixes(20)) for s in range(1, 41)]
        calls = [connection.start("Upload", r, pb.UploadReply) for r in requests]
        for request, open_call in zip(requests, calls):
            expect(open_call.reply().check == request.check, "an ack of another batch")
        state["stored"] += 40
        state["fixes"] += 800


@case("section 3: a message may come in any pieces, one byte a frame")
def pieces():
    with connect() as connection:
        request = upload_of(2, 41, fixes(3))
        reply = call(connection, "Upload", request, piece=1)
        expect(reply.check == request.check, "an ack of another batch")
        state["stored"] += 1
        state["fixes"] += 3


@case("Upload: preface, HEADERS and DATA in one write, as a woken phone sends them")
def one_write():
    request = upload_of(2, 42, fixes(4))
    message = prefixed(request.SerializeToString())
    pairs = [("authorization", f"Bearer {options.token}")] if options.token else []
    with client.dial(options.host, options.port, timeout=60, tls=tls) as phone:
        phone.sendall(
            client.PREFACE
            + frame(client.HEADERS, 1, headers_body("/flotilla.v1.Collector/Upload", 0, pairs))
            + frame(client.DATA, 1, message, client.END_OF_STREAM))
        answer = b""
        while len(answer) < 10 or len(answer) < 10 + struct.unpack_from(">I", answer)[0]:
            more = phone.recv(4096)
            expect(more, f"closed after {answer!r}")
            answer += more
    expect(answer[4:10] == frame(client.DATA, 1, flags=client.END_OF_STREAM)[4:], "one last DATA")
    reply = pb.UploadReply.FromString(answer[15:])
    expect(reply.check == request.check, "an ack of another batch")
    state["stored"] += 1
    state["fixes"] += 4


@case("Upload: DATA that repeats the last HEADERS, also in many frames, and after a refusal")
def repeated_headers():
    with connect() as connection:
        call(connection, "Upload", upload_of(2, 43, fixes(1)))
        for sequence, piece in ((44, 16_384), (45, 7)):
            request = upload_of(2, sequence, fixes(2))
            reply = connection.again(request, pb.UploadReply, piece=piece)
            expect(reply.check == request.check, "an ack of another batch")
        try:
            connection.again(pb.UploadRequest(phone=2, epoch=1), pb.UploadReply)
            expect(False, "a batch without fixes came in")
        except CallFailed as failure:
            expect(failure.code in ("INVALID_ARGUMENT", "DATA_LOSS"), f"{failure}")
        request = upload_of(2, 46, fixes(2))
        expect(connection.again(request, pb.UploadReply).check == request.check, "another's ack")
    state["stored"] += 4
    state["fixes"] += 7


@case("Upload: a second delivery is acknowledged as a duplicate, also with another payload")
def duplicate():
    for request in (upload_of(1, 5, fixes(400)), upload_of(1, 5, fixes(2))):
        reply = upload(request)
        expect(reply.duplicate and reply.sequence == 5, f"ack {reply}")
        expect(reply.check == request.check, "an ack of another batch")


@case("section 10: an ack names newer settings, once the phone has said that it takes them")
def settings_in_ack():
    reply = upload(upload_of(1, 17, fixes(2), settings_version=3))
    expect(reply.settings.version == 4, f"settings {reply.settings}")
    reply = upload(upload_of(1, 18, fixes(2), settings_version=4))
    expect(not reply.HasField("settings"), "settings that the phone has")
    state["stored"] += 2
    state["fixes"] += 4


@case("Pushes: a silent phone is pushed within seconds, and PushResult knows the push")
def pushes():
    with connect() as connection:
        sweeps = connection.start("Pushes", pb.PushesRequest(run_id=RUN), pb.PushSweep, timeout=60)
        pushed = {}
        while 3 not in pushed:
            sweep = sweeps.next()
            expect(sweep is not None, "the stream ended")
            pushed.update({r.phone: r for r in sweep.requests})
        push = pushed[3]
        expect(push.expiration_us == push.requested_at_us + 600 * SECOND, f"push {push}")
        reply = call(connection, "PushResult", pb.PushResultRequest(
            outcomes=[pb.PushOutcome(id=push.id, status=200), pb.PushOutcome(id=2**32 - 1, status=200)]))
        expect(reply.known == 1, f"known {reply.known}")
        sweeps.cancel()
        call(connection, "Health", pb.HealthRequest())


@case("Ask: a phone is pushed as `asked`, and a refusal by the provider ends the call")
def ask():
    with connect() as connection:
        alone = call(connection, "Ask", pb.AskRequest(phone=3, deadline_us=30 * SECOND))
        expect(alone.outcome == pb.ASK_OUTCOME_NO_PROVIDER, f"without a subscriber {alone}")
        sweeps = connection.start("Pushes", pb.PushesRequest(run_id=RUN), pb.PushSweep, timeout=60)
        question = connection.start(
            "Ask", pb.AskRequest(phone=3, deadline_us=3600 * SECOND), pb.AskReply, timeout=60)
        asked = []
        while not asked:
            asked = list(sweeps.next().asked)
        push = asked[0]
        expect(push.phone == 3 and push.id >> 63 == 1 and push.id & 0xFFFFFFFF == 3, f"push {push}")
        expect(push.expiration_us == push.requested_at_us + 3600 * SECOND, f"push {push}")
        call(connection, "PushResult", pb.PushResultRequest(
            outcomes=[pb.PushOutcome(id=push.id, status=403)]))
        reply = question.next()
        expect(reply.outcome == pb.ASK_OUTCOME_REFUSED and reply.push_status == 403, f"{reply}")
        expect(reply.asked_at_us == push.requested_at_us, f"{reply}")
        sweeps.cancel()
        call(connection, "Health", pb.HealthRequest())
        for wrong in (pb.AskRequest(phone=1000, deadline_us=30 * SECOND), pb.AskRequest(phone=3)):
            expect_code("INVALID_ARGUMENT", lambda: call(connection, "Ask", wrong))


@case("Snapshot: the ledger balances and counts what was sent")
def snapshot():
    with connect() as connection:
        reply = call(connection, "Snapshot", pb.SnapshotRequest(histogram=True))
        for side, distinct in ((reply.batches, state["stored"]), (reply.fixes, state["fixes"])):
            rejected = sum(count.value for count in side.rejected)
            expect(side.received == side.distinct + side.duplicate + rejected, f"ledger {side}")
            expect(side.distinct == distinct, f"distinct {side.distinct}, sent {distinct}")
        expect(reply.state == pb.RUN_STATE_OPEN, f"state {reply.state}")
        expect(sum(reply.ingest_latency.count) > 0, "no histogram")


@case("Holdings: what was acknowledged is stored, page by page")
def holdings():
    with connect() as connection:
        rows = {}
        phone = epoch = 0
        while True:
            page = call(connection, "Holdings", pb.HoldingsRequest(
                phone=phone, epoch=epoch, limit=1))
            keys = list(zip(page.phone, page.epoch))
            rows.update(zip(keys, zip(page.first, page.contiguous)))
            if not page.more:
                break
            phone, epoch = keys[-1][0], keys[-1][1] + 1
        expect(rows == {(1, 0): (1, 18), (2, 0): (1, 46)}, f"holdings {rows}")


@case("PING comes back as it went")
def ping():
    with connect() as connection:
        expect(connection.ping(b"\0\1\2\3\4\5\6\7") == b"\0\1\2\3\4\5\6\7", "other bytes")
        call(connection, "Health", pb.HealthRequest())


@case("section 4: a request beyond the window goes on as the server grants")
def window():
    with connect() as connection:
        for _ in range(5):
            garbage = b"\x07" + bytes(1_000_000)
            expect_code("INTERNAL", lambda: call(connection, "Restore", garbage))
        call(connection, "Health", pb.HealthRequest())


@case("section 3: unknown settings and flags are skipped, a CANCEL of nothing too")
def forgiving():
    with connect(settings=((77, 1), (1, 65_536))) as connection:
        connection.send(frame(client.CANCEL, 9))
        opened = connection.open("Health", pb.HealthReply)
        body = prefixed(b"")
        connection.send(frame(client.DATA, opened.stream, body, 0xF0 | client.END_OF_STREAM))
        opened.reply()


# ---- INVALID_ARGUMENT

sequences = itertools.count(1)


def fresh():
    """A sequence that was not stored: what is a duplicate is acknowledged unseen."""
    return next(sequences)


def refused(title, code, make):
    case(f"{code}: {title}")(lambda: expect_code(code, lambda: upload(make())))


def changed_columns(**changed):
    """A batch of three fixes of which one column is another."""
    payload = columns(fixes(3))
    for name, values in changed.items():
        del getattr(payload, name)[:]
        getattr(payload, name).extend(values)
    return envelope(9, fresh(), payload.SerializeToString(), 3, IDENTITY)


def resized(**changed):
    return upload_of(9, fresh(), fixes(3), **changed)


refused("no fix", "INVALID_ARGUMENT", lambda: envelope(9, fresh(), b"", 0, IDENTITY))
for column in ("time_cs", "latitude_e6", "longitude_e6", "accuracy_meters", "speed_dms",
               "course_degrees"):
    refused(f"column {column} is shorter than the others", "INVALID_ARGUMENT",
            lambda column=column: changed_columns(**{column: [1, 1]}))
    refused(f"column {column} is longer than the others", "INVALID_ARGUMENT",
            lambda column=column: changed_columns(**{column: [1, 1, 1, 1]}))
refused("fix_count is not the columns' length", "INVALID_ARGUMENT", lambda: resized(fix_count=4))
refused("uncompressed_size is less than the frame states", "INVALID_ARGUMENT",
        lambda: resized(uncompressed_size=10))
refused("uncompressed_size is more than the frame states", "INVALID_ARGUMENT",
        lambda: resized(uncompressed_size=10_000))
refused("uncompressed_size is not the length of a plain payload", "INVALID_ARGUMENT",
        lambda: envelope(9, fresh(), columns(fixes(3)).SerializeToString(), 3, IDENTITY,
                         uncompressed_size=500))
refused("a latitude beyond 90 degrees", "INVALID_ARGUMENT",
        lambda: changed_columns(latitude_e6=[90_000_001, 0, 0]))
refused("a longitude beyond 180 degrees", "INVALID_ARGUMENT",
        lambda: changed_columns(longitude_e6=[-180_000_001, 0, 0]))
refused("an accuracy below zero", "INVALID_ARGUMENT",
        lambda: changed_columns(accuracy_meters=[-1, 0, 0]))
refused("an accuracy of 65,536 m", "INVALID_ARGUMENT",
        lambda: changed_columns(accuracy_meters=[65_536, 0, 0]))
refused("a speed beyond 16 bits", "INVALID_ARGUMENT",
        lambda: changed_columns(speed_dms=[32_768, 0, 0]))
refused("a course beyond 16 bits", "INVALID_ARGUMENT",
        lambda: changed_columns(course_degrees=[-32_769, 0, 0]))
refused("a time before 2000", "INVALID_ARGUMENT", lambda: changed_columns(time_cs=[1, 0, 0]))
refused("a time 401 days ahead", "INVALID_ARGUMENT",
        lambda: upload_of(9, fresh(), fixes(3, ago_seconds=-401 * 86_400)))
refused("a phone that is not of the run", "INVALID_ARGUMENT",
        lambda: upload_of(1_000, 1, fixes(3)))
refused("sequence 0", "INVALID_ARGUMENT", lambda: upload_of(9, 0, fixes(3)))


@case("INVALID_ARGUMENT: an OpenRun whose settings cannot be")
def bad_run():
    with connect() as connection:
        for name, value in (("run_id", ""), ("phones", 0), ("phones", 2**32 - 1)):
            bad = run_request()
            setattr(bad, name, value)
            expect_code("INVALID_ARGUMENT", lambda: call(connection, "OpenRun", bad))
        for name, value in (("scheduler", "x"), ("sweep_us", 1), ("spacing_us", 1), ("holdout", 2)):
            bad = run_request()
            setattr(bad.push, name, value)
            expect_code("INVALID_ARGUMENT", lambda: call(connection, "OpenRun", bad))
        bare = pb.OpenRunRequest(run_id=RUN, phones=1_000)
        expect_code("INTERNAL", lambda: call(connection, "OpenRun", bare))


@case("FAILED_PRECONDITION: the open run with another number of phones")
def other_phones():
    request = run_request()
    request.phones = 999
    with connect() as connection:
        expect_code("FAILED_PRECONDITION", lambda: call(connection, "OpenRun", request))



# ---- RESOURCE_EXHAUSTED

def many_fixes(count):
    plain = columns([Fix(scenario_now_us() // 10_000 + i) for i in range(count)])
    return envelope(9, fresh(), plain.SerializeToString(), count)


def bomb(size):
    return envelope(9, fresh(), bytes(size), 100)


refused("more than 4,096 fixes", "RESOURCE_EXHAUSTED", lambda: many_fixes(4_097))
refused("a payload above 196,608 bytes, plain", "RESOURCE_EXHAUSTED",
        lambda: envelope(9, fresh(), bytes(196_609), 100, IDENTITY))
refused("a payload above 196,608 bytes, as the envelope says", "RESOURCE_EXHAUSTED",
        lambda: bomb(196_609))
refused("a decompression bomb of 100 MB", "RESOURCE_EXHAUSTED", lambda: bomb(100_000_000))


@case("4,096 fixes are a batch")
def largest():
    reply = upload(many_fixes(4_096))
    expect(reply.fixes == 4_096, f"ack {reply}")


@case("RESOURCE_EXHAUSTED: a message longer than 4,194,304, at its prefix; its neighbours live")
def long_message():
    with connect() as connection:
        opened = connection.open("Upload", pb.UploadReply)
        connection.send(frame(client.DATA, opened.stream, prefixed(b"", length=4_194_305)))
        expect_code("RESOURCE_EXHAUSTED", opened.reply)
        call(connection, "Health", pb.HealthRequest())


@case("RESOURCE_EXHAUSTED: a message of 4 GiB, at its prefix")
def huge_message():
    with connect() as connection:
        opened = connection.open("Upload", pb.UploadReply)
        connection.send(frame(client.DATA, opened.stream, prefixed(b"", length=0xFFFF_FFFF)))
        expect_code("RESOURCE_EXHAUSTED", opened.reply)


@case("RESOURCE_EXHAUSTED: one stream more than 1,024; the others go on")
def streams():
    with connect() as connection:
        waiting = [connection.open("Health", pb.HealthReply) for _ in range(1_024)]
        surplus = connection.start("Health", b"", pb.HealthReply)
        expect_code("RESOURCE_EXHAUSTED", surplus.reply)
        connection.send_message(waiting[0], b"")
        waiting[0].reply()
        call(connection, "Health", pb.HealthRequest())


# ---- UNIMPLEMENTED

@case("UNIMPLEMENTED: unknown methods and services")
def unknown_method():
    with connect() as connection:
        for path in ("/flotilla.v1.Collector/Nothing", "/flotilla.v2.Collector/Upload", "x"):
            opened = connection.start(path if path[0] == "/" else "/" + path, b"", pb.HealthReply)
            expect_code("UNIMPLEMENTED", opened.reply)
        call(connection, "Health", pb.HealthRequest())


@case("a path that is not UTF-8 costs its call a status, or the connection")
def path_not_utf8():
    with connect() as connection:
        expect_code("UNIMPLEMENTED", lambda: (
            connection.send(frame(client.HEADERS, 1, headers_body(
                b"/\xff\xfe", 0, connection.metadata))),
            setattr(connection, "last_stream", 1),
            connection.calls.setdefault(1, client.Call(
                connection, 1, pb.HealthReply, time.monotonic() + 60)).reply()))


@case("UNIMPLEMENTED: compression flag 1")
def compression_flag():
    with connect() as connection:
        expect_code("UNIMPLEMENTED",
                    lambda: call(connection, "Health", b"", compression=1))


refused("an unknown payload encoding", "UNIMPLEMENTED", lambda: resized(encoding=6))


# ---- INTERNAL

@case("INTERNAL: bytes that are no message, in every method")
def garbage():
    with connect() as connection:
        for method in ("OpenRun", "Register", "Upload", "PushResult", "Snapshot", "Restore",
                       "Holdings", "Ask"):
            expect_code("INTERNAL", lambda: call(connection, method, b"\x07\xff\xff\xff"))
        opened = connection.start("Pushes", b"\x07\xff\xff", pb.PushSweep)
        expect_code("INTERNAL", opened.next)


@case("a run id that is not UTF-8 is refused")
def run_id_not_utf8():
    with connect() as connection:
        expect_code("INTERNAL", lambda: call(connection, "OpenRun", b"\x0a\x02\xff\xfe"))


def cut(payload, by):
    return payload[:-by]


def with_payload(change, **changed):
    plain = columns(fixes(50)).SerializeToString()
    return envelope(9, fresh(), plain, 50, payload=change(plain), **changed)


def packed_payload(change):
    upload = upload_of(9, fresh(), fixes(50), PACKED)
    upload.payload = change(upload.payload)
    upload.check = check_of(upload)
    return upload


refused("a payload that is no zstd frame", "INTERNAL", lambda: with_payload(lambda p: p))
refused("a zstd frame that is cut", "INTERNAL", lambda: with_payload(lambda p: compress(p)[:-4]))
refused("a zstd frame that names a dictionary", "INTERNAL",
        lambda: with_payload(lambda p: with_dictionary(compress(p))))
refused("a zstd frame that does not state its size", "INTERNAL",
        lambda: with_payload(lambda p: compress(p, write_content_size=False)))
refused("bytes after the zstd frame", "INTERNAL", lambda: with_payload(lambda p: compress(p) + b"x"))
refused("two zstd frames", "INVALID_ARGUMENT",
        lambda: with_payload(lambda p: compress(p[:9]) + compress(p[9:])))
def with_rows(change, encoding=ROWS_GZIP, count=50, **changed):
    plain = rows(fixes(50)).SerializeToString()
    return envelope(9, fresh(), plain, count, encoding, payload=change(plain), **changed)


def one_row(**fields):
    row = pb.BatchRows(fixes=[pb.FixRow(time_ms=scenario_now_us() // 1000, accuracy=5, **fields)])
    return envelope(9, fresh(), row.SerializeToString(), 1, ROWS)


refused("rows that are no gzip stream", "INTERNAL", lambda: with_rows(lambda p: p))
refused("a gzip stream that is cut", "INTERNAL", lambda: with_rows(lambda p: gzip.compress(p)[:-4]))
refused("bytes after the gzip stream", "INTERNAL",
        lambda: with_rows(lambda p: gzip.compress(p) + b"x"))
refused("a gzip stream of zlib's own format", "INTERNAL", lambda: with_rows(zlib.compress))
refused("a gzip bomb behind a small size", "INVALID_ARGUMENT",
        lambda: with_rows(lambda p: gzip.compress(bytes(50_000_000))))
refused("rows in zstd that name a dictionary", "INTERNAL",
        lambda: with_rows(lambda p: with_dictionary(compress(p)), ROWS_ZSTD))
refused("fewer rows than the envelope says", "INVALID_ARGUMENT",
        lambda: with_rows(gzip.compress, count=51))
refused("bytes that are no rows", "INTERNAL",
        lambda: envelope(9, fresh(), b"\x07\xff\xff", 1, ROWS))
refused("a latitude that is no number", "INVALID_ARGUMENT", lambda: one_row(latitude=float("nan")))
refused("a longitude beyond 180 degrees", "INVALID_ARGUMENT", lambda: one_row(longitude=180.1))
refused("a packed payload that ends early", "INTERNAL",
        lambda: packed_payload(lambda p: p[:-1]))
refused("a byte after a packed payload", "INTERNAL", lambda: packed_payload(lambda p: p + b"\0"))
refused("a packed payload that declares a size", "INVALID_ARGUMENT",
        lambda: upload_of(9, fresh(), fixes(3), PACKED, uncompressed_size=500))
refused("a packed latitude beyond 90 degrees", "INVALID_ARGUMENT",
        lambda: upload_of(9, fresh(), [Fix(scenario_now_us() // 10_000, 90_000_001)], PACKED))
refused("a plain payload that is no BatchPayload", "INTERNAL",
        lambda: envelope(9, fresh(), b"\x07\xff\xff", 1, IDENTITY))


def with_dictionary(compressed):
    """The same frame, whose descriptor says that a dictionary id of one byte follows."""
    descriptor = compressed[4] | 1
    window = b"" if descriptor & 0x20 else compressed[5:6]
    return (compressed[:4] + bytes([descriptor]) + window + b"\x07"
            + compressed[5 + len(window):])


# ---- DATA_LOSS and the token

refused("a check that does not match", "DATA_LOSS",
        lambda: upload_of(9, fresh(), fixes(3), check=12_345))
refused("a check is looked at before the content", "DATA_LOSS",
        lambda: envelope(9, fresh(), b"", 0, 7, check=1))


@case("UNAUTHENTICATED: no token, a wrong one, another scheme, bytes that are no text")
def token():
    if not options.token:
        return "no token is set"
    for metadata in (
            [], [("authorization", "Bearer wrong")], [("authorization", options.token)],
            [("authorization", f"Bearer {options.token}x")],
            [("authorization", f"Bearer {options.token[:-1]}")],
            [("authorization", b"Bearer \xff\xfe")]):
        with connect() as connection:
            for method in ("Upload", "Health"):
                expect_code("UNAUTHENTICATED", lambda: connection.unary(
                    method, b"", pb.HealthReply, metadata=metadata))
    with connect() as connection:
        call(connection, "Health", pb.HealthRequest())


# ---- breaches of the document

def breach(title, data, code="INTERNAL"):
    case(f"section 7: {title} costs the connection a GOAWAY")(lambda: expect_goaway(data, code))


AUTHORIZATION = [("authorization", f"Bearer {options.token}")] if options.token else []
HEALTH = headers_body("/flotilla.v1.Collector/Health")
breach("an unknown frame type", frame(8, 0, b"x"))
breach("a frame above 65,536", frame(client.DATA, 1, b"", length=65_537), "RESOURCE_EXHAUSTED")
breach("a frame of 4 GiB", frame(client.DATA, 1, b"", length=0xFFFF_FFFF), "RESOURCE_EXHAUSTED")
breach("a stream number used again",
       frame(client.HEADERS, 1, HEALTH) + frame(client.HEADERS, 1, HEALTH))
breach("a stream number below the last",
       frame(client.HEADERS, 5, HEALTH) + frame(client.HEADERS, 3, HEALTH))
breach("HEADERS on stream 0", frame(client.HEADERS, 0, HEALTH))
breach("DATA on stream 0", frame(client.DATA, 0, b"x"))
breach("DATA that repeats HEADERS where there were none",
       frame(client.DATA, 1, prefixed(b""), client.REPEATS_HEADERS | client.END_OF_STREAM))
breach("DATA that repeats the HEADERS of an unknown method",
       frame(client.HEADERS, 1, headers_body("/no.Such/Method", 0, AUTHORIZATION))
       + frame(client.DATA, 2, prefixed(b""), client.REPEATS_HEADERS | client.END_OF_STREAM))
breach("STATUS from a client", frame(client.STATUS, 1, b"\0"))
breach("GOAWAY on a stream", frame(client.GOAWAY, 3, bytes(5)))
breach("SETTINGS on a stream", frame(client.SETTINGS, 3, bytes(6)))
breach("SETTINGS that are no pairs", frame(client.SETTINGS, 0, bytes(5)))
breach("a PING of seven bytes", frame(client.PING, 0, bytes(7)))
breach("a WINDOW of three bytes", frame(client.WINDOW, 0, bytes(3)))
breach("HEADERS whose path is longer than the frame",
       frame(client.HEADERS, 1, struct.pack(">IH", 0, 500) + b"/x"))
breach("HEADERS whose metadata is cut", frame(client.HEADERS, 1, HEALTH + b"\x05\x00"))
breach("more than ten PINGs a second", b"".join(frame(client.PING, 0, bytes(8)) for _ in range(60)))
breach("an overdrawn window",
       b"".join(
           frame(client.HEADERS, stream, headers_body(
               "/flotilla.v1.Collector/Restore", 0, AUTHORIZATION))
           + frame(client.DATA, stream, prefixed(b"", length=4_000_000))
           + frame(client.DATA, stream, bytes(65_536)) * 60 for stream in (1, 2)),
       "RESOURCE_EXHAUSTED")


@case("section 1: a wrong preface is closed at the first wrong byte, without an answer")
def wrong_preface():
    for first in (b"E", b"FLOTLA/2", b"EHLO test\r\n\r\n", bytes(8)):
        with client.dial(options.host, options.port, timeout=60, tls=tls) as stranger:
            stranger.sendall(first)
            try:
                answer = stranger.recv(100)
            except (ConnectionResetError, ssl.SSLError):
                answer = b""
            expect(answer == b"", f"answered {answer!r} to {first!r}")


# ---- deadlines, outage, shutdown

@case("section 5: a client's deadline ends its call and nothing else")
def deadline():
    with connect() as connection:
        opened = connection.start("Pushes", pb.PushesRequest(run_id=RUN), pb.PushSweep, timeout=0.3)

        def until_late():
            while opened.next() is not None:
                pass
        expect_code("DEADLINE_EXCEEDED", until_late)
        call(connection, "Health", pb.HealthRequest())


@case("UNAVAILABLE: Register and Upload while the scenario has the server down")
def outage():
    def attempt(seconds):
        """False if the calls came after the outage."""
        request = run_request([pb.Outage(at_us=START_US, lasts_us=seconds * SPEED * SECOND)])
        with connect() as connection:
            state["opened"] = time.monotonic()
            call(connection, "OpenRun", request)
        try:
            expect_code("UNAVAILABLE", lambda: upload(upload_of(1, 8, fixes(3))))
            with connect() as connection:
                expect_code("UNAVAILABLE", lambda: call(
                    connection, "Register", pb.RegisterRequest(phone=4, authorization=3)))
        except AssertionError:
            if time.monotonic() - state["opened"] < seconds:
                raise
            return False
        return True

    if not attempt(1) and not attempt(5) and not attempt(25):
        expect(False, "the calls took 25 s")
    while True:
        try:
            expect(upload(upload_of(1, 8, fixes(3))).fixes == 3, "after the outage")
            break
        except CallFailed as failure:
            expect(time.monotonic() - state["opened"] < 60, f"{failure}")
            time.sleep(0.1)


@case("UNAVAILABLE: a server that ends says GOAWAY, answers what is open and closes")
def shutdown():
    if not options.pid:
        return "no --pid"
    with connect() as connection:
        sweeps = connection.start("Pushes", pb.PushesRequest(run_id=RUN), pb.PushSweep)
        sweeps.next()
        os.kill(options.pid, signal.SIGTERM)

        def until_the_end():
            while sweeps.next() is not None:
                pass
        expect_code("UNAVAILABLE", until_the_end)
        expect(connection.goaway is not None, "no GOAWAY")
        expect(connection.goaway[1] == "UNAVAILABLE", f"GOAWAY {connection.goaway}")


def main():
    failed = 0
    for title, function in cases:
        try:
            why = function()
            sys.stdout.write(f"skip {title}: {why}\n" if isinstance(why, str) else f"ok   {title}\n")
        except Exception as error:  # Whatever it was, the case has failed and the next one runs.
            failed += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            sys.stdout.write(f"FAIL {title}: {type(error).__name__} {error} (line {where.lineno})\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(cases)} cases, {failed} failed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
