"""A server that keeps the events of phones and lists them: POST /events, GET /events?device=D&page=N
with three rows on a page. Acknowledges fixes. With --lose, it acknowledges every fourth event and
forgets it, and keeps another fourth twice. Prints its port, and serves until it is killed."""

import argparse
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PAGE = 3
events, lock = {}, threading.Lock()
received = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body):
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        global received
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/events":
            with lock:
                rows = events.setdefault(body["device"], {})
                if body["id"] not in rows:
                    received += 1
                    copies = {0: 0, 1: 2}.get(received % 4, 1) if options.lose else 1
                    rows[body["id"]] = [body] * copies
        self.answer({})

    def do_GET(self):
        query = parse_qs(urlsplit(self.path).query)
        with lock:
            all = [row for rows in events.get(query["device"][0], {}).values() for row in rows]
        first = (int(query["page"][0]) - 1) * PAGE
        self.answer({"events": all[first : first + PAGE]})


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--lose", action="store_true")
options = parser.parse_args()
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
