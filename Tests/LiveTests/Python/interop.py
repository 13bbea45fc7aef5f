"""gRPC's official interop cases against a TestService: `interop.py PORT [--ca FILE]`.

With a CA the channel is secured.

The cases are those of interop-test-descriptions.md that need no credentials. Prints a line a case
and exits 1 if any failed.
"""

import argparse
import atexit
import importlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback

import grpc

FOLDER = tempfile.mkdtemp(prefix="interop-pb2-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
HERE = pathlib.Path(__file__).resolve().parent
subprocess.run(
    ["protoc", f"--proto_path={HERE}", f"--python_out={FOLDER}", "interop.proto"], check=True)
sys.path.insert(0, FOLDER)
pb = importlib.import_module("interop_pb2")

arguments = argparse.ArgumentParser()
arguments.add_argument("port", type=int)
arguments.add_argument("--ca", type=pathlib.Path)
options = arguments.parse_args()
address = f"127.0.0.1:{options.port}"
if options.ca:
    channel = grpc.secure_channel(
        address, grpc.ssl_channel_credentials(options.ca.read_bytes()))
else:
    channel = grpc.insecure_channel(address)
SERVICE = "/grpc.testing.TestService/"
INITIAL = ("x-grpc-test-echo-initial", "test_initial_metadata_value")
TRAILING = ("x-grpc-test-echo-trailing-bin", b"\xab\xab\xab")
cases = []


def case(function):
    cases.append(function)
    return function


def method(kind, name, reply, service=SERVICE):
    return getattr(channel, kind)(
        service + name, request_serializer=lambda r: r.SerializeToString(),
        response_deserializer=reply.FromString)


empty_call = method("unary_unary", "EmptyCall", pb.Empty)
unary_call = method("unary_unary", "UnaryCall", pb.SimpleResponse)
input_call = method("stream_unary", "StreamingInputCall", pb.StreamingInputCallResponse)
output_call = method("unary_stream", "StreamingOutputCall", pb.StreamingOutputCallResponse)
duplex_call = method("stream_stream", "FullDuplexCall", pb.StreamingOutputCallResponse)


def payload(size):
    return pb.Payload(body=bytes(size))


def simple(request=271_828, response=314_159, **more):
    return pb.SimpleRequest(response_size=response, payload=payload(request), **more)


def code_of(action):
    try:
        action()
    except grpc.RpcError as error:
        return error.code(), error.details()
    return grpc.StatusCode.OK, ""


@case
def empty_unary():
    assert empty_call(pb.Empty(), timeout=60) == pb.Empty()


@case
def large_unary():
    assert unary_call(simple(), timeout=60).payload.body == bytes(314_159)


@case
def client_compressed_unary():
    # The probe: the server is to notice that what it expects compressed is not.
    expected = simple(expect_compressed=pb.BoolValue(value=True))
    assert code_of(lambda: unary_call(expected, timeout=60))[0] == grpc.StatusCode.INVALID_ARGUMENT
    reply = unary_call(expected, timeout=60, compression=grpc.Compression.Gzip)
    assert len(reply.payload.body) == 314_159
    plain = simple(expect_compressed=pb.BoolValue(value=False))
    assert len(unary_call(plain, timeout=60).payload.body) == 314_159


@case
def server_compressed_unary():
    for compressed in (True, False):
        request = simple(response_compressed=pb.BoolValue(value=compressed))
        assert unary_call(request, timeout=60).payload.body == bytes(314_159)


@case
def client_streaming():
    requests = (pb.StreamingInputCallRequest(payload=payload(size))
                for size in (27_182, 8, 1_828, 45_904))
    assert input_call(requests, timeout=60).aggregated_payload_size == 74_922


@case
def client_compressed_streaming():
    requests = (
        pb.StreamingInputCallRequest(payload=payload(size), expect_compressed=pb.BoolValue(value=True))
        for size in (27_182, 45_904))
    reply = input_call(requests, timeout=60, compression=grpc.Compression.Gzip)
    assert reply.aggregated_payload_size == 73_086


def outputs(*sizes, **more):
    return pb.StreamingOutputCallRequest(
        response_parameters=[pb.ResponseParameters(size=size, **more) for size in sizes])


@case
def server_streaming():
    sizes = (31_415, 9, 2_653, 58_979)
    replies = list(output_call(outputs(*sizes), timeout=60))
    assert tuple(len(reply.payload.body) for reply in replies) == sizes


@case
def server_compressed_streaming():
    request = outputs(31_415, 92_653, compressed=pb.BoolValue(value=True))
    assert [len(r.payload.body) for r in output_call(request, timeout=60)] == [31_415, 92_653]


@case
def ping_pong():
    answered = []

    def requests():
        for size, wanted in ((27_182, 31_415), (8, 9), (1_828, 2_653), (45_904, 58_979)):
            request = outputs(wanted)
            request.payload.CopyFrom(payload(size))
            yield request
            while len(answered) == 0 or answered[-1] != wanted:
                pass
    for reply in duplex_call(requests(), timeout=60):
        answered.append(len(reply.payload.body))
    assert answered == [31_415, 9, 2_653, 58_979]


@case
def empty_stream():
    assert list(duplex_call(iter(()), timeout=60)) == []


@case
def custom_metadata():
    reply, call = unary_call.with_call(simple(), timeout=60, metadata=(INITIAL, TRAILING))
    assert dict(call.initial_metadata())[INITIAL[0]] == INITIAL[1]
    assert dict(call.trailing_metadata())[TRAILING[0]] == TRAILING[1]
    call = duplex_call(iter([outputs(10)]), timeout=60, metadata=(INITIAL, TRAILING))
    assert len(list(call)) == 1
    assert dict(call.initial_metadata())[INITIAL[0]] == INITIAL[1]
    assert dict(call.trailing_metadata())[TRAILING[0]] == TRAILING[1]


def status_comes_back(text):
    status = pb.EchoStatus(code=2, message=text)
    wanted = (grpc.StatusCode.UNKNOWN, text)
    request = pb.SimpleRequest(response_status=status)
    assert code_of(lambda: unary_call(request, timeout=60)) == wanted
    stream = pb.StreamingOutputCallRequest(response_status=status)
    assert code_of(lambda: list(duplex_call(iter([stream]), timeout=60))) == wanted


@case
def status_code_and_message():
    status_comes_back("test status message")


@case
def special_status_message():
    status_comes_back(
        "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \U0001f608\t\n")


@case
def unimplemented_method():
    call = method("unary_unary", "UnimplementedCall", pb.Empty)
    assert code_of(lambda: call(pb.Empty(), timeout=60))[0] == grpc.StatusCode.UNIMPLEMENTED


@case
def unimplemented_service():
    call = method("unary_unary", "UnimplementedCall", pb.Empty, "/grpc.testing.UnimplementedService/")
    assert code_of(lambda: call(pb.Empty(), timeout=60))[0] == grpc.StatusCode.UNIMPLEMENTED


@case
def cancel_after_begin():
    is_over = threading.Event()

    def requests():
        is_over.wait(10)
        yield from ()
    call = input_call.future(requests(), timeout=60)
    call.cancel()
    is_over.set()
    assert call.cancelled()


@case
def cancel_after_first_response():
    is_over = threading.Event()

    def requests():
        yield outputs(31_415)
        is_over.wait(10)
    call = duplex_call(requests(), timeout=60)
    assert len(next(call).payload.body) == 31_415
    call.cancel()
    is_over.set()
    assert code_of(lambda: list(call))[0] == grpc.StatusCode.CANCELLED


@case
def timeout_on_sleeping_server():
    request = outputs(31_415, interval_us=500_000)
    code = code_of(lambda: list(duplex_call(iter([request]), timeout=0.001)))[0]
    assert code == grpc.StatusCode.DEADLINE_EXCEEDED


failed = 0
for run in cases:
    try:
        run()
        print(f"ok    {run.__name__}", flush=True)
    except Exception:
        failed += 1
        print(f"FAIL  {run.__name__}\n{traceback.format_exc()}", flush=True)
print(f"{len(cases)} cases, {failed} failed")
sys.exit(1 if failed else 0)
