"""An HTTP server whose bodies are messages of grpc-example.proto, as Google's library reads them.
Prints its address, then a line of JSON for each upload, and keeps each body, unpacked, in a folder.

    POST /v2/devices/ID/parcels   a Parcel           200 Receipt
    POST /v2/devices/ID/points    Points, each after its length as a varint
    POST /v2/devices/ID/json      any JSON
    GET  /v2/devices/ID/parcels                      200 LogbookPage

`protobuf_server.py SET FOLDER [--answers ok|garbage|loses]`, SET being the descriptor set of the
schema. A body with another signature than HMAC-SHA256 by secret-NUMBER has the answer 401.
"""

import argparse
import gzip
import hashlib
import hmac
import io
import json
import pathlib
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.internal import decoder

arguments = argparse.ArgumentParser()
arguments.add_argument("set", type=pathlib.Path)
arguments.add_argument("folder", type=pathlib.Path)
arguments.add_argument("--answers", default="ok")
options = arguments.parse_args()

pool = descriptor_pool.DescriptorPool()
for file in descriptor_pb2.FileDescriptorSet.FromString(options.set.read_bytes()).file:
    pool.Add(file)
lock = threading.Lock()
tracks, seen = {}, set()
bodies = 0


def message(name):
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"harbor.telemetry.v2.{name}"))


Parcel, Point, Receipt, Page = map(message, ("Parcel", "Point", "Receipt", "LogbookPage"))


def delimited(body):
    at = 0
    while at < len(body):
        size, at = decoder._DecodeVarint(body, at)
        yield Point.FromString(body[at : at + size])
        at += size


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def say(self, status, body=b"", kind="application/x-protobuf"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        device = self.path.split("/")[3]
        with lock:
            self.say(200, Page(points=tracks.get(device, [])).SerializeToString())

    def do_POST(self):
        global bodies
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        device, what = self.path.split("/")[3:5]
        encoding = self.headers.get("Content-Encoding", "identity")
        if encoding == "gzip":
            body = gzip.decompress(sent)
        elif encoding == "zstd":
            body = subprocess.run(["zstd", "-d", "-c"], input=sent, capture_output=True,
                                  check=True).stdout
        else:
            body = sent
        key = f"secret-{int(device[1:])}".encode()
        code = hmac.new(key, sent, hashlib.sha256).hexdigest()
        isSigned = hmac.compare_digest(self.headers.get("X-Signature", ""), f"sha256={code}")
        points = []
        if what == "parcels":
            read = Parcel.FromString(body)
            points = read.points
            shown = [json_format.MessageToDict(read, preserving_proto_field_name=True)]
            again = read.SerializeToString(deterministic=True)
            name = read.parcel_id
        elif what == "points":
            points = list(delimited(body))
            shown = [json_format.MessageToDict(p, preserving_proto_field_name=True) for p in points]
            out = io.BytesIO()
            for point in points:
                bytes_ = point.SerializeToString()
                assert len(bytes_) < 128
                out.write(bytes([len(bytes_)]) + bytes_)
            again, name = out.getvalue(), None
        else:
            shown, again, name = [json.loads(body)], body, None
        with lock:
            bodies += 1
            (options.folder / f"body-{bodies}").write_bytes(body)
            verdict = 2 if name in seen else 1
            if name:
                seen.add(name)
            if isSigned and verdict == 1:
                kept = points[:-1] if options.answers == "loses" else points
                tracks.setdefault(device, []).extend(kept)
            print(json.dumps({
                "path": self.path, "type": self.headers.get("Content-Type"),
                "accept": self.headers.get("Accept"), "encoding": encoding, "signed": isSigned,
                "signature": self.headers.get("X-Other"), "sent": sent.hex(),
                "same": again == body, "messages": shown,
            }), flush=True)
        if not isSigned:
            return self.say(401, b'{"error": "signature"}', "application/json")
        if options.answers == "garbage":
            return self.say(200, b"\x0f\xff<html>\x1b[31m")
        self.say(200, Receipt(verdict=verdict, kept=len(points)).SerializeToString())


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"listening on 127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
