internal import Foundation
internal import TestSupport

/// nginx as a balancer in front of collectors: TLS and HTTP/2 to the fleet, `grpc_pass` to
/// collectors.
package final class Nginx {
  package let process: RunningProcess
  package let address: String
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - authority: has signed NAME.pem, the certificate of nginx, and those of collectors.
  ///   - scheme: of the collectors: `grpc`, or `grpcs` over TLS.
  package init(
    _ authority: Authority, _ name: String, scheme: String, before collectors: [String]
  ) async throws {
    folder = try TemporaryFolder()
    address = "127.0.0.1:\(try FreePort.next())"
    let place = folder.url.path
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(place)/\($0);" }
    // Otherwise the worker of root's nginx runs as a user without write access to the folder.
    let user = getuid() == 0 ? "user root;" : ""
    try Data(
      """
      \(user) pid \(place)/pid; error_log \(place)/error.log notice; worker_processes 1;
      events { worker_connections 4096; }
      http {
        log_format calls '$upstream_addr $status $request_uri';
        access_log \(place)/access.log calls;
        \(temporary.joined(separator: " "))
        upstream collectors {
          \(collectors.map { "server \($0);" }.joined(separator: " ")) keepalive 32;
        }
        server {
          listen \(address) ssl http2;
          ssl_certificate \(authority.path(name)).pem;
          ssl_certificate_key \(authority.path(name)).key;
          location / {
            grpc_pass \(scheme)://collectors;
            grpc_ssl_trusted_certificate \(authority.path("ca.pem"));
            grpc_ssl_verify on; grpc_ssl_name localhost; grpc_read_timeout 1h;
          }
        }
      }
      """.utf8
    ).write(to: folder["nginx.conf"])
    process = try RunningProcess(
      URL(fileURLWithPath: Oracle.nginx.path ?? "nginx"),
      ["-p", place, "-c", "nginx.conf", "-g", "daemon off;"])
    try await eventually("nginx works") { text("error.log").contains("start worker process") }
  }

  /// The master ends the workers, which SIGKILL would leave running; they hold the descriptor that
  /// shows its end.
  deinit {
    process.signal(SIGTERM)
    for _ in 0..<500 where process.isAlive { usleep(10_000) }
  }

  private func text(_ name: String) -> String {
    (try? String(contentsOf: folder[name], encoding: .utf8)) ?? ""
  }

  /// Starts a new worker; the old one finishes its requests.
  package func reload() async throws {
    let before = reloads
    process.signal(SIGHUP)
    try await eventually("nginx has a new worker") { reloads > before }
  }

  private var reloads: Int { text("error.log").components(separatedBy: "reconfiguring").count - 1 }

  /// Calls passed to the other collector because the first did not accept them.
  package var passedOn: Int {
    text("access.log").split(separator: "\n").count { $0.contains(#/^[\d.:]+, [\d.:]+ 200 /#) }
  }

  /// Calls that a collector answered, by its address.
  package func calls(of collector: String) -> Int {
    text("access.log").split(separator: "\n").count { $0.hasPrefix("\(collector) 200 ") }
  }
}
