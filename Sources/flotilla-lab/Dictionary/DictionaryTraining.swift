internal import Core
package import Scenarios
package import Wire

package struct DictionaryTraining {
  /// A policy's sizes, in bytes of payload per fix, on phones that were not used for training.
  package struct Row: Sendable, Equatable, Encodable {
    package var policy: String
    package var batches: Int
    package var fixes: Int
    /// The size of columns without compression.
    package var plain: Double
    /// The size of columns through zstd without a dictionary.
    package var compressed: Double
    /// The size of columns through zstd with the dictionary.
    package var withDictionary: Double
    /// The size of the default encoding.
    package var packed: Double

    private enum CodingKeys: String, CodingKey {
      case policy, batches, fixes
      case plain = "columns", compressed = "zstd", withDictionary = "dictionary", packed
    }
  }

  private var trained = PlainPayloads()
  private var others: [(policy: String, batches: [(id: BatchID, fixes: [Fix])])] = []

  /// The maximum number of training batches per policy, so that frequent senders do not dominate.
  private static let learnedMax = 2_000

  /// Adds a policy's batches. Phones with even numbers train, and phones with odd numbers measure.
  package mutating func add(_ policy: String, _ scenario: Scenario, threads: Int) {
    let harvest = BatchHarvest(scenario, threads: threads)
    let learned = harvest.batches.filter { $0.id.phone.rawValue % 2 == 0 }
    // Takes every n-th batch, so that all hours of the day are covered.
    let stride = max(1, (learned.count + Self.learnedMax - 1) / Self.learnedMax)
    for place in Swift.stride(from: 0, to: learned.count, by: stride) {
      // Encoding cannot fail: a batch never has too many fixes.
      try? trained.add(learned[place].id, learned[place].fixes)
    }
    others.append((policy, harvest.batches.filter { $0.id.phone.rawValue % 2 == 1 }))
  }

  package var batchCount: Int { trained.sizes.count }

  package func train(byteCount: Int) throws(DictionaryError) -> PayloadDictionary {
    try PayloadDictionary.train(
      trained.bytes, sizes: trained.sizes, byteCount: byteCount, level: BatchCodec.dictionaryLevel)
  }

  /// Returns the sizes of each policy that has batches.
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
