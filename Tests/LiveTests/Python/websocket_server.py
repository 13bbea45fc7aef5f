"""A backend that takes positions over WebSockets, with PyPI's websockets. Prints its port, keeps what
it stores in memory, and ends with its standard input.

    /positions  {"type": "hello", "device"}            {"type": "welcome"}
                {"type": "positions", "id", "points"}  {"id", "ok": true}, by --answers
                {"type": "track", "id"}                {"id", "points": [...]}
    /watch      all newest positions, then {"positions": [...]} for each change, and {} each second
"""

import argparse
import asyncio
import json
import ssl
import sys

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

parser = argparse.ArgumentParser()
# ok, loses (stores every second message), refuses, silent, closes (after every third message),
# fragments (in frames of a byte, after a message that answers nothing), echo (the bytes)
parser.add_argument("--answers", default="ok")
parser.add_argument("--token", default="", help="of the header Authorization: Bearer")
parser.add_argument("--cert")
parser.add_argument("--key")
parser.add_argument("--client-ca")
parser.add_argument("--stay", action="store_true", help="until it is killed")
options = parser.parse_args()

tracks = {}
watchers = set()
counts = {"connections": 0, "messages": 0}


async def tell(points):
    text = json.dumps({"positions": points})
    for watcher in list(watchers):
        try:
            await watcher.send(text)
        except ConnectionClosed:
            watchers.discard(watcher)


async def watch(socket):
    newest = [track[-1] for track in tracks.values() if track]
    await socket.send(json.dumps({"positions": newest}))
    watchers.add(socket)
    try:
        while True:
            await asyncio.sleep(1)
            await socket.send("{}")
    finally:
        watchers.discard(socket)


async def take(socket):
    hello = json.loads(await socket.recv())
    if hello.get("type") != "hello":
        return await socket.close(1008, "no hello")
    device = hello["device"]
    await socket.send(json.dumps({"type": "welcome"}))
    async for text in socket:
        counts["messages"] += 1
        message = json.loads(text)
        track = tracks.setdefault(device, [])
        if message["type"] == "track":
            await socket.send(json.dumps({"id": message["id"], "points": track}))
            continue
        if options.answers == "silent":
            continue
        if options.answers == "refuses":
            await socket.send(json.dumps({"id": message["id"], "error": "full"}))
            continue
        if options.answers == "closes" and counts["messages"] % 3 == 0:
            return await socket.close(1001, "restart")
        points = [{"device": device, **point} for point in message["points"]]
        if options.answers != "loses" or counts["messages"] % 2:
            track += points
            await tell(points)
        answer = json.dumps({"id": message["id"], "ok": True})
        if options.answers == "fragments":
            await socket.send(json.dumps({"id": -1, "ok": False}))
            await socket.send(list(answer))
        else:
            await socket.send(answer)


async def handle(socket):
    counts["connections"] += 1
    if options.answers == "echo":
        async for message in socket:
            await socket.send(message)
    elif socket.request.path == "/watch":
        await watch(socket)
    else:
        await take(socket)


async def authorize(socket, request):
    if options.token and request.headers.get("Authorization") != f"Bearer {options.token}":
        return socket.respond(401, "no token\n")


async def main():
    secured = None
    if options.cert:
        secured = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        secured.load_cert_chain(options.cert, options.key)
        if options.client_ca:
            secured.load_verify_locations(options.client_ca)
            secured.verify_mode = ssl.CERT_REQUIRED
    loop = asyncio.get_running_loop()
    async with serve(
        handle, "127.0.0.1", 0, ssl=secured, process_request=authorize, backlog=4096,
        # On a busy machine thousands of phones are slow to open, and slow to answer a ping.
        open_timeout=300, ping_timeout=None, max_size=2**24,
        select_subprotocol=lambda _, offered: offered[0] if offered else None,
    ) as server:
        port = server.sockets[0].getsockname()[1]
        print(f"listening on 127.0.0.1:{port}", flush=True)
        if options.stay:
            await loop.create_future()
        await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
