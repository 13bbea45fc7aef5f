"""A grpcio server with the collector's paths, which our client calls: prints its port.

`grpc_server.py [--cert FILE --key FILE --client-ca FILE]`: with these it serves over TLS, and takes
clients that show a certificate.

Its answers follow gRPC's interop cases by their sizes; it ends when standard input does.
"""

import argparse
import pathlib
import sys
import time
from concurrent import futures

import grpc

from messages import pb

arguments = argparse.ArgumentParser()
for name in ("--cert", "--key", "--client-ca"):
    arguments.add_argument(name, type=pathlib.Path)
options = arguments.parse_args()
attempts = {}


def upload(data, context):
    request = pb.UploadRequest.FromString(data)
    key = (request.phone, request.sequence)
    attempts[key] = attempts.get(key, 0) + 1
    # What a client says of its retries (gRFC A6). An attempt that was refused before it came here,
    # as a stream too many is, counts for the client alone.
    said = dict(context.invocation_metadata()).get("grpc-previous-rpc-attempts")
    assert (attempts[key] == 1 and said is None) or int(said) >= attempts[key] - 1, said
    if request.phone % 10 == 3 and attempts[key] == 1:
        context.set_trailing_metadata((("grpc-retry-pushback-ms", "20"),))
        context.abort(grpc.StatusCode.UNAVAILABLE, "try again")
    return pb.UploadReply(
        sequence=request.sequence, fixes=request.fix_count, check=request.check).SerializeToString()


def snapshot(data, context):
    """large_unary, compressed on its way back."""
    assert len(data) == 271_828, len(data)
    context.set_compression(grpc.Compression.Gzip)
    return bytes(314_159)


def pushes(data, context):
    """server_streaming."""
    for size in (31_415, 9, 2_653, 58_979):
        yield bytes([size % 251]) * size


def holdings(data, context):
    """special_status_message."""
    context.abort(
        grpc.StatusCode.UNKNOWN,
        "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \U0001f608\t\n")


def health(data, context):
    """timeout_on_sleeping_server."""
    time.sleep(1)
    return data


def restore(data, context):
    """empty_unary, and what the client says of itself."""
    sent = dict(context.invocation_metadata())
    assert sent["user-agent"] == "flotilla", sent
    assert 30 < context.time_remaining() <= 60, context.time_remaining()
    return b""


handlers = {
    "Upload": grpc.unary_unary_rpc_method_handler(upload),
    "Snapshot": grpc.unary_unary_rpc_method_handler(snapshot),
    "Pushes": grpc.unary_stream_rpc_method_handler(pushes),
    "Holdings": grpc.unary_unary_rpc_method_handler(holdings),
    "Health": grpc.unary_unary_rpc_method_handler(health),
    "Restore": grpc.unary_unary_rpc_method_handler(restore),
}
server = grpc.server(
    futures.ThreadPoolExecutor(max_workers=4), options=[("grpc.max_concurrent_streams", 8)])
server.add_generic_rpc_handlers(
    (grpc.method_handlers_generic_handler("flotilla.v1.Collector", handlers),))
if options.cert:
    credentials = grpc.ssl_server_credentials(
        [(options.key.read_bytes(), options.cert.read_bytes())],
        root_certificates=options.client_ca.read_bytes(), require_client_auth=True)
    port = server.add_secure_port("127.0.0.1:0", credentials)
else:
    port = server.add_insecure_port("127.0.0.1:0")
server.start()
print(port, flush=True)
sys.stdin.read()
server.stop(0)
