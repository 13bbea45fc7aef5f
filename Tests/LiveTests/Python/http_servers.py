"""A server over HTTP that does right or wrong by the path that it is asked for, with sockets alone,
since libraries do not do wrong. Prints its port, and ends with its standard input."""

import argparse
import gzip
import itertools
import socket
import ssl
import sys
import threading
import time
import zlib

numbers = itertools.count(1)
KEPT = "HTTP/1.1 200 OK\r\n"
# What /every does, one after the other.
EVERY = (
    "ok third early http10 chunked continue slow large endless bomb redirect garbage half close"
).split()
turns = itertools.cycle(EVERY)
turn = threading.Lock()
# The methods of requests to /unanswered.
seen = []


def answer(body=b'{"result":"ok"}', status="200 OK", lines=()):
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *lines]
    return ("\r\n".join(head) + "\r\n\r\n").encode() + body


def drain(raw):
    """Says that it ends, and takes what is still on its way: else a reset would overtake."""
    try:
        socket.socket.shutdown(raw, socket.SHUT_WR)
        raw.settimeout(60)
        while socket.socket.recv(raw, 65536):
            pass
    except OSError:
        pass
    raw.close()


class Connection:
    def __init__(self, raw):
        self.raw = raw
        self.number = next(numbers)
        self.requests = 0
        self.left = b""

    def read(self, count=65536):
        more = self.raw.recv(count)
        if not more:
            raise ConnectionError
        self.left += more

    def head(self):
        while b"\r\n\r\n" not in self.left:
            self.read()
        head, _, self.left = self.left.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        fields = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines[1:])
        }
        return lines[0].split(" ")[:2], fields, len(head) + 4

    def body(self, fields):
        count = int(fields.get("content-length", 0))
        while len(self.left) < count:
            self.read()
        body, self.left = self.left[:count], self.left[count:]
        return body

    def send(self, data):
        self.raw.sendall(data)

    def who(self):
        lines = [f"X-Connection: {self.number}", f"X-Request: {self.requests}"]
        if isinstance(self.raw, ssl.SSLSocket):
            lines.append(f"X-Resumed: {self.raw.session_reused}")
            peer = self.raw.getpeercert() or {}
            names = [value for entry in peer.get("subject", ()) for _, value in entry]
            lines.append(f"X-Peer: {','.join(names)}")
        return lines


def serve(raw):
    connection = Connection(raw)
    try:
        while once(connection):
            pass
    except (OSError, ConnectionError):
        pass
    drain(raw)


def once(c):
    """Answers one request; false where the connection ends then."""
    (method, path), fields, head_bytes = c.head()
    c.requests += 1
    if path == "/every":
        with turn:
            path = f"/{next(turns)}"
    if path == "/early":
        c.send(answer(b"too large", "413 Content Too Large", ["Connection: close"]))
        return False
    body = c.body(fields)
    if path == "/ok":
        c.send(answer(lines=c.who()))
    elif path == "/third":
        is_last = c.requests % 3 == 0
        c.send(answer(lines=c.who() + ["Connection: close"] * is_last))
        return not is_last
    elif path == "/unanswered":
        # Takes the second request of a connection, and closes it without a word.
        seen.append(method)
        if c.requests > 1:
            return False
        c.send(answer(lines=c.who() + [f"X-Seen: {len(seen)}"]))
    elif path == "/last":
        c.send(answer(lines=c.who()))
        time.sleep(0.2)
        return False
    elif path == "/echo":
        text = "\n".join([method, *(f"{k}: {v}" for k, v in sorted(fields.items()))])
        c.send(answer(text.encode() + b"\n\n" + body))
    elif path == "/bytes":
        c.send(answer(str(head_bytes + len(body)).encode()))
    elif path == "/http10":
        c.send(b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + b'{"result":"ok"}')
        return False
    elif path == "/chunked":
        c.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n")
        for part in (b'{"result":', b'"ok"}'):
            c.send(b"%x;note=1\r\n" % len(part) + part + b"\r\n")
        c.send(b"0\r\nX-Sum: 15\r\n\r\n")
    elif path == "/continue":
        c.send(b"HTTP/1.1 100 Continue\r\nX-Early: yes\r\n\r\n" + answer())
    elif path == "/slow":
        c.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n")
        while True:
            c.send(b".")
            time.sleep(0.05)
    elif path == "/never":
        time.sleep(30)
    elif path == "/late":
        time.sleep(0.2)
        c.send(answer(lines=c.who()))
    elif path == "/large":
        c.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10485760\r\n\r\n" + b"x" * 10_485_760)
    elif path == "/endless":
        c.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            c.send(b"10000\r\n" + b"x" * 65_536 + b"\r\n")
    elif path == "/heads":
        c.send(KEPT.encode() + b"".join(b"X-%d: %s\r\n" % (n, b"y" * 900) for n in range(200)))
        c.send(b"Content-Length: 0\r\n\r\n")
    elif path == "/bomb":
        bomb = gzip.compress(bytes(50_000_000), 9)
        c.send(answer(bomb, lines=["Content-Encoding: gzip"]))
    elif path == "/gzip":
        c.send(answer(gzip.compress(b'{"result":"ok"}'), lines=["Content-Encoding: gzip"]))
    elif path == "/deflate":
        packed = zlib.compress(b'{"result":"ok"}')
        c.send(answer(packed, lines=["Content-Encoding: deflate"]))
    elif path == "/br":
        packed = bytes.fromhex("0b07807b22726573756c74223a226f6b227d03")
        c.send(answer(packed, lines=["Content-Encoding: br"]))
    elif path == "/torn":
        torn = gzip.compress(b"")[:10] + b"\xff" * 40
        c.send(answer(torn, lines=["Content-Encoding: gzip"]))
    elif path == "/coded":
        c.send(answer(lines=["Content-Encoding: utf-8"]))
    elif path == "/redirect":
        c.send(answer(b"", "302 Found", ["Location: /ok"]))
    elif path == "/garbage":
        c.send(b"220 mail.example.com ESMTP ready\r\n")
        return False
    elif path == "/half":
        c.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it")
        return False
    elif path == "/close":
        return False
    else:
        c.send(answer(b"", "404 Not Found"))
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cert")
    parser.add_argument("--key")
    parser.add_argument("--client-ca")
    parser.add_argument("--stay", action="store_true", help="until it is killed")
    options = parser.parse_args()
    context = None
    if options.cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.cert, options.key)
        if options.client_ca:
            context.load_verify_locations(options.client_ca)
            context.verify_mode = ssl.CERT_REQUIRED
    listening = socket.create_server(("127.0.0.1", 0), backlog=512)
    print(listening.getsockname()[1], flush=True)

    def accept():
        while True:
            raw, _ = listening.accept()
            threading.Thread(target=secure, args=(raw,), daemon=True).start()

    def secure(raw):
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            raw = context.wrap_socket(raw, server_side=True, do_handshake_on_connect=False)
            try:
                raw.do_handshake()
            except (ssl.SSLError, OSError):
                # What the client has sent already would turn the close into a reset.
                return drain(raw)
        serve(raw)

    threading.Thread(target=accept, daemon=True).start()
    if options.stay:
        threading.Event().wait()
    sys.stdin.read()


main()
