"""Pushes every phone of a list, as a server of yours may do it.

push_sender.py URL CA TOKENS KEY [--team TEAM] [--key KEYID] [--topic TOPIC] [--rounds N]
[--after FILE]

Begins when FILE exists. Prints how many pushes were answered with which status and reason.
"""
import argparse
import asyncio
import collections
import csv
import logging
import os
import ssl
from urllib.parse import urlsplit

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsProductionClientProtocol


async def push(client, token):
    request = NotificationRequest(
        device_token=token,
        message={"aps": {"content-available": 1}},
        push_type=PushType.BACKGROUND,
        priority=5,
        time_to_live=3600,
    )
    return await client.send_notification(request)


async def main():
    parser = argparse.ArgumentParser()
    for name in ("url", "ca", "tokens", "key_file"):
        parser.add_argument(name)
    parser.add_argument("--team", default="TEAM000001")
    parser.add_argument("--key", default="KEY0000001")
    parser.add_argument("--topic", default="org.example.tracker")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--after")
    options = parser.parse_args()
    while options.after and not os.path.exists(options.after):
        await asyncio.sleep(0.05)
    # The library has Apple's addresses in the protocol's class: these two lines point it elsewhere.
    address = urlsplit(options.url)
    APNsProductionClientProtocol.APNS_SERVER = address.hostname
    APNsProductionClientProtocol.APNS_PORT = address.port
    logging.getLogger("aioapns").setLevel(logging.CRITICAL)
    client = APNs(
        key=open(options.key_file).read(), key_id=options.key, team_id=options.team,
        topic=options.topic, max_connections=1,
        ssl_context=ssl.create_default_context(cafile=options.ca),
    )
    tokens = [row["token"] for row in csv.DictReader(open(options.tokens))]
    counts = collections.Counter()

    def note(result):
        counts[f"{result.status} {result.description or ''}".strip()] += 1

    for _ in range(options.rounds):
        # Until the first push is accepted, a connection has one stream.
        note(await push(client, tokens[0]))
        for result in await asyncio.gather(*(push(client, token) for token in tokens[1:])):
            note(result)
    for text, count in sorted(counts.items()):
        print(count, text)


asyncio.run(main())
