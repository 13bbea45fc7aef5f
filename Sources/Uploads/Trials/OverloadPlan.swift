package import Core
package import Wire

package struct OverloadPlan: Sendable {
  package var executable: String
  /// The SQLite file; nil if the collector has another store or none.
  package var storePath: String?
  /// The collector's arguments for a store other than a file.
  package var storeArguments: [String] = []
  package var logFile: String
  package var phones = 200_000
  /// The number of connections, shared by all phones.
  package var connections = 64
  package var carrier = CarrierKind.flotilla
  /// The maximum, so that a refusal costs little compared with an acceptance. With small batches,
  /// the two refusals per accepted batch would be most of the collector's work.
  package var fixesPerBatch = 500
  package var factor = 3.0
  package var overloadSeconds = 60
  package var baselineSeconds = 20
  package var searchStepSeconds = 4
  package var confirmationSeconds = 10
  /// The maximum p99 response time of a sustained rate.
  package var latencyLimit = WallDuration.milliseconds(50)
  /// The first rate of the search, in batches/s; the search gives up below an eighth of this rate.
  package var firstRate = 4_000.0
  /// A rate in batches/s that replaces the search if the collector sustains it; nil to search.
  package var knownRate: Double?

  package init(executable: String, storePath: String?, logFile: String) {
    self.executable = executable
    self.storePath = storePath
    self.logFile = logFile
  }

  package var collectorArguments: [String] {
    let store = storePath.map { ["sqlite", "--store-path", $0] } ?? ["none"]
    return ["collect", "--ui", "none", "--with-parent"]
      + (storeArguments.isEmpty ? ["--store"] + store : storeArguments)
  }

  /// The batches of 64 walkers, each with `fixesPerBatch` fixes, one fix per minute.
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
