"""A grpcio server with an API of its own, made from a descriptor set: prints its port.

`strange_server.py SET [--reflection] [--token TOKEN] [--stay]`: serves strange.v1.Ingest, with reflection
(v1alpha, which grpcio has), for those that send `authorization: Bearer TOKEN`. What it was sent
stands on standard output, a line of JSON each; it ends when standard input does, or stays.
"""

import argparse
import json
import pathlib
import sys
from concurrent import futures

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

arguments = argparse.ArgumentParser()
arguments.add_argument("set", type=pathlib.Path)
arguments.add_argument("--reflection", action="store_true")
arguments.add_argument("--token")
arguments.add_argument("--stay", action="store_true")
options = arguments.parse_args()

pool = descriptor_pool.DescriptorPool()
for file in descriptor_pb2.FileDescriptorSet.FromString(options.set.read_bytes()).file:
    pool.Add(file)
service = pool.FindServiceByName("strange.v1.Ingest")
method = service.methods_by_name["Upload"]
Upload, Reply = (
    message_factory.GetMessageClass(kind) for kind in (method.input_type, method.output_type))


class Guard(grpc.ServerInterceptor):
    def intercept_service(self, proceed, details):
        said = dict(details.invocation_metadata).get("authorization")
        if options.token and said != f"Bearer {options.token}":
            refuse = lambda request, context: context.abort(
                grpc.StatusCode.UNAUTHENTICATED, "who are you?")
            handler = proceed(details)
            return handler and (
                grpc.stream_stream_rpc_method_handler(refuse) if handler.request_streaming
                else grpc.unary_unary_rpc_method_handler(refuse))
        return proceed(details)


def upload(data, context):
    message = Upload.FromString(data)
    print(json.dumps({
        "same": message.SerializeToString(deterministic=True) == data,
        "metadata": dict(context.invocation_metadata()),
        "message": json_format.MessageToDict(message, preserving_proto_field_name=True),
    }), flush=True)
    if message.seq == 13:
        context.abort(grpc.StatusCode.ALREADY_EXISTS, "13 was here")
    return Reply(
        accepted=True, stored=len(message.points), session={"id": "s-1"}).SerializeToString()


server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), interceptors=(Guard(),))
server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(
    service.full_name, {"Upload": grpc.unary_unary_rpc_method_handler(upload)}),))
if options.reflection:
    from grpc_reflection.v1alpha import reflection

    reflection.enable_server_reflection((service.full_name,), server, pool=pool)
port = server.add_insecure_port("127.0.0.1:0")
server.start()
print(port, flush=True)
if options.stay:
    server.wait_for_termination()
sys.stdin.read()
server.stop(0)
