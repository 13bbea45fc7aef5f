"""A grpcio server of grpc-example.proto: takes parcels, gives them back, and forgets sessions or
points where it is told to. Prints its port; runs until it is killed.

`beacon_server.py SET [--answers ok|loses|busy|forgets] [--reflection] [--cert FILE --key FILE
[--client-ca FILE]]`, SET being the descriptor set of the schema; with a certificate it serves over
TLS, with a CA it takes clients alone whom that has signed.
"""

import argparse
import pathlib
import threading
from concurrent import futures

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

arguments = argparse.ArgumentParser()
arguments.add_argument("set", type=pathlib.Path)
arguments.add_argument("--answers", default="ok")
arguments.add_argument("--reflection", action="store_true")
for name in ("--cert", "--key", "--client-ca"):
    arguments.add_argument(name, type=pathlib.Path)
options = arguments.parse_args()

pool = descriptor_pool.DescriptorPool()
for file in descriptor_pb2.FileDescriptorSet.FromString(options.set.read_bytes()).file:
    pool.Add(file)
service = pool.FindServiceByName("harbor.telemetry.v2.Beacon")
lock = threading.Lock()
sessions, tracks, seen = {}, {}, set()
parcels = opened = 0


def message(name):
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"harbor.telemetry.v2.{name}"))


Session, Receipt, Page = message("Session"), message("Receipt"), message("LogbookPage")


def open_session(hello, context):
    global opened
    with lock:
        opened += 1
        key = f"k{opened}"
        sessions[key] = hello.handset.serial
    return Session(session_key=key)


def deliver(parcel, context):
    global parcels
    with lock:
        parcels += 1
        number = parcels
        serial = sessions.get(parcel.session_key)
        said = dict(context.invocation_metadata())
        if options.answers == "forgets" and number == 3:
            sessions.pop(parcel.session_key, None)
            serial = None
        if options.answers == "busy" and number % 2:
            context.abort(grpc.StatusCode.UNAVAILABLE, "busy")
        if serial is None or said.get("x-session") != parcel.session_key:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "who are you?")
        if parcel.parcel_id in seen:
            return Receipt(verdict=2)
        seen.add(parcel.parcel_id)
        # Whole parcels are lost too: beside a busy machine most have one point.
        kept = number % 2 if options.answers == "loses" else None
        tracks.setdefault(serial, []).extend(parcel.points[:kept])
    return Receipt(verdict=1, kept=len(parcel.points))


def logbook(query, context):
    with lock:
        return Page(points=tracks.get(query.serial, []))


handlers = {"OpenSession": open_session, "Deliver": deliver, "Logbook": logbook}
server = grpc.server(futures.ThreadPoolExecutor(8))
server.add_generic_rpc_handlers([
    grpc.method_handlers_generic_handler(service.full_name, {
        name: grpc.unary_unary_rpc_method_handler(
            body,
            request_deserializer=message_factory.GetMessageClass(
                service.methods_by_name[name].input_type).FromString,
            response_serializer=lambda answer: answer.SerializeToString())
        for name, body in handlers.items()
    })
])
if options.reflection:
    from grpc_reflection.v1alpha import reflection

    reflection.enable_server_reflection((service.full_name,), server, pool=pool)
if options.cert:
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials(
        [(options.key.read_bytes(), options.cert.read_bytes())],
        options.client_ca.read_bytes() if options.client_ca else None,
        require_client_auth=bool(options.client_ca)))
else:
    port = server.add_insecure_port("127.0.0.1:0")
server.start()
print(f"listening on 127.0.0.1:{port}", flush=True)
threading.Event().wait()
