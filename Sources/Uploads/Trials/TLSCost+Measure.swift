package import Core
package import Capacity
internal import Transport

extension TLSCost {
  private static let (rounds, uploads) = (3, 1_000)

  /// Measures the cost of TLS per upload with a new connection. Takes medians of alternating
  /// plaintext, full-handshake and resumption rounds, with P-256 as in a run; nil if stopped.
  package static func measure(
    _ carrier: CarrierKind, resumedShare: Double, folder: String, shouldStop: () -> Bool
  ) throws(CollectorRunError) -> TLSCost? {
    let clear = HandshakeRound.Setting(carrier: carrier)
    let tls: (server: TLSServer, client: TLSClient)
    do throws(TLSSetupError) {
      tls = try HandshakeRound.secrets(.p256, carrier, folder: folder)
    } catch { throw .childFailed(error.description) }
    var secured = clear
    secured.tls = tls
    var resumed = secured
    resumed.resumes = true
    var added: (full: [Upload], resumed: [Upload]) = ([], [])
    for _ in 0..<rounds {
      guard
        let before = try HandshakeRound.cost(clear, uploads: uploads, shouldStop: shouldStop),
        let full = try HandshakeRound.cost(secured, uploads: uploads, shouldStop: shouldStop),
        let short = try HandshakeRound.cost(resumed, uploads: uploads, shouldStop: shouldStop)
      else { return nil }
      added.full.append(Upload(full, beyond: before))
      added.resumed.append(Upload(short, beyond: before))
    }
    return TLSCost(
      key: "P-256", full: Upload(medianOf: added.full), resumed: Upload(medianOf: added.resumed),
      resumedShare: resumedShare)
  }
}

extension TLSCost.Upload {
  fileprivate init(_ cost: HandshakeRound.Cost, beyond clear: HandshakeRound.Cost) {
    self.init(
      cpuSeconds: max(0, cost.serverMicroseconds - clear.serverMicroseconds) / 1e6,
      bytesIn: cost.bytesIn - clear.bytesIn, bytesOut: cost.bytesOut - clear.bytesOut)
  }

  fileprivate init(medianOf all: [Self]) {
    func median(_ part: (Self) -> Double) -> Double { all.map(part).median(.upperInverse) ?? 0 }
    self.init(
      cpuSeconds: median(\.cpuSeconds), bytesIn: median(\.bytesIn), bytesOut: median(\.bytesOut))
  }
}
