"""A client of the collector, written from proto/PROTOCOL.md and collector.proto alone.

Blocking: frames are read while a call waits for its answer. That is enough for a script; several
calls may still be open on one connection, and their answers may come in any order.
"""

import collections
import random
import socket
import struct
import time

PREFACE = b"FLOTLA/1"
FRAME_HEADER = struct.Struct(">IBBI")
FRAME_BODY_MAX = 65_536
WINDOW_DEFAULT = 1_048_576

DATA, HEADERS, STATUS, CANCEL, SETTINGS, PING, GOAWAY, WINDOW = range(8)
END_OF_STREAM = 1
REPEATS_HEADERS = 2
PING_ANSWER = 1
HAS_PUSHBACK = 2

NAMES = (
    "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS "
    "PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED "
    "INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED").split()
CODES = {name: code for code, name in enumerate(NAMES)}
RETRIABLE = {"UNAVAILABLE", "RESOURCE_EXHAUSTED", "DATA_LOSS"}


class CallFailed(Exception):
    """A call that did not end with OK."""

    def __init__(self, code, text="", pushback_ms=None):
        super().__init__(f"{code}: {text}")
        self.code, self.text, self.pushback_ms = code, text, pushback_ms


class ConnectionEnded(CallFailed):
    """The connection broke or was closed; `goaway` is (last stream, code, text) where one came."""

    def __init__(self, goaway):
        super().__init__("UNAVAILABLE", f"connection ended, GOAWAY {goaway}")
        self.goaway = goaway


def name_of(code):
    """A code that is unknown is read as UNKNOWN."""
    return NAMES[code] if code < len(NAMES) else "UNKNOWN"


def frame(kind, stream, body=b"", flags=0, length=None):
    return FRAME_HEADER.pack(len(body) if length is None else length, kind, flags, stream) + body


def headers_body(path, timeout_ms=0, metadata=()):
    path = path if isinstance(path, bytes) else path.encode()
    body = struct.pack(">IH", timeout_ms, len(path)) + path
    for key, value in metadata:
        key, value = (x if isinstance(x, bytes) else x.encode() for x in (key, value))
        body += struct.pack(">BH", len(key), len(value)) + key + value
    return body


def settings_body(pairs):
    return b"".join(struct.pack(">HI", number, value) for number, value in pairs)


def prefixed(message, compression=0, length=None):
    return struct.pack(">BI", compression, len(message) if length is None else length) + message


class Call:
    """One open call: its messages as they come, then its status."""

    def __init__(self, connection, stream, reply_type, deadline):
        self.connection, self.stream = connection, stream
        self.reply_type, self.deadline = reply_type, deadline
        self.buffer = b""
        self.messages = collections.deque()
        self.status = None

    def receive(self, body):
        self.buffer += body
        while len(self.buffer) >= 5:
            compression, length = struct.unpack_from(">BI", self.buffer)
            if compression != 0:
                self.status = ("UNIMPLEMENTED", "a compressed message", None)
                return
            if len(self.buffer) < 5 + length:
                return
            self.messages.append(self.reply_type.FromString(self.buffer[5:5 + length]))
            self.buffer = self.buffer[5 + length:]

    def next(self):
        """The next message, or None once the call has ended with OK."""
        while not self.messages and self.status is None:
            self.connection.pump(self)
        if self.messages:
            return self.messages.popleft()
        code, text, pushback = self.status
        if code != "OK":
            raise CallFailed(code, text, pushback)
        return None

    def reply(self):
        """The one message of a unary call; an answer counts only together with its OK."""
        message = self.next()
        if message is None:
            raise CallFailed("INTERNAL", "OK without a message")
        if self.next() is not None:
            raise CallFailed("INTERNAL", "two messages in a unary answer")
        return message

    def cancel(self):
        if self.status is None:
            self.status = ("CANCELLED", "by its caller", None)
            self.connection.send(frame(CANCEL, self.stream))


def dial(host, port, timeout=60.0, tls=None):
    """A socket; with an ssl.SSLContext a secured one, on which the same bytes go (section 13)."""
    plain = socket.create_connection((host, port), timeout=timeout)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return tls.wrap_socket(plain, server_hostname=host) if tls else plain


