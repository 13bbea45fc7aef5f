/// How far the value of an SLO is from its limit, while a run goes on.
extension ServiceLevelResult {
  package enum Standing: String, CaseIterable, Sendable {
    /// The level has no value yet.
    case open
    case met
    /// The SLO is met, but with a margin below `narrowMargin`.
    case narrow
    case missed
  }

  /// The distance from the value to the limit, in `unit`, negative if missed; nil without a value.
  package var margin: Double? {
    actual.map { isCeiling ? limit - $0 : $0 - limit }
  }

  /// The margin below which a run is about to miss the level, in `unit`: 10 % of the limit, or for
  /// a minimum share at most 10 % of the way from the limit to 100 %. No share can lie 10 % above a
  /// limit of 95 %.
  package var narrowMargin: Double {
    let room = unit == "share" && !isCeiling ? min(limit, 1 - limit) : limit
    return Self.narrowPart * max(0, room)
  }

  private static let narrowPart = 0.1

  package var standing: Standing {
    guard let margin else { return .open }
    if !pass { return .missed }
    return margin < narrowMargin ? .narrow : .met
  }

  /// Whether the limit is a maximum; otherwise it is a minimum.
  package var isCeiling: Bool {
    ["responseP99", "lost", "undelivered", "failed"].contains(name)
  }
}

extension [ServiceLevelResult] {
  /// Returns the levels of a standing by margin, in units of `narrowMargin`: the nearest to its
  /// limit, or the farthest beyond its limit, first.
  package func worst(_ standing: ServiceLevelResult.Standing) -> [ServiceLevelResult] {
    func distance(_ level: ServiceLevelResult) -> Double {
      (level.margin ?? 0) / Swift.max(level.narrowMargin, .leastNormalMagnitude)
    }
    return enumerated().filter { $0.element.standing == standing }
      .sorted { (distance($0.element), $0.offset) < (distance($1.element), $1.offset) }
      .map(\.element)
  }
}
