"""A broker of MQTT that greets and answers pings, and never acknowledges what is published. Prints its
port, and serves until it is killed."""

import socketserver
import threading


class Client(socketserver.StreamRequestHandler):
    def length(self):
        value = shift = 0
        while True:
            byte = self.rfile.read(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def handle(self):
        try:
            while head := self.rfile.read(1):
                body = self.rfile.read(self.length())
                if head[0] >> 4 == 1:  # CONNECT; 5 has a length of properties in its answer.
                    self.wfile.write(b"\x20\x03\0\0\0" if body[6] == 5 else b"\x20\x02\0\0")
                elif head[0] >> 4 == 12:  # PINGREQ
                    self.wfile.write(b"\xd0\0")
        except (OSError, IndexError):
            pass


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 1024


server = Server(("127.0.0.1", 0), Client)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
threading.Event().wait()
