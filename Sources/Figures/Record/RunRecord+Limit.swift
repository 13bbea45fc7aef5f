internal import Core

extension RunRecord {
  /// The cause that determined the figures of an invalid run.
  package enum Limit {
    /// The generator was late, or short of a resource.
    case generator
    /// Other processes used the CPU.
    case others
    /// The collector could open no more files.
    case collector
  }

  package static let collectorWasShort = "The collector ran out of descriptors"

  package var limit: Limit {
    // Skips the target's `sureness`, which stands before the reasons.
    let first = reasons.first { $0 != target?.sureness } ?? ""
    if first.contains(ProcessorContention.words) { return .others }
    return first.hasPrefix(Self.collectorWasShort) ? .collector : .generator
  }
}

extension RunRecord.Machine {
  package var waitingSentence: String? {
    let waited = ["generator", "collector"].compactMap { name in
      processes[name]?.waitedSeconds.map {
        "\(name) \(Figure.plain(($0 * 100).rounded() / 100)) s"
      }
    }
    guard let othersCores, !waited.isEmpty else { return nil }
    return """
      Runnable but not scheduled in the measured time (CPU contention): \
      \(waited.joined(separator: ", ")); other processes used \
      \(Figure.plain((othersCores * 100).rounded() / 100)) cores. This makes a run invalid \
      only if p99 missed its limit because of it.
      """
  }
}
