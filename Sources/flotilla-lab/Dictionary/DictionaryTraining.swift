package import Scenarios
internal import Telemetry
package import Wire

/// Trains a dictionary on the batches of simulated phones, and measures it on others.
package struct DictionaryTraining {
  /// Holds the sizes of a policy's batches, in bytes of payload per fix, on phones that the
  /// training left out.
  package struct Row: Sendable, Equatable {
    /// Is the policy's name.
    package var policy: String
    /// Counts the measured batches.
    package var batches: Int
    /// Counts the fixes in them.
    package var fixes: Int
    /// Is the size as columns without compression, in bytes a fix.
    package var plain: Double
    /// Is the size as columns through zstd without a dictionary, in bytes a fix.
    package var compressed: Double
    /// Is the size as columns through zstd with the dictionary, in bytes a fix.
    package var withDictionary: Double
    /// Is the size in the encoding that ships, in bytes a fix.
    package var packed: Double
  }

  private var trained = PlainPayloads()
  private var others: [(policy: String, batches: [(id: BatchID, fixes: [Fix])])] = []

  /// Limits the batches learned from one policy, so that one that sends every minute does not drown
  /// those that send twice a day.
  private static let learnedMax = 2_000

  /// Makes a training without batches.
  package init() {}

  /// Takes a policy's batches: phones with an even number are learned from, the others measured.
  package mutating func add(_ policy: String, _ scenario: Scenario, threads: Int) {
    let harvest = BatchHarvest(scenario, threads: threads)
    let learned = harvest.batches.filter { $0.id.phone.rawValue % 2 == 0 }
    // Takes batches at a regular step, so that all hours of the day are among them.
    let stride = max(1, (learned.count + Self.learnedMax - 1) / Self.learnedMax)
    for place in Swift.stride(from: 0, to: learned.count, by: stride) {
      // Every batch of a phone can be encoded: its outbox never holds more fixes than a batch may.
      try? trained.add(learned[place].id, learned[place].fixes)
    }
    others.append((policy, harvest.batches.filter { $0.id.phone.rawValue % 2 == 1 }))
  }

  /// Counts the batches to learn from.
  package var batchCount: Int { trained.sizes.count }

  /// - Parameter byteCount: the greatest size of the dictionary.
  package func train(byteCount: Int) throws(DictionaryError) -> PayloadDictionary {
    try PayloadDictionary.train(
      trained.bytes, sizes: trained.sizes, byteCount: byteCount, level: BatchCodec.dictionaryLevel)
  }

  /// Measures every policy's held-out batches with and without the dictionary; policies that sent
  /// nothing are left out.
  package func measure(_ dictionary: PayloadDictionary) -> [Row] {
    let codecs: [BatchCodec] = [
      .columns(level: 0), .columns(level: BatchCodec.dictionaryLevel, literals: true),
      .columns(with: dictionary), .shipped,
    ]
    return others.filter { !$0.batches.isEmpty }.map { policy, batches in
      let fixes = batches.reduce(0) { $0 + $1.fixes.count }
      let bytes = codecs.map { codec in
        let encoder = BatchEncoder(codec)
        for batch in batches { _ = try? encoder.encode(batch.id, batch.fixes) }
        return Double(encoder.payloadBytes) / Double(fixes)
      }
      return Row(
        policy: policy, batches: batches.count, fixes: fixes, plain: bytes[0],
        compressed: bytes[1], withDictionary: bytes[2], packed: bytes[3])
    }
  }
}
