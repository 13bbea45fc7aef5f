"""A sender of pushes that keeps to HTTP/2 and to nothing else: push_strange.py URL CA TOKENS PID"""
import base64
import csv
import json
import os
import signal
import socket
import ssl
import sys
import time
from urllib.parse import urlsplit

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import (
    ConnectionTerminated, DataReceived, RemoteSettingsChanged, ResponseReceived, StreamEnded,
    StreamReset,
)
from h2.settings import SettingCodes

url, ca, tokens, pid = sys.argv[1:5]
address = urlsplit(url)
tokens = [row["token"] for row in csv.DictReader(open(tokens))]
failed = 0


def part(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def provider_token(team="TEAM000001", age=0):
    head = json.dumps({"alg": "ES256", "kid": "KEY0000001"}).encode()
    claims = json.dumps({"iss": team, "iat": int(time.time()) - age}).encode()
    return "bearer " + ".".join([part(head), part(claims), part(bytes(64))])


# One token for all connections: a newer one would come too soon.
TOKEN = provider_token()


class Sender:
    def __init__(self):
        context = ssl.create_default_context(cafile=ca)
        context.set_alpn_protocols(["h2"])
        raw = socket.create_connection((address.hostname, address.port), timeout=60)
        self.socket = context.wrap_socket(raw, server_hostname=address.hostname)
        self.h2 = H2Connection(H2Configuration(header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.answers, self.resets, self.settings, self.farewell = {}, {}, [], None
        self.send()

    def send(self):
        self.socket.sendall(self.h2.data_to_send())

    def begin(self, token, body=b'{"aps":{"content-available":1}}', **changes):
        stream = self.h2.get_next_available_stream_id()
        fields = {
            ":method": "POST", ":scheme": "https", ":path": "/3/device/" + token,
            "host": address.hostname, "authorization": TOKEN,
            "apns-topic": "org.example.tracker", "apns-push-type": "background",
            "apns-priority": "5",
        }
        for name, value in changes.items():
            fields[name.replace("_", "-")] = value
        self.h2.send_headers(stream, [(n, v) for n, v in fields.items()], end_stream=not body)
        while body:
            self.h2.send_data(stream, body[:1_000], end_stream=len(body) <= 1_000)
            body = body[1_000:]
        return stream

    def until(self, is_done):
        while not is_done():
            data = self.socket.recv(65_536)
            if not data:
                return
            for event in self.h2.receive_data(data):
                if isinstance(event, ResponseReceived):
                    self.answers[event.stream_id] = [dict(event.headers), b"", False]
                elif isinstance(event, DataReceived):
                    self.answers[event.stream_id][1] += event.data
                elif isinstance(event, StreamEnded):
                    self.answers[event.stream_id][2] = True
                elif isinstance(event, StreamReset):
                    self.resets[event.stream_id] = int(event.error_code)
                elif isinstance(event, RemoteSettingsChanged):
                    limit = event.changed_settings.get(SettingCodes.MAX_CONCURRENT_STREAMS)
                    if limit:
                        self.settings.append(limit.new_value)
                elif isinstance(event, ConnectionTerminated):
                    self.farewell = (int(event.error_code), event.additional_data)
            self.send()

    def ask(self, *arguments, **changes):
        stream = self.begin(*arguments, **changes)
        self.send()
        self.until(lambda: self.answers.get(stream, [0, 0, False])[2])
        fields, body, _ = self.answers[stream]
        return fields, json.loads(body)["reason"] if body else ""


def check(what, is_true, *seen):
    global failed
    print("ok" if is_true else "FAIL", what, *([] if is_true else seen))
    failed += not is_true


# A thousand streams at once before the first answer: the first is served, those that come with it are
# refused; what comes when it was accepted is served.
hasty = Sender()
streams = [hasty.begin(tokens[place % len(tokens)]) for place in range(1_000)]
hasty.send()
hasty.until(lambda: len(hasty.answers) + len(hasty.resets) == 1_000)
check("one stream at first", min(hasty.answers) == streams[0], list(hasty.answers))
check("others are refused", set(hasty.resets.values()) == {7} and len(hasty.resets) >= 19,
      hasty.resets)
check("one after the other", set(streams[1:20]) <= set(hasty.resets), hasty.resets)
hasty.until(lambda: len(hasty.settings) == 2)
check("a thousand from then on", hasty.settings == [1, 1_000], hasty.settings)
streams = [hasty.begin(token) for token in tokens[100:400]]
hasty.send()
hasty.until(lambda: all(hasty.answers.get(stream, [0, 0, False])[2] for stream in streams))
check("all of them accepted", {hasty.answers[s][0][":status"] for s in streams} == {"200"})

sender = Sender()
fields, reason = sender.ask(tokens[0])
check("accepted with a name", fields[":status"] == "200" and len(fields["apns-id"]) == 36, fields)
check("the sandbox has two", len(fields.get("apns-unique-id", "")) == 36, fields)
for what, arguments, changes, status, wanted in [
    ("payload", (b"x" * 4_097,), {}, "413", "PayloadTooLarge"),
    ("payload by far", (b"x" * 60_000,), {}, "413", "PayloadTooLarge"),
    ("no payload", (b"",), {}, "400", "PayloadEmpty"),
    ("topic", (), {"apns_topic": "org.example.nobody"}, "400", "TopicDisallowed"),
    ("old token", (), {"authorization": provider_token(age=4_000)}, "403", "ExpiredProviderToken"),
    ("other team", (), {"authorization": provider_token("TEAM000009")}, "403",
     "InvalidProviderToken"),
    ("newer token", (), {"authorization": provider_token(age=1_000)}, "429",
     "TooManyProviderTokenUpdates"),
]:
    fields, reason = sender.ask(tokens[0], *arguments, **changes)
    check(what, (fields[":status"], reason) == (status, wanted), fields, reason)
fields, reason = sender.ask("zz" * 32)
check("odd token", reason == "BadDeviceToken", reason)

# The table of the fields' compression grows, shrinks and grows again.
for size in (0, 4_096, 64, 4_096):
    sender.h2.encoder.header_table_size = size
    fields, _ = sender.ask(tokens[1])
    check(f"table of {size}", fields[":status"] == "200", fields)

# Frames in pieces of a byte.
stream = sender.begin(tokens[2])
for byte in sender.h2.data_to_send():
    sender.socket.sendall(bytes([byte]))
sender.until(lambda: sender.answers.get(stream, [0, 0, False])[2])
check("split frames", sender.answers[stream][0][":status"] == "200")

os.kill(int(pid), signal.SIGTERM)
sender.until(lambda: False)
check("a reason to go", sender.farewell == (0, b'{"reason":"Shutdown"}'), sender.farewell)
sys.exit(1 if failed else 0)
