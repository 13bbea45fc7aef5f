internal import Core

extension RunRecord {
  /// What determined figures of an invalid run instead of the collector.
  package enum Limit {
    /// The generator was late, or short of a resource.
    case generator
    /// Other processes had the processors.
    case others
    /// The collector could open no more files.
    case collector
  }

  package static let collectorWasShort = "The collector ran out of descriptors"

  package var limit: Limit {
    // How sure a target's counts are stands before the reasons.
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
      Ready and without a processor in the measured time: \(waited.joined(separator: ", ")); \
      others used \(Figure.plain((othersCores * 100).rounded() / 100)) cores.
      """
  }
}
