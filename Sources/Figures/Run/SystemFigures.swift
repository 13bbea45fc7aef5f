package import Core

/// The figures of the phones of one system, or of one OS profile of a system.
package struct SystemFigures: Equatable, Sendable, Codable {
  package var system: SystemKind
  /// The OS profile; null for all phones of the system.
  @Nullable package var profile: String?
  package var phones = 0
  /// The share of the reachable phones' time in which the newest fix is at most X old.
  @Nullable package var fresh: Double?
  /// The minutes that phones were stale, by cause.
  package var stale: [String: Double] = [:]
  /// The uploads begun in the measured time, with the tracker's retries.
  package var uploads = 0
  @Nullable package var uploadsPerPhoneDay: Double?
  /// The cost of tracking as a percentage of a full battery; null without phones or duration.
  @Nullable package var batteryPercentPerDay: Double?
  /// The pushes to these phones; null if there were none.
  @Nullable package var pushes: WakeGroup?

  package init(_ system: SystemKind, profile: String?) {
    (self.system, self.profile) = (system, profile)
  }

  package var name: String { profile ?? system.rawValue }

  /// The most common cause of stale time, with its share of that time; nil without stale time.
  package var mainCause: (words: String, share: Double)? {
    let sum = stale.values.reduce(0, +)
    guard sum > 0, let most = stale.ranked.first else { return nil }
    let cause = StaleCause(rawValue: most.key)
    return (cause?.words(on: system) ?? most.key, most.value / sum)
  }
}

extension SystemFigures {
  /// The column of `head` that contains words.
  package static let wordsColumn = 8
  package static let head = [
    "system", "phones", "fresh", "pushes judged", "answered", "uploads a day", "requests/s",
    "% of battery", "stale mostly",
  ]

  package var cells: [String] {
    [
      name, Figure.grouped(phones), fresh.map(Figure.percent) ?? "—",
      pushes.map { Figure.grouped($0.eligible) } ?? "—",
      pushes?.answered.map { Figure.percent($0.value) } ?? "—",
      uploadsPerPhoneDay.map(Figure.quantity) ?? "—",
      uploadsPerPhoneDay.map { Figure.quantity($0 * Double(phones) / 86_400) } ?? "—",
      batteryPercentPerDay.map(Figure.quantity) ?? "—",
      mainCause.map { "\($0.words) \(Figure.percent($0.share))" } ?? "—",
    ]
  }

  fileprivate var sentence: String {
    let parts = [
      fresh.map { "fresh \(Figure.percent($0))" },
      uploadsPerPhoneDay.map { "\(Figure.quantity($0)) uploads a day" },
      batteryPercentPerDay.map { "\(Figure.quantity($0)) % of the battery" },
      pushes?.answered.map { "answered \(Figure.percent($0.value))" },
    ]
    return "\(Figure.grouped(phones)) with \(name): "
      + parts.compactMap(\.self).joined(separator: ", ")
  }
}

extension RunRecord {
  /// The figures of all phones of a system; nil unless the fleet has phones of both systems.
  package func figures(of system: SystemKind) -> SystemFigures? {
    systems?.first { $0.system == system && $0.profile == nil }
  }

  /// A sentence that compares the systems; nil with one system.
  package var systemSentence: String? {
    guard let iOS = figures(of: .iOS), let android = figures(of: .android) else { return nil }
    return "\(iOS.sentence); \(android.sentence)"
  }
}
