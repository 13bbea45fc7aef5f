internal import Wire

/// The service `grpc.health.v1.Health`, which reports whether the server accepts calls.
package final class HealthService: GRPCService {
  private let services: Set<String>
  private var isServing = true
  private var watchers: [ObjectIdentifier: GRPCServiceCall] = [:]

  /// - Parameter services: the known names. The empty name for the whole server is always known.
  package init(services: [String]) { self.services = Set(services + [""]) }

  package func set(serving: Bool) {
    guard serving != isServing else { return }
    isServing = serving
    for call in watchers.values { call.send(Self.reply(status)) }
  }

  package func serves(_ path: String) -> Bool {
    path == "/grpc.health.v1.Health/Check" || path == "/grpc.health.v1.Health/Watch"
  }

  package func begin(_ call: GRPCServiceCall) {
    let isWatch = call.path.hasSuffix("/Watch")
    var name: String?
    call.onMessage = { name = ProtobufFields.text(of: 1, in: $0) }
    call.onHalfClose = { [unowned self, unowned call] in
      guard let name else {
        return call.finish(CallStatus(.internal, "the request ends without a message"))
      }
      if isWatch { watch(call, name) } else { check(call, name) }
    }
  }

  private func check(_ call: GRPCServiceCall, _ name: String) {
    guard services.contains(name) else {
      return call.finish(CallStatus(.notFound, "no service '\(name)'"))
    }
    call.send(Self.reply(status))
    call.finish(CallStatus(.ok))
  }

  private func watch(_ call: GRPCServiceCall, _ name: String) {
    guard services.contains(name) else { return call.send(Self.reply(.serviceUnknown)) }
    call.send(Self.reply(status))
    watchers[ObjectIdentifier(call)] = call
    call.onClose = { [weak self, unowned call] in
      self?.watchers[ObjectIdentifier(call)] = nil
    }
  }

  private enum Status: Int {
    case serving = 1
    case notServing = 2
    case serviceUnknown = 3
  }

  private var status: Status { isServing ? .serving : .notServing }

  private static func reply(_ status: Status) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.add(1, status.rawValue)
    return writer.message
  }
}
