package import Core

/// The cost that TLS adds to an upload on its own connection, for a collector: handshake and
/// records, as measured on this machine.
package struct TLSCost: Equatable, Sendable, Codable {
  package struct Upload: Equatable, Sendable, Codable {
    package var cpuSeconds: Double
    package var bytesIn: Double
    package var bytesOut: Double

    package init(cpuSeconds: Double, bytesIn: Double, bytesOut: Double) {
      self.cpuSeconds = cpuSeconds
      self.bytesIn = bytesIn
      self.bytesOut = bytesOut
    }
  }

  package var key: String
  package var full: Upload
  package var resumed: Upload
  /// The share of uploads whose TLS session was resumed, 0 ... 1.
  package var resumedShare: Double
  /// The share of a core's work that is TLS, 0 ... 1; 0 before `applied`.
  package private(set) var coreShare = 0.0

  package init(key: String, full: Upload, resumed: Upload, resumedShare: Double) {
    self.key = key
    self.full = full
    self.resumed = resumed
    self.resumedShare = resumedShare
  }

  package var mean: Upload {
    func mix(_ part: (Upload) -> Double) -> Double {
      part(full) * (1 - resumedShare) + part(resumed) * resumedShare
    }
    return Upload(
      cpuSeconds: mix(\.cpuSeconds), bytesIn: mix(\.bytesIn), bytesOut: mix(\.bytesOut))
  }

  /// Deducts the cost of TLS from a core, and sets `coreShare`. A core that carries r uploads/s of
  /// c seconds each is busy r·c of the time; with t more seconds each, it carries r·c / (c + t).
  package mutating func applied(to perCore: Ratio, cpuSecondsPerBatch: Double?) -> Ratio {
    let added = mean.cpuSeconds
    func carried(_ rate: Double) -> Double {
      guard rate > 0 else { return 0 }
      let busy = min(1, rate * (cpuSecondsPerBatch ?? 1 / rate))
      return busy / (busy / rate + added)
    }
    let with = Ratio(
      value: carried(perCore.value), low: carried(perCore.low), high: carried(perCore.high))
    coreShare = perCore.low > 0 ? 1 - with.low / perCore.low : 0
    return with
  }
}
