"""Asks every phone of a list for its position, and every third one's owner to come home, as Home
Assistant's mobile_app does.

webhook_sender.py URL TOKENS

Prints how many were answered with which status, and what is left of the last phone's day.
"""
import collections
import csv
import http.client
import json
import sys
from urllib.parse import urlsplit

url, tokens = sys.argv[1:3]
connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
counts = collections.Counter()
answer = {}
for place, row in enumerate(csv.DictReader(open(tokens))):
    body = {
        "message": "Come home" if place % 3 == 0 else "request_location_update",
        "push_token": row["token"],
        "registration_info": {"app_id": "io.robbie.HomeAssistant", "app_version": "2024.3",
                              "webhook_id": row["phone"], "os_version": "17.4"},
    }
    connection.request("POST", "/push", json.dumps(body), {
        "Content-Type": "application/json",
        "User-Agent": "HomeAssistant/2024.3.3 aiohttp/3.9.3 Python/3.11"})
    response = connection.getresponse()
    answer = json.load(response)
    counts[response.status] += 1
for status, count in sorted(counts.items()):
    print(count, status)
print("left", answer.get("rateLimits", {}).get("remaining"))
