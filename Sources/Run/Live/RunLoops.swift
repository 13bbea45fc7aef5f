internal import Core
internal import Transport

final class RunLoops {
  let uploads = EventLoop(name: "flotilla.uploads", isUrgent: true)
  let control = EventLoop(name: "flotilla.control")
  private let wakeful = WakefulCores()

  init() {
    uploads.start()
    control.start()
  }

  func stop() {
    uploads.stopAndWait()
    control.stopAndWait()
  }
}

struct CollectorPlace: Codable, Sendable {
  private var hosts: [String]
  private var ports: [UInt16]
  var token: String?
  var authorities: String?

  init(_ collectors: CollectorGroup, _ security: RunSecurity?) {
    authorities = security?.files.authorities
    hosts = collectors.endpoints.map(\.host)
    ports = collectors.endpoints.map(\.port)
    token = collectors.token
  }

  var endpoints: [Endpoint] { zip(hosts, ports).map { Endpoint(host: $0, port: $1) } }
}
