"""Calls a live collector with grpcio: `grpc_client.py HOST PORT [--token T] [--ca FILE] [--pid P]`.

Prints a line a case and exits 1 if any failed. The collector must be fresh: the script opens its
run. With --ca all connections are secured, and the server's certificate is one of that CA's. With
--pid the collector is told to end (SIGTERM) as the last case.
"""

import argparse
import http.client
import os
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import struct
import sys
import tempfile
import threading
import time
import traceback

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase)

from messages import pb
from payload import ROWS, ROWS_GZIP, ROWS_ZSTD, Fix, upload_of

SECOND = 1_000_000
START_US = 1_790_000_000 * SECOND
RUN = "grpc"

arguments = argparse.ArgumentParser()
arguments.add_argument("host")
arguments.add_argument("port", type=int)
arguments.add_argument("--token")
arguments.add_argument("--ca", type=pathlib.Path)
arguments.add_argument("--pid", type=int)
options = arguments.parse_args()
address = f"{options.host}:{options.port}"
bearer = (("authorization", f"Bearer {options.token}"),) if options.token else ()



def connect(**more):
    if not options.ca:
        return grpc.insecure_channel(address, **more)
    credentials = grpc.ssl_channel_credentials(options.ca.read_bytes())
    return grpc.secure_channel(address, credentials, **more)


cases = []
channel = connect()


def case(title):
    def add(function):
        cases.append((title, function))
        return function
    return add


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def unary(method, on=None, path=None):
    return (on or channel).unary_unary(
        path or f"/flotilla.v1.Collector/{method}",
        request_serializer=lambda request: request.SerializeToString(),
        response_deserializer=getattr(pb, f"{method}Reply").FromString)


def call(method, request, **sending):
    sending.setdefault("timeout", 60)
    sending.setdefault("metadata", bearer)
    on, path = sending.pop("on", None), sending.pop("path", None)
    return unary(method, on, path)(request, **sending)


def expect_code(code, action):
    try:
        result = action()
    except grpc.RpcError as error:
        expect(error.code() == code, f"wanted {code}, got {error.code()}: {error.details()}")
        return error
    raise AssertionError(f"wanted {code}, got {result!r}")


def upload(sequence, fixes=3, phone=1, **more):
    now = START_US // 10_000
    return upload_of(
        phone, sequence,
        [Fix(now + 100 * i, 48_137_000 + i, 11_575_000, 8, 10, 20) for i in range(fixes)], **more)


def subscribe():
    return channel.unary_stream(
        "/flotilla.v1.Collector/Pushes", request_serializer=lambda r: r.SerializeToString(),
        response_deserializer=pb.PushSweep.FromString)(
            pb.PushesRequest(run_id=RUN), metadata=bearer)


@case("OpenRun, Register and Upload are answered; a batch again is a duplicate")
def uploads():
    call("OpenRun", pb.OpenRunRequest(
        run_id=RUN, hash_key=42, seed=7, phones=100_000,
        clock=pb.RunClock(
            scenario_start_us=START_US, measure_start_us=START_US,
            measure_end_us=START_US + 7200 * SECOND, speed=60),
        push=pb.PushSettings(
            scheduler="fixed", silent_after_us=60 * SECOND, within_us=60 * SECOND,
            sweep_us=30 * SECOND, spacing_us=600 * SECOND, rate_per_second=1000,
            accuracy_limit_meters=100, expiration_us=600 * SECOND, retry_after_us=60 * SECOND),
        cohorts=[pb.Cohort(name="all", settings=pb.TrackerSettings(
            version=3, gps_duration_us=10 * SECOND, min_interval_us=60 * SECOND,
            send_interval_us=300 * SECOND, region_radius_meters=100, max_fixes=20))]))
    reply = call("Register", pb.RegisterRequest(
        phone=1, epoch=1, authorization=3, token_valid=True, installed=True, at_us=START_US))
    expect(reply.settings.version == 3, f"registered with {reply}")
    request = upload(1)
    reply = call("Upload", request)
    expect(reply.check == request.check and not reply.duplicate, f"ack {reply}")
    expect(call("Upload", request).duplicate, "no duplicate")


