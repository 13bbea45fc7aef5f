package import Figures

/// What an upload over TLS costs a collector more than one in the clear, each on a connection of
/// its own, as measured on this machine: handshake and records together.
package struct TLSCost: Equatable, Sendable, Codable {
  /// What one kind of handshake adds to an upload.
  package struct Upload: Equatable, Sendable, Codable {
    /// Is the processor time of the collector's side, in seconds.
    package var cpuSeconds: Double
    /// Counts the bytes that the collector receives.
    package var bytesIn: Double
    /// Counts the bytes that it sends.
    package var bytesOut: Double

    /// Makes the addition from its parts.
    package init(cpuSeconds: Double, bytesIn: Double, bytesOut: Double) {
      self.cpuSeconds = cpuSeconds
      self.bytesIn = bytesIn
      self.bytesOut = bytesOut
    }
  }

  /// Names the certificate's key.
  package var key: String
  /// Is what a handshake with certificates adds.
  package var full: Upload
  /// Is what one adds that goes on from an earlier session.
  package var resumed: Upload
  /// Is the share of the uploads that resume, 0 ... 1.
  package var resumedShare: Double
  /// Of a core's work with TLS, the part that is TLS, 0 ... 1; 0 until `applied` has said it.
  package private(set) var coreShare = 0.0

  /// Makes a cost whose share of the cores is not known yet.
  package init(key: String, full: Upload, resumed: Upload, resumedShare: Double) {
    self.key = key
    self.full = full
    self.resumed = resumed
    self.resumedShare = resumedShare
  }

  /// Returns what TLS adds to an upload on average over full and resumed ones.
  package var mean: Upload {
    func mix(_ part: (Upload) -> Double) -> Double {
      part(full) * (1 - resumedShare) + part(resumed) * resumedShare
    }
    return Upload(
      cpuSeconds: mix(\.cpuSeconds), bytesIn: mix(\.bytesIn), bytesOut: mix(\.bytesOut))
  }

  /// Takes from a core what TLS costs it, and notes the share.
  ///
  /// A core that carries r uploads/s in the clear, each for c seconds of its time, is busy r·c of
  /// the time and may not be busier: with t seconds more an upload it carries r·c / (c + t).
  ///
  /// - Parameter cpuSecondsPerBatch: c; nil: a core is taken to be busy all the time.
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
