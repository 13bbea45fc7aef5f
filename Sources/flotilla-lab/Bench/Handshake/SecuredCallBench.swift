package import Core
package import Transport
package import Uploads

/// The cost of TLS for a call on an open connection. Each round sends the same uploads without and
/// with TLS, so that a slow moment of the machine affects both.
package struct SecuredCallBench: Benchmark {
  package let name = "secured-call"
  private let carrier: CarrierKind
  private let calls: Int
  private let tls: (server: TLSServer, client: TLSClient)
  private let shouldStop: () -> Bool

  package init(
    _ carrier: CarrierKind, calls: Int, folder: String, shouldStop: @escaping () -> Bool
  ) throws(TLSSetupError) {
    self.carrier = carrier
    self.calls = calls
    self.shouldStop = shouldStop
    tls = try HandshakeRound.secrets(.p256, carrier, folder: folder)
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("carrier", .word(carrier.rawValue)), ("calls", .count(calls)),
      ("atOnce", .count(HandshakeRound.atOnce)),
    ]
  }

  package var bars: [BenchBar] {
    [
      BenchBar("serverAddedMicroseconds", .atMost(3.5)),
      BenchBar("clientAddedMicroseconds", .atMost(3.5)),
    ]
  }

  package mutating func round(
    _ clock: () -> WallInstant
  ) throws(CollectorRunError) -> BenchSamples {
    let clear = HandshakeRound.Setting(carrier: carrier, isKept: true)
    var secured = clear
    secured.tls = tls
    guard
      let before = try HandshakeRound.cost(clear, uploads: calls, shouldStop: shouldStop),
      let after = try HandshakeRound.cost(secured, uploads: calls, shouldStop: shouldStop)
    else { return [] }
    return [
      ("clearServerMicroseconds", [before.serverMicroseconds]),
      ("clearClientMicroseconds", [before.clientMicroseconds]),
      ("serverAddedMicroseconds", [after.serverMicroseconds - before.serverMicroseconds]),
      ("clientAddedMicroseconds", [after.clientMicroseconds - before.clientMicroseconds]),
      ("failed", [Double(before.failed + after.failed)]),
    ]
  }
}
