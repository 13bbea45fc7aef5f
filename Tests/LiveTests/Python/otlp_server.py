"""Takes metrics by OTLP/HTTP with OpenTelemetry's own messages. Prints a line for each request: the
resource, then each metric with its kind, unit, number of points and sum of values.

Usage: otlp_server.py STATUS...: the statuses of the first answers; then 200."""

import http.server
import json
import sys

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest, ExportMetricsServiceResponse)

STATUSES = [int(word) for word in sys.argv[1:]]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = STATUSES.pop(0) if STATUSES else 200
        request = ExportMetricsServiceRequest.FromString(body)
        metrics = {}
        (resource,) = request.resource_metrics
        (scope,) = resource.scope_metrics
        for metric in scope.metrics:
            kind = metric.WhichOneof("data")
            data = getattr(metric, kind)
            points = data.data_points
            values = [p.sum if kind == "histogram" else p.as_double for p in points]
            counted = all(sum(p.bucket_counts) == p.count for p in points) \
                if kind == "histogram" else True
            metrics[metric.name] = [
                kind, metric.unit, len(points), sum(values), counted,
                all(p.time_unix_nano > p.start_time_unix_nano for p in points)]
        print(json.dumps({
            "path": self.path, "type": self.headers["Content-Type"], "status": status,
            "key": self.headers.get("X-Key"),
            "service": {a.key: a.value.string_value for a in resource.resource.attributes},
            "metrics": metrics}), flush=True)
        answer = ExportMetricsServiceResponse().SerializeToString()
        self.send_response(status)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(json.dumps({"port": server.server_port}), flush=True)
server.serve_forever()
