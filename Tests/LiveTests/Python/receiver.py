"""A backend that takes positions over HTTP, as a user may have one. Prints its port, keeps what it
stores in memory, gives it back under /track, and ends with its standard input.

    POST /devices             {"id"}           201 {"session"}
    POST /fixes               {"id", "points"} 200 {"ok": true}, by --answers
    GET  /track?id=ID                          200 {"points": [...]}
    GET  /map                                  200 {"points": [...]}, the last of each device, with "id"
    GET  /counts                               200 {"requests", "fixes", "devices", "newestAge"}
    GET  /tokens                               200, the push tokens of devices: phone,token a row
"""

import argparse
import collections
import json
import socketserver
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
# ok, loses (stores every tenth fix), twice, 400, 401-once, 503, 503-half, silent, closes,
# part (of every other request takes all fixes but one, and says how many), rows-space,
# rows-vague, rows-mirrored, rows-none, rows-pages (takes all; what it gives back is so),
# ceiling-N (so many a second, the others wait)
parser.add_argument("--answers", default="ok")
parser.add_argument("--token", default="")
parser.add_argument("--stay", action="store_true", help="until it is killed")
options = parser.parse_args()

lock = threading.Lock()
gate = threading.Lock()
tracks = collections.defaultdict(list)
sessions = {}
tokens = {}
counts = collections.Counter()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def say(self, status, value, headers=()):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, text in headers:
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def text(self, text):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def message(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/metrics":
            pages = int(open("/proc/self/statm").read().split()[1])
            text = (
                f"process_cpu_seconds_total {time.process_time()}\n"
                f"process_resident_memory_bytes {pages * 4096}\n"
            )
            return self.text(text)
        if path == "/counts":
            with lock:
                # Some phones' clocks are wrong.
                ages = [abs(time.time() - t[-1]["at"] / 1000) for t in tracks.values() if t]
                age = min(ages, default=1e9)
                return self.say(
                    200, dict(counts) | {"devices": len(sessions), "newestAge": age})
        if path == "/tokens":
            with lock:
                rows = "".join(f"{name},{token}\n" for name, token in tokens.items())
            body = f"phone,token\n{rows}".encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            return self.wfile.write(body)
        if path == "/map":
            with lock:
                last = [dict(t[-1], id=name) for name, t in tracks.items() if t]
            return self.say(200, {"points": last})
        name = urllib.parse.parse_qs(query).get("id", [""])[0]
        with lock:
            points = tracks[name]
        match options.answers:
            case "rows-space":
                points = [dict(p, at=self.time(p, "%Y-%m-%d %H:%M:%S+00")) for p in points]
            case "rows-vague":
                points = [dict(p, at="a while ago") for p in points]
            case "rows-mirrored":
                points = [dict(p, lat=p["lon"], lon=p["lat"]) for p in points]
            case "rows-none":
                return self.say(404, None)
            case "rows-pages":
                start = int(urllib.parse.parse_qs(query).get("from", ["0"])[0])
                follows = start + 7 if start + 7 < len(points) else None
                return self.say(200, {"points": points[start : start + 7], "next": follows})
        return self.say(200, {"points": points})

    def time(self, point, form):
        return time.strftime(form, time.gmtime(point["at"] / 1000))

    def do_POST(self):
        message = self.message()
        name = message["id"]
        if options.token and self.headers.get("Authorization") != f"Bearer {options.token}":
            return self.say(401, None)
        if self.path == "/devices":
            with lock:
                sessions[name] = f"s-{len(sessions)}"
                if "push_token" in message:
                    tokens[name] = message["push_token"]
                return self.say(201, {"session": sessions[name]})
        with lock:
            counts["requests"] += 1
            number = counts["requests"]
        if self.headers.get("X-Session") != sessions.get(name):
            return self.say(403, None)
        points = message["points"]
        match options.answers:
            case "400":
                return self.say(400, {"error": "no"})
            case "503":
                return self.say(503, None, [("Retry-After", "1")])
            case "503-half" if number % 2:
                return self.say(503, None, [("Retry-After", "1")])
            case "silent":
                time.sleep(3600)
            case "closes":
                self.close_connection = True
                return None
        if options.answers.startswith("ceiling-"):
            with gate:
                time.sleep(1 / float(options.answers.removeprefix("ceiling-")))
        with lock:
            if options.answers == "part" and number % 2:
                points = points[1:]
            for point in points:
                counts["fixes"] += 1
                if options.answers == "loses" and counts["fixes"] % 10:
                    continue
                tracks[name] += [point] * (2 if options.answers == "twice" else 1)
        return self.say(200, {"ok": options.answers != "part", "accepted": len(points)})


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 1024


server = Server(("127.0.0.1", options.port), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"listening on 127.0.0.1:{server.server_address[1]}", flush=True)
if options.stay:
    threading.Event().wait()
sys.stdin.read()
