"""Starts Home Assistant 2024.3.3 with its receivers for phones, without onboarding, and ends with
its parent. Prints `listening on HOST:PORT token TOKEN` once it serves.

    python3 -m venv VENV && VENV/bin/pip install -r home_assistant.txt
    VENV/bin/python home_assistant.py FOLDER PORT [WHEN]

WHEN, such as `minutes: /10`, is an automation's time pattern: every phone that has registered is
then asked for its position, by notify.

Its configuration is what onboarding would have left: an owner with a long-lived token, and entries
for owntracks, traccar and gpslogger, whose webhooks have these names. Phones register themselves.
"""

import base64
import ctypes
import hashlib
import hmac
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

KEY = "0" * 128
GROUPS = {
    "system-admin": "Administrators",
    "system-users": "Users",
    "system-read-only": "Read Only",
}


def identifier(text):
    return hashlib.md5(text.encode()).hexdigest()


ASKING = """\
automation:
  - alias: where are they
    mode: single
    trigger: {platform: time_pattern, WHEN}
    action:
      - service: notify.notify
        data: {message: request_location_update}
"""


def configuration(folder, port, when):
    # A slow commit would hide rows from the read-back; 1 s is the shortest.
    return f"""\
homeassistant:
  {{name: test, latitude: 0, longitude: 0, elevation: 0, unit_system: metric, time_zone: UTC,
   currency: EUR, country: DE}}
http: {{server_host: 127.0.0.1, server_port: {port}}}
logger: {{default: warning}}
api:
mobile_app:
owntracks:
recorder:
  db_url: "sqlite:///{folder}/recorder.db"
  commit_interval: 1
  auto_purge: false
  include: {{domains: [device_tracker]}}
history:
""" + (ASKING.replace("WHEN", when) if when else "")


def store(folder, name, data, version=1):
    record = {"version": version, "minor_version": 1, "key": name, "data": data}
    (folder / ".storage" / name).write_text(json.dumps(record))


def authentication():
    user = {
        "id": identifier("user"),
        "group_ids": ["system-admin"],
        "is_owner": True,
        "is_active": True,
        "name": "test",
        "system_generated": False,
        "local_only": False,
    }
    token = {
        "id": identifier("token"),
        "user_id": user["id"],
        "client_id": None,
        "client_name": "test",
        "client_icon": None,
        "token_type": "long_lived_access_token",
        "created_at": "2024-01-01T00:00:00+00:00",
        "access_token_expiration": 315360000.0,
        "token": "1" * 128,
        "jwt_key": KEY,
        "last_used_at": None,
        "last_used_ip": None,
        "expire_at": None,
        "credential_id": None,
        "version": "2024.3.3",
    }
    return {
        "users": [user],
        "groups": [{"id": group, "name": name} for group, name in GROUPS.items()],
        "credentials": [],
        "refresh_tokens": [token],
    }


def entry(domain, data):
    return {
        "entry_id": identifier(domain),
        "version": 1,
        "minor_version": 1,
        "domain": domain,
        "title": domain,
        "data": data,
        "options": {},
        "pref_disable_new_entities": False,
        "pref_disable_polling": False,
        "source": "user",
        "unique_id": None,
        "disabled_by": None,
    }


def bearer():
    def packed(raw):
        return base64.urlsafe_b64encode(raw).rstrip(b"=")

    claims = {"iss": identifier("token"), "iat": 1704067200, "exp": 4102444800}
    body = packed(b'{"alg":"HS256","typ":"JWT"}') + b"." + packed(json.dumps(claims).encode())
    mark = hmac.new(KEY.encode(), body, hashlib.sha256).digest()
    return (body + b"." + packed(mark)).decode()


def write(folder, port, when):
    (folder / ".storage").mkdir(parents=True, exist_ok=True)
    (folder / "configuration.yaml").write_text(configuration(folder, port, when))
    done = {"done": ["user", "core_config", "analytics", "integration"]}
    store(folder, "onboarding", done, version=4)
    store(folder, "auth", authentication())
    hook = {"cloudhook": False}
    entries = [
        entry("owntracks", hook | {"webhook_id": "owntracks", "secret": ""}),
        entry("traccar", hook | {"webhook_id": "traccar"}),
        entry("gpslogger", hook | {"webhook_id": "gpslogger"}),
    ]
    store(folder, "core.config_entries", {"entries": entries})


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def is_running(port, token):
    url = f"http://127.0.0.1:{port}/api/config"
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return json.load(answer).get("state") == "RUNNING"
    except (OSError, ValueError, urllib.error.URLError):
        return False


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    port = int(sys.argv[2])
    write(folder, port, sys.argv[3] if len(sys.argv) > 3 else None)
    token = bearer()
    hass = pathlib.Path(sys.executable).parent / "hass"
    with open(folder / "hass.log", "wb") as log:
        server = subprocess.Popen(
            [hass, "--skip-pip", "--log-no-color", "-c", str(folder)],
            stdout=log,
            stderr=log,
            preexec_fn=end_with_parent,
        )
    while not is_running(port, token):
        if server.poll() is not None:
            sys.exit((folder / "hass.log").read_text()[-2000:])
        time.sleep(0.1)
    lines = (folder / "hass.log").read_text().splitlines()
    failed = [line for line in lines if "Setup failed" in line]
    if failed:
        sys.exit("\n".join(failed))
    print(f"listening on 127.0.0.1:{port} token {token}", flush=True)
    server.wait()


main()
