"""A server over HTTPS that takes clients with a certificate alone, and says whose it is: prints its
address; runs until it is killed.

`certificate_server.py CERT KEY CLIENT_CA`
"""

import json
import ssl
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        subject = dict(entry[0] for entry in self.connection.getpeercert()["subject"])
        body = json.dumps({"name": subject["commonName"]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
context.load_verify_locations(sys.argv[3])
context.verify_mode = ssl.CERT_REQUIRED
server = HTTPServer(("127.0.0.1", 0), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
