"""Pushes many times through whatever happens to its connections: push_storm.py URL CA TOKENS KEY
PUSHES RESTARTED

Each push has its own id and is sent until it is answered, by 200 workers with aioapns. Prints "half"
when half of them are answered. Sends the last tenth only when the file RESTARTED exists. Prints at the
end how many were answered with which status.
"""
import asyncio
import collections
import csv
import logging
import os
import ssl
import sys
import uuid
from urllib.parse import urlsplit

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsProductionClientProtocol

url, ca, tokens, key, pushes, restarted = sys.argv[1:7]
address = urlsplit(url)
APNsProductionClientProtocol.APNS_SERVER = address.hostname
APNsProductionClientProtocol.APNS_PORT = address.port
logging.disable(logging.CRITICAL)
tokens = [row["token"] for row in csv.DictReader(open(tokens))]
pushes = int(pushes)


async def main():
    client = APNs(
        key=open(key).read(), key_id="KEY0000001", team_id="TEAM000001",
        topic="org.example.tracker", max_connections=2,
        ssl_context=ssl.create_default_context(cafile=ca),
    )
    numbers = iter(range(pushes))
    answered = {}
    again = 0

    async def work():
        nonlocal again
        for number in numbers:
            while number >= pushes - pushes // 10 and not os.path.exists(restarted):
                await asyncio.sleep(0.05)
            request = NotificationRequest(
                device_token=tokens[number % len(tokens)],
                message={"aps": {"content-available": 1}},
                notification_id=str(uuid.uuid4()), push_type=PushType.BACKGROUND, priority=5,
            )
            while request.notification_id not in answered:
                try:
                    result = await client.send_notification(request)
                except Exception:
                    # The connection went before an answer came: it is sent again.
                    again += 1
                    await asyncio.sleep(0.05)
                    continue
                answered[request.notification_id] = result.status
                if len(answered) == pushes // 2:
                    print("half", flush=True)

    await asyncio.gather(*(work() for _ in range(200)))
    for status, count in sorted(collections.Counter(answered.values()).items()):
        print(count, status)
    print(f"{again} begun anew", file=sys.stderr)


asyncio.run(main())
