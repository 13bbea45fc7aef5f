"""Who may call a collector that asks for certificates, with grpcio:
`grpc_trust.py ADDRESS CA CERTIFICATE KEY OTHER_CA`.

CERTIFICATE is one that the collector's --client-ca signed. Prints a line a case and exits 1 if any
failed.
"""

import pathlib
import sys
import traceback

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from messages import pb
from payload import Fix, upload_of

SECOND = 1_000_000
START_US = 1_790_000_000 * SECOND
address = sys.argv[1]
ca, certificate, key, other = (pathlib.Path(path).read_bytes() for path in sys.argv[2:6])
known = {"private_key": key, "certificate_chain": certificate}


def connect(authority, **own):
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(authority, **own))


def check(channel):
    return health_pb2_grpc.HealthStub(channel).Check(
        health_pb2.HealthCheckRequest(), timeout=60).status


def refused(channel):
    try:
        check(channel)
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.UNAVAILABLE, error
        return error.details()
    raise AssertionError("it was let in")


def upload():
    """A client with a certificate uploads, and the batch is durable once."""
    channel = connect(ca, **known)

    def call(method, request):
        return channel.unary_unary(
            f"/flotilla.v1.Collector/{method}", request_serializer=lambda r: r.SerializeToString(),
            response_deserializer=getattr(pb, f"{method}Reply").FromString)(request, timeout=60)
    call("OpenRun", pb.OpenRunRequest(
        run_id="trust", phones=10, clock=pb.RunClock(
            scenario_start_us=START_US, measure_start_us=START_US,
            measure_end_us=START_US + 7200 * SECOND, speed=1),
        push=pb.PushSettings(scheduler="none", sweep_us=60 * SECOND)))
    request = upload_of(1, 1, [Fix(START_US // 10_000, 48_137_000, 11_575_000, 8, 10, 20)])
    assert not call("Upload", request).duplicate
    assert call("Upload", request).duplicate


def health():
    assert check(connect(ca, **known)) == health_pb2.HealthCheckResponse.SERVING


def reflection():
    asked = reflection_pb2.ServerReflectionRequest(list_services="")
    stub = reflection_pb2_grpc.ServerReflectionStub(connect(ca, **known))
    (reply,) = stub.ServerReflectionInfo(iter([asked]), timeout=60)
    names = [service.name for service in reply.list_services_response.service]
    assert "flotilla.v1.Collector" in names, names


def no_certificate():
    refused(connect(ca))


def wrong_authority():
    assert "CERTIFICATE_VERIFY_FAILED" in refused(connect(other, **known))


def in_the_clear():
    refused(grpc.insecure_channel(address))


failed = 0
cases = (upload, health, reflection, no_certificate, wrong_authority, in_the_clear)
for run in cases:
    try:
        run()
        print(f"ok    {run.__name__}", flush=True)
    except Exception:
        failed += 1
        print(f"FAIL  {run.__name__}\n{traceback.format_exc()}", flush=True)
print(f"{len(cases)} cases, {failed} failed")
sys.exit(1 if failed else 0)
