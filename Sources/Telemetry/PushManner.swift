/// What a push says of itself that decides about its gates, in one byte.
///
/// A server of Flotilla's own asks as the scenario's `push.request` has it; a sender outside may
/// ask in another way with each push.
@frozen public struct PushManner: RawRepresentable, Hashable, Codable, Sendable, BitwiseCopyable {
  /// What a push is for; the types that run nothing of a tracker are one.
  @frozen public enum Kind: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    case background, alert, location, other
  }

  /// Is the byte as a log has it; 0: as the scenario has it.
  public let rawValue: UInt8

  /// As the scenario has it.
  public static let ofScenario = PushManner(rawValue: 0)

  /// Reads the byte of a log.
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// - Parameters:
  ///   - priority: 10, 5 or 1.
  ///   - asksToRun: the payload says `content-available`.
  @inlinable public init(_ kind: Kind, priority: Int, asksToRun: Bool) {
    let level: UInt8 = priority >= 10 ? 2 : priority > 1 ? 1 : 0
    rawValue = 1 | kind.rawValue << 1 | level << 3 | (asksToRun ? 1 << 5 : 0)
  }

  /// Is true where the push is as the scenario has it, and nothing else counts.
  @inlinable public var isOfScenario: Bool { rawValue & 1 == 0 }
  /// Is what the push is for.
  @inlinable public var kind: Kind { Kind(rawValue: rawValue >> 1 & 3) ?? .other }
  /// Is 10, 5 or 1.
  @inlinable public var priority: Int {
    let level = rawValue >> 3 & 3
    return level == 0 ? 1 : level == 1 ? 5 : 10
  }
  /// Is true where it asks for time to run.
  @inlinable public var asksToRun: Bool { rawValue >> 5 & 1 == 1 }
}