@case("a thousand calls at once share a connection")
def many():
    left = set(range(1000))
    while left:
        futures = {
            i: unary("Upload").future(upload(1, phone=10 + i), timeout=60, metadata=bearer)
            for i in left}
        for i, future in futures.items():
            # A server that is offered too much at once sheds some of it, and asks for it again.
            if future.exception() is None:
                expect(not future.result().duplicate, "a duplicate")
                left.remove(i)
            else:
                expect(future.code() == grpc.StatusCode.RESOURCE_EXHAUSTED, f"{future.exception()}")
                pushback = dict(future.trailing_metadata()).get("grpc-retry-pushback-ms")
                expect(int(pushback) > 0, "shed without a pushback")


@case("gzip: a compressed request, and a large answer that comes compressed")
def compressed():
    request = upload(2, fixes=200)
    reply = call("Upload", request, compression=grpc.Compression.Gzip)
    expect(reply.check == request.check, f"ack {reply}")
    reply = call("Snapshot", pb.SnapshotRequest(histogram=True))
    expect(reply.counters or reply.ByteSize() > 1_024, "the snapshot is empty")


@case("rows as plain generated code writes them: as they stand, in gzip, in zstd, and in gRPC's gzip")
def plain_rows():
    for sequence, encoding in enumerate((ROWS, ROWS_GZIP, ROWS_ZSTD), start=3):
        request = upload(sequence, fixes=200, encoding=encoding)
        reply = call("Upload", request)
        expect(reply.check == request.check and reply.fixes == 200, f"ack {reply}")
    request = upload(6, fixes=200, encoding=ROWS)
    reply = call("Upload", request, compression=grpc.Compression.Gzip)
    expect(reply.check == request.check and not reply.duplicate, f"ack {reply}")


@case("Pushes streams, and ends when it is cancelled")
def pushes():
    stream = subscribe()
    expect(next(stream) is not None, "no sweep")
    stream.cancel()
    try:
        for _ in stream:
            pass
    except grpc.RpcError as error:
        expect(error.code() == grpc.StatusCode.CANCELLED, str(error))
    expect(call("Health", pb.HealthRequest()).serving, "no more calls after a cancel")


@case("UNIMPLEMENTED: an unknown method, and an unknown service")
def unknown():
    error = expect_code(grpc.StatusCode.UNIMPLEMENTED, lambda: call(
        "Health", pb.HealthRequest(), path="/flotilla.v1.Collector/Nothing"))
    expect(error.details(), "no text")
    expect_code(grpc.StatusCode.UNIMPLEMENTED, lambda: call(
        "Health", pb.HealthRequest(), path="/no.such.Service/Call"))


@case("UNIMPLEMENTED with the server's list: a message encoding that it does not know")
def encoding():
    error = expect_code(grpc.StatusCode.UNIMPLEMENTED, lambda: call(
        "Health", pb.HealthRequest(), compression=grpc.Compression.Deflate))
    sent = dict(error.initial_metadata() or ()) | dict(error.trailing_metadata() or ())
    listed = sent.get("grpc-accept-encoding", "identity,gzip,zstd")
    expect("gzip" in listed and "zstd" in listed, f"{sent}")


@case("RESOURCE_EXHAUSTED: a message of 4 MB + 1; one of 4 MB comes in")
def too_long():
    wide = connect(options=[("grpc.max_send_message_length", -1)])

    def send(size):
        return wide.unary_unary("/flotilla.v1.Collector/Health")(
            bytes(size), timeout=60, metadata=bearer)
    expect_code(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: send(4 * 1024 * 1024 + 1))
    expect(send(4 * 1024 * 1024), "no answer to the longest message")
    wide.close()


@case("DEADLINE_EXCEEDED: Ask waits longer than its client does")
def deadline():
    provider = subscribe()
    next(provider)
    request = pb.AskRequest(phone=1, deadline_us=3600 * SECOND)
    expect_code(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: call("Ask", request, timeout=0.3))
    provider.cancel()


