"""Small receivers with the answers of three SDKs' backends, and as strict as those.
Prints its port, gives back what it holds under /track?id=ID, and runs until it is killed.

    POST /overland          Overland: 201 {"result":"ok"}, as Dawarich answers
    POST /v1/track[/replay] Radar: 200 {"meta":{"code":200}, ...}
    POST /locations         transistorsoft: 200 without a body

With --no it answers as each does where it does not take them: 200 {"error"}, 429, 500.
"""

import argparse
import collections
import datetime
import json
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

parser = argparse.ArgumentParser()
parser.add_argument("--no", action="store_true")
options = parser.parse_args()
lock = threading.Lock()
tracks = collections.defaultdict(list)
requests = collections.Counter()


class WrongError(Exception):
    pass


def demand(condition, what):
    if not condition:
        raise WrongError(what)


def number(value, low, high, what):
    demand(isinstance(value, (int, float)) and not isinstance(value, bool), what)
    demand(low <= value <= high, what)
    return value


def instant(text):
    """Milliseconds since 1970 of an ISO 8601 text with a zone."""
    demand(isinstance(text, str), "timestamp")
    at = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    demand(at.tzinfo is not None, "timestamp has a zone")
    return round(at.timestamp() * 1000)


def overland(message, headers):
    demand(headers.get("Authorization", "").startswith("Bearer "), "token")
    demand(message["locations"], "locations")
    for feature in message["locations"]:
        demand(feature["type"] == "Feature", "feature")
        demand(feature["geometry"]["type"] == "Point", "point")
        longitude, latitude = feature["geometry"]["coordinates"]
        properties = feature["properties"]
        number(properties["horizontal_accuracy"], 0, 100_000, "horizontal_accuracy")
        number(properties["battery_level"], -1, 1, "battery_level")
        demand(properties["battery_state"] in ("unknown", "charging", "full", "unplugged"), "state")
        demand(isinstance(properties["motion"], list), "motion")
        yield properties["device_id"], instant(properties["timestamp"]), latitude, longitude


def radar(message, headers):
    demand(headers.get("Authorization", "").startswith("prj_"), "key, without Bearer")
    for track in message.get("replays", [message]):
        demand(track["installId"] and track["deviceType"] == "iOS", "install")
        demand(track["replayed"] == ("replays" in message), "replayed")
        number(track["accuracy"], 0, 100_000, "accuracy")
        at = number(track["locationMs"], 1e12, 1e13, "locationMs")
        yield track["deviceId"], at, track["latitude"], track["longitude"]


def transistorsoft(message, headers):
    location = message["location"]
    demand(len(location["uuid"]) == 36, "uuid")
    demand(location["activity"]["type"] in ACTIVITIES, "activity")
    number(location["battery"]["level"], -1, 1, "battery")
    coords = location["coords"]
    number(coords["accuracy"], 0, 100_000, "accuracy")
    at = instant(location["timestamp"])
    yield message["device_id"], at, coords["latitude"], coords["longitude"]


ACTIVITIES = "still on_foot walking running in_vehicle on_bicycle unknown".split()
RADAR = {"meta": {"code": 200}, "user": {"_id": "u"}, "events": []}
ROUTES = {
    "/overland": (overland, (201, {"result": "ok"}), (200, {"error": "not now"})),
    "/v1/track": (radar, (200, RADAR), (429, {"meta": {"code": 429}})),
    "/v1/track/replay": (radar, (200, RADAR), (429, {"meta": {"code": 429}})),
    "/locations": (transistorsoft, (200, None), (500, None)),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def say(self, status, value):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        with lock:
            if path == "/requests":
                return self.say(200, dict(requests))
            name = urllib.parse.parse_qs(query).get("id", [""])[0]
            return self.say(200, {"points": tracks[name]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        read, taken, refused = ROUTES[self.path]
        try:
            demand(self.headers.get("Content-Type", "").startswith("application/json"), "type")
            points = []
            for name, at, latitude, longitude in read(json.loads(body), self.headers):
                number(latitude, -90, 90, "latitude")
                number(longitude, -180, 180, "longitude")
                points.append((name, {"at": at, "lat": latitude, "lon": longitude}))
        except (WrongError, KeyError, ValueError, TypeError) as problem:
            print(f"{self.path}: {problem!r} in {body[:400]}", file=sys.stderr, flush=True)
            return self.say(422, {"error": str(problem)})
        with lock:
            requests[self.path] += 1
        if options.no:
            return self.say(*refused)
        with lock:
            for name, point in points:
                tracks[name].append(point)
        return self.say(*taken)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
