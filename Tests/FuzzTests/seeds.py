"""Where fuzzers of the wire begin: `seeds.py FLOTILLA FOLDER` fills FOLDER/Frames, FOLDER/HTTP2,
FOLDER/TLS, FOLDER/Batches.

All come from real traffic. A fleet, the conformance script and grpcio talk to a collector through
a relay that writes down what passes; the fleet also captures its uploads (PROTOCOL.md section 12); uploads in
other encodings are written here. The first bytes of a seed say how ConnectionCheck.swift, TLSCheck.swift
and UploadCheck.swift take the rest.
"""

import hashlib
import pathlib
import re
import socket
import ssl
import struct
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/LiveTests/Python"))

import zstandard

from messages import pb
from payload import Fix, upload_of

BYTES_MAX = 4_000
# Of each kind; a fleet's connections are all alike.
SEEDS_MAX = 400


def keep(folder, data, kept=set()):
    """One file a content, and not many of one length."""
    kind = (folder, data[0], len(data))
    if 0 < len(data) <= BYTES_MAX and kind not in kept:
        kept.add(kind)
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


class Relay:
    """Passes connections on to a port and writes down both directions of each."""

    def __init__(self, port, folder):
        self.port, self.folder = port, folder
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            phone, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.port))
            for source, target, side in ((phone, server, 0), (server, phone, 0x80)):
                threading.Thread(
                    target=self.carry, args=(source, target, side), daemon=True).start()

    def carry(self, source, target, side):
        seen = b""
        try:
            while data := source.recv(65_536):
                seen = (seen + data)[:BYTES_MAX]
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        if len(list(self.folder.iterdir())) < 2 * SEEDS_MAX:
            keep(self.folder, bytes([side | len(seen) % 128]) + seen)


def written(folder):
    """Uploads of a few sizes in every encoding, as payload.py writes them."""
    for encoding in pb.Encoding.values():
        for count in (1, 2, 20, 60):
            fixes = [Fix(179_000_000_000 + 100 * i, 48_137_000 + 13 * i, 11_575_000 - i, 10, 14, 90)
                     for i in range(count)]
            take(folder, upload_of(7, count, fixes, encoding).SerializeToString())


def batches(capture, folder):
    data, offset, count = capture.read_bytes(), 0, 0
    while offset < len(data) and count < SEEDS_MAX:
        _, length = struct.unpack_from(">BI", data, offset)
        message = data[offset + 5:offset + 5 + length]
        offset, count = offset + 5 + length, count + 1
        take(folder, message)


def take(folder, message):
    upload = pb.UploadRequest.FromString(message)
    fixes = struct.pack(">H", upload.fix_count)
    keep(folder, b"\0" + fixes + message)
    keep(folder, b"\1" + fixes + message)
    if upload.encoding == pb.ENCODING_ZSTD:
        keep(folder, b"\3" + fixes + upload.payload)
        plain = zstandard.ZstdDecompressor().decompress(upload.payload)
        keep(folder, b"\2" + fixes + plain)
    elif upload.encoding == pb.ENCODING_PACKED:
        keep(folder, b"\4" + fixes + upload.payload)
    elif upload.encoding >= pb.ENCODING_ROWS:
        # 5 rows, 6 rows in gzip, 7 rows in zstd.
        keep(folder, bytes([2 + upload.encoding]) + fixes + upload.payload)
    else:
        keep(folder, b"\2" + fixes + upload.payload)


def security(folder):
    """What OpenSSL says first, by version, and records behind so many genuine bytes."""
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = context.maximum_version = version
        context.set_alpn_protocols(["h2"])
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        try:
            context.wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
        except ssl.SSLWantReadError:
            hello = outgoing.read()
        for cut in (0, 0x3F):
            keep(folder, bytes([0x40 | cut, 0, 0]) + hello)
    records = [
        bytes([kind, 3, 3]) + struct.pack(">H", len(body)) + body
        for kind, body in ((20, b"\1"), (21, b"\2\x28"), (21, b"\1\0"), (22, b"\4\0\0\0"),
                           (23, bytes(40)), (24, b"\1\x40\0"))]
    for record in records:
        for offset in (0, 8, 16, 24, 32, 64, 96, 128, 192):
            for way in (0x00, 0x40, 0x80, 0xC0):
                seed = bytes([way, offset, 0]) + record
                (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    frames = folder / "Frames"
    for target in (frames, folder / "HTTP2", folder / "TLS", folder / "Batches"):
        target.mkdir(parents=True, exist_ok=True)
    capture = folder / "capture"
    for client in ("fleet", "script", "grpc-fleet", "grpc"):
        with subprocess.Popen(
                [program, "collect", "--listen", "127.0.0.1:0", "--store", "none", "--ui", "plain"],
                stdout=subprocess.PIPE, text=True) as collector:
            port = int(re.search(r":(\d+)\s*$", collector.stdout.readline()).group(1))
            passed = folder / "HTTP2" if client.startswith("grpc") else frames
            relay = f"127.0.0.1:{Relay(port, passed).listener.getsockname()[1]}"
            if client.endswith("fleet"):
                command = [
                    program, "load", "city", "--phones", "400", "--duration", "10min", "--speed", "60",
                    "--collector", relay, "--out", str(folder / client),
                    "--set", f"run.capture={capture}", "--ui", "none",
                    "--set", "run.carrier=" + ("grpc" if client.startswith("grpc") else "flotilla")]
            else:
                script = "grpc_client.py" if client == "grpc" else "conformance.py"
                command = [
                    sys.executable, str(ROOT / "Tests/LiveTests/Python" / script),
                    *relay.split(":")]
            subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL)
            collector.terminate()
    batches(capture, folder / "Batches")
    written(folder / "Batches")
    security(folder / "TLS")
    capture.unlink()


main()
