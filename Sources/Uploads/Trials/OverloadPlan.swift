package import SimulationCore
internal import Telemetry
package import Transport
package import Wire

/// Says which collector is overloaded, by how much and for how long.
package struct OverloadPlan: Sendable {
  /// Is the path of the `flotilla` program, which runs as the collector.
  package var executable: String
  /// Is the path of the SQLite file; `nil`: the collector stores nothing, or elsewhere.
  package var storePath: String?
  /// What tells the collector of another store than a file; empty: nothing does.
  package var storeArguments: [String] = []
  /// Is the path of the file that takes the collector's output.
  package var logFile: String
  /// Counts the phones in whose names batches are sent.
  package var phones = 200_000
  /// Counts the connections that all phones share.
  package var connections = 64
  /// Says how uploads stand on the wire.
  package var carrier = CarrierKind.flotilla
  /// The most that one may hold, so that to refuse a batch is cheap beside taking it; with
  /// small ones the two refusals for each that is taken are most of what the collector does.
  package var fixesPerBatch = 500
  /// Offered in the overload, in sustainable rates.
  package var factor = 3.0
  /// Is the length of the overload in seconds.
  package var overloadSeconds = 60
  /// Is the length in seconds of each time at half the sustainable rate, before and after.
  package var baselineSeconds = 20
  /// Is the length in seconds of each step of the search.
  package var searchStepSeconds = 4
  /// Is the length in seconds for which a rate must hold at the end of the search.
  package var confirmationSeconds = 10
  /// Bounds the p99 response time at which a rate counts as sustained.
  package var latencyLimit = WallDuration.milliseconds(50)
  /// Is the first rate that the search tries, in batches/s; it gives up below an eighth of it.
  package var firstRate = 4_000.0
  /// Taken for the sustainable one if it holds, instead of a search; batches/s.
  package var knownRate: Double?

  /// Makes a plan with the default load and times.
  package init(executable: String, storePath: String?, logFile: String) {
    self.executable = executable
    self.storePath = storePath
    self.logFile = logFile
  }

  /// The words that start the collector.
  package var collectorArguments: [String] {
    let store = storePath.map { ["sqlite", "--store-path", $0] } ?? ["none"]
    return ["collect", "--ui", "none", "--with-parent"]
      + (storeArguments.isEmpty ? ["--store"] + store : storeArguments)
  }

  /// Twenty minutes of a walk, a fix a minute or what the batch holds, from several phones.
  package var templates: [UploadTemplate] {
    (0..<64).compactMap { walker in
      var draw = Draw(seed: 1, phone: UInt32(walker), .benchWalks)
      var (latitude, longitude) = (Int32(52_520_000), Int32(13_405_000))
      let fixes = (0..<fixesPerBatch).map { index in
        latitude += Int32(draw.uniform(4, 14))
        longitude += Int32(draw.uniform(-6, 12))
        return Fix(
          coordinate: Coordinate(latitudeE6: latitude, longitudeE6: longitude),
          time: FixTime(BenchRun.begin - .seconds(Int64(60 * (fixesPerBatch - index)))),
          accuracyMeters: UInt16(draw.uniform(5, 20)),
          speedDecimetersPerSecond: Int16(draw.uniform(8, 18)),
          courseDegrees: Int16(draw.uniform(20, 60)))
      }
      return try? UploadTemplate(fixes)
    }
  }
}