class Connection:
    """A connection and the calls on it."""

    def __init__(self, host, port, token=None, settings=(), preface=PREFACE, tls=None):
        self.socket = dial(host, port, tls=tls)
        self.metadata = [("authorization", f"Bearer {token}")] if token else []
        self.input = b""
        self.calls = {}
        self.last_stream = 0
        self.goaway = None
        self.pings = collections.deque()
        self.peer_settings = {}
        self.window_out = WINDOW_DEFAULT
        self.window_in = dict(settings).get(1, WINDOW_DEFAULT)
        self.consumed = 0
        self.send(preface + (frame(SETTINGS, 0, settings_body(settings)) if settings else b""))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """With RST, so that the port does not stay in TIME_WAIT."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            # What the server said before it closed may still be there to read.
            pass

    # ---- calls

    def open(self, method, reply_type, timeout=60.0, metadata=None):
        """HEADERS alone; the request follows by `send_message`."""
        if self.goaway is not None:
            raise ConnectionEnded(self.goaway)
        self.last_stream += 1
        call = Call(self, self.last_stream, reply_type, time.monotonic() + timeout)
        self.calls[call.stream] = call
        path = method if method.startswith("/") else f"/flotilla.v1.Collector/{method}"
        pairs = self.metadata if metadata is None else metadata
        self.send(frame(HEADERS, call.stream, headers_body(path, int(timeout * 1000), pairs)))
        return call

    def again(self, request, reply_type, timeout=60.0, **sending):
        """A unary call that repeats the last HEADERS."""
        self.last_stream += 1
        call = Call(self, self.last_stream, reply_type, time.monotonic() + timeout)
        self.calls[call.stream] = call
        self.send_message(call, request.SerializeToString(), first=REPEATS_HEADERS, **sending)
        return call.reply()

    def send_message(self, call, message, piece=16_384, compression=0, first=0):
        """One message as DATA frames of at most `piece` bytes, the last with end of stream."""
        while self.window_out <= 0:
            self.pump(call)
        data = prefixed(message, compression)
        for start in range(0, len(data), piece):
            part = data[start:start + piece]
            flags = END_OF_STREAM if start + piece >= len(data) else 0
            flags |= first if start == 0 else 0
            self.window_out -= len(part)
            self.send(frame(DATA, call.stream, part, flags))

    def start(self, method, request, reply_type, timeout=60.0, metadata=None, **sending):
        call = self.open(method, reply_type, timeout, metadata)
        body = request if isinstance(request, bytes) else request.SerializeToString()
        self.send_message(call, body, **sending)
        return call

    def unary(self, method, request, reply_type, **options):
        return self.start(method, request, reply_type, **options).reply()

    def ping(self, opaque, timeout=60.0):
        self.send(frame(PING, 0, opaque))
        deadline = time.monotonic() + timeout
        while not self.pings:
            self.read_frames(deadline)
        return self.pings.popleft()

    # ---- what comes

    def pump(self, call):
        """Reads until something came, or ends `call` at its deadline."""
        try:
            self.read_frames(call.deadline)
        except TimeoutError:
            if call.status is None:
                call.cancel()
                call.status = ("DEADLINE_EXCEEDED", "no answer in time", None)

    def read_frames(self, deadline):
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError()
        self.socket.settimeout(left)
        try:
            data = self.socket.recv(262_144)
        except TimeoutError:
            raise
        except OSError:
            data = b""
        if not data:
            raise ConnectionEnded(self.goaway)
        self.input += data
        while len(self.input) >= FRAME_HEADER.size:
            length, kind, flags, stream = FRAME_HEADER.unpack_from(self.input)
            if len(self.input) < FRAME_HEADER.size + length:
                return
            body = self.input[FRAME_HEADER.size:FRAME_HEADER.size + length]
            self.input = self.input[FRAME_HEADER.size + length:]
            self.handle(kind, flags, stream, body)

    def handle(self, kind, flags, stream, body):
        call = self.calls.get(stream)
        if kind == DATA:
            self.grant(len(body))
            if call is not None and call.status is None:
                call.receive(body)
                if flags & END_OF_STREAM and call.status is None:
                    call.status = ("OK", "", None)
            if flags & END_OF_STREAM:
                self.calls.pop(stream, None)
        elif kind == STATUS:
            if call is not None and call.status is None:
                pushback, text = None, body[1:]
                if flags & HAS_PUSHBACK:
                    pushback, text = struct.unpack_from(">i", body, 1)[0], body[5:]
                call.status = (name_of(body[0]), text.decode(), pushback)
            self.calls.pop(stream, None)
        elif kind == SETTINGS:
            for number, value in struct.iter_unpack(">HI", body):
                self.peer_settings[number] = value
                if number == 1:
                    self.window_out += value - WINDOW_DEFAULT
        elif kind == PING:
            if flags & PING_ANSWER:
                self.pings.append(body)
            else:
                self.send(frame(PING, 0, body, PING_ANSWER))
        elif kind == GOAWAY:
            last, code = struct.unpack_from(">IB", body)
            self.goaway = (last, name_of(code), body[5:].decode())
        elif kind == WINDOW:
            self.window_out += struct.unpack(">I", body)[0]
        else:
            raise CallFailed("INTERNAL", f"frame type {kind} from a server")

    def grant(self, count):
        """Gives back what was consumed once it is half the window."""
        self.consumed += count
        if self.consumed >= self.window_in // 2:
            self.send(frame(WINDOW, 0, struct.pack(">I", self.consumed)))
            self.consumed = 0


def with_retries(attempt, attempts=5, base=0.1, cap=2.0, chance=random.Random(1)):
    """`attempt` again after what may be retried, with full jitter; a pushback is waited for."""
    for k in range(attempts):
        try:
            return attempt()
        except CallFailed as failure:
            if failure.code not in RETRIABLE or k + 1 == attempts:
                raise
            if failure.pushback_ms is not None and failure.pushback_ms < 0:
                raise
            wait = chance.uniform(0, min(cap, base * 2 ** k))
            if failure.pushback_ms is not None:
                wait = failure.pushback_ms / 1000
            time.sleep(wait)
    raise AssertionError("attempts must be positive")