@case("cancel: a call that is taken back, and the connection goes on")
def cancelled():
    provider = subscribe()
    next(provider)
    future = unary("Ask").future(
        pb.AskRequest(phone=1, deadline_us=3600 * SECOND), timeout=60, metadata=bearer)
    time.sleep(0.1)
    expect(not future.done(), "Ask did not wait")
    future.cancel()
    expect(future.cancelled(), "not cancelled")
    provider.cancel()
    expect(call("Health", pb.HealthRequest()).serving, "not serving")


@case("UNAUTHENTICATED: without the token")
def unauthenticated():
    if options.token:
        error = expect_code(
            grpc.StatusCode.UNAUTHENTICATED,
            lambda: call("Health", pb.HealthRequest(), metadata=()))
        expect(error.details(), "no text")


@case("a text for people survives percent-encoding")
def text():
    request = upload_of(1, 90, [Fix(START_US // 10_000, 95_000_000, 0, 5, 0, 0)])
    error = expect_code(grpc.StatusCode.INVALID_ARGUMENT, lambda: call("Upload", request))
    expect("coordinateOutOfRange" in error.details(), error.details())


@case("grpc.health.v1: Check, Watch, NOT_FOUND and SERVICE_UNKNOWN")
def health():
    stub = health_pb2_grpc.HealthStub(channel)
    serving = health_pb2.HealthCheckResponse.SERVING
    for name in ("", "flotilla.v1.Collector"):
        reply = stub.Check(
            health_pb2.HealthCheckRequest(service=name), timeout=60, metadata=bearer)
        expect(reply.status == serving, f"'{name}': {reply}")
    expect_code(grpc.StatusCode.NOT_FOUND, lambda: stub.Check(
        health_pb2.HealthCheckRequest(service="none"), timeout=60, metadata=bearer))
    watch = stub.Watch(health_pb2.HealthCheckRequest(service="none"), timeout=60, metadata=bearer)
    expect(next(watch).status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN, "known")
    watch.cancel()


def reflect(version, *requests):
    ask = channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=lambda r: r.SerializeToString(),
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString)
    return list(ask(iter(requests), timeout=60, metadata=bearer))


@case("server reflection v1 and v1alpha: services, a symbol, its file, and what is not known")
def reflection():
    asked = reflection_pb2.ServerReflectionRequest
    for version in ("v1", "v1alpha"):
        replies = reflect(
            version, asked(list_services=""),
            asked(file_containing_symbol="flotilla.v1.Collector.Upload"),
            asked(file_by_filename="flotilla/v1/collector.proto"),
            asked(file_containing_symbol="flotilla.v1.Nothing"))
        names = [service.name for service in replies[0].list_services_response.service]
        expect("flotilla.v1.Collector" in names, f"{names}")
        files = [reply.file_descriptor_response.file_descriptor_proto for reply in replies[1:3]]
        for (file,) in files:
            known = descriptor_pb2.FileDescriptorProto.FromString(file)
            methods = [method.name for method in known.service[0].method]
            own = pb.DESCRIPTOR.services_by_name["Collector"].methods_by_name
            expect(known.name == pb.DESCRIPTOR.name and methods == list(own), f"{methods}")
        expect(replies[3].error_response.error_code == 5, f"{replies[3]}")


class Bearer(grpc.StreamStreamClientInterceptor):
    """Presents the token in calls that another library makes."""

    def intercept_stream_stream(self, continuation, details, requests):
        return continuation(details._replace(metadata=bearer), requests)


@case("server reflection describes all that it lists, as gRPC's own client reads it")
def described():
    database = ProtoReflectionDescriptorDatabase(grpc.intercept_channel(channel, Bearer()))
    pool = descriptor_pool.DescriptorPool(database)
    for name in database.get_services():
        service = pool.FindServiceByName(name)
        for method in service.methods:
            expect(method.input_type.full_name and method.output_type.full_name, name)
    serving = pool.FindMessageTypeByName("grpc.health.v1.HealthCheckResponse")
    expect(serving.enum_types[0].values_by_name["SERVING"].number == 1, "SERVING")


def get(path, method="GET"):
    if options.ca:
        connection = http.client.HTTPSConnection(
            options.host, options.port, timeout=60,
            context=ssl.create_default_context(cafile=options.ca))
    else:
        connection = http.client.HTTPConnection(options.host, options.port, timeout=60)
    connection.request(method, path)
    return connection.getresponse()


@case("GET /: a line of text over HTTP/1.1")
def page():
    answer = get("/")
    body = answer.read().decode()
    expect(answer.status == 200 and "Flotilla" in body, f"{answer.status} {body}")
    expect(get("/other").status == 404, "no 404")
    head = get("/", "HEAD")
    expect(head.status == 200 and not head.read(), f"HEAD: {head.status}")


def handled():
    """Uploads that the ledger has received, and those that were shed before."""
    snapshot = call("Snapshot", pb.SnapshotRequest())
    shed = [count.value for count in snapshot.counters if count.name == "shed.admission"]
    return snapshot.batches.received, sum(shed)


@case("h2load: what it counts is what the ledger has received")
def h2load():
    """20,000 calls; with FLOTILLA_H2LOAD_SECONDS=60 as many of them as a minute takes."""
    if not shutil.which("h2load"):
        return
    calls = 20_000
    end = time.monotonic() + float(os.environ.get("FLOTILLA_H2LOAD_SECONDS", "0"))
    message = upload(1, phone=77).SerializeToString()
    with tempfile.NamedTemporaryFile() as body:
        body.write(struct.pack(">BI", 0, len(message)) + message)
        body.flush()
        headers = ["content-type: application/grpc", "te: trailers"]
        headers += [f"{key}: {value}" for key, value in bearer]
        command = (
            ["h2load", "-t", "1", "-n", str(calls), "-c", "20", "-m", "8", "-d", body.name]
            + [word for header in headers for word in ("-H", header)]
            + [f"http{'s' if options.ca else ''}://{address}/flotilla.v1.Collector/Upload"])
        admitted, rounds = 0, 0
        while rounds == 0 or time.monotonic() < end:
            before = handled()
            ended = subprocess.run(
                command, capture_output=True, text=True, check=True, timeout=240)
            received, shed = (after - then for after, then in zip(handled(), before))
            # It counts answers of HTTP; one of them may say that the call was shed.
            succeeded = int(re.search(r"(\d+) succeeded, 0 failed", ended.stdout).group(1))
            expect(
                succeeded == calls == received + shed,
                f"{succeeded}, {received} + {shed} of {calls}")
            admitted += received
            rounds += 1
    expect(admitted > 0, "every call was shed")
    print(f"h2load: {rounds * calls} calls, {admitted} of them admitted")


@case("SIGTERM: who watches hears it, calls that wait are ended, the channel sees UNAVAILABLE")
def drain():
    if not options.pid:
        return
    stub = health_pb2_grpc.HealthStub(channel)
    seen = []

    def watch():
        try:
            for reply in stub.Watch(health_pb2.HealthCheckRequest(), timeout=60, metadata=bearer):
                seen.append(reply.status)
        except grpc.RpcError as error:
            seen.append(error.code())
    watcher = threading.Thread(target=watch)
    watcher.start()
    while not seen:
        time.sleep(0.01)
    os.kill(options.pid, signal.SIGTERM)
    watcher.join(60)
    wanted = [health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING,
              grpc.StatusCode.UNAVAILABLE]
    expect(seen == wanted, f"{seen}")
    expect_code(grpc.StatusCode.UNAVAILABLE, lambda: call("Health", pb.HealthRequest()))


failed = 0
for title, run in cases:
    try:
        run()
        print(f"ok    {title}", flush=True)
    except Exception:
        failed += 1
        print(f"FAIL  {title}\n{traceback.format_exc()}", flush=True)
print(f"{len(cases)} cases, {failed} failed")
sys.exit(1 if failed else 0)
