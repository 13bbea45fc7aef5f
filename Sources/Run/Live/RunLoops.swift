internal import Core
internal import Scenarios
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
  let endpoints: [Endpoint]
  var token: String?
  var authorities: String?

  init(_ collectors: CollectorGroup, _ tls: TLSKeys?) {
    authorities = tls?.authorities
    endpoints = collectors.endpoints
    token = collectors.token
  }
}
