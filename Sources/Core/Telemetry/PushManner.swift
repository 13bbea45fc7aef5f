/// The properties of a push on which its gates depend, in one byte. Senders may set them per push.
@frozen public struct PushManner: RawRepresentable, Hashable, Codable, Sendable, BitwiseCopyable {
  @frozen public enum Kind: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    case background, alert, location, other
  }

  /// The byte, which logs contain; 0 for the properties in the scenario.
  public let rawValue: UInt8

  public static let ofScenario = PushManner(rawValue: 0)

  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// - Parameter priority: 10, 5 or 1.
  /// - Parameter asksToRun: whether the payload has `content-available`, or a message only data.
  /// - Parameter collapses: whether the message has a collapse key.
  @inlinable public init(_ kind: Kind, priority: Int, asksToRun: Bool, collapses: Bool = false) {
    let level: UInt8 = priority >= 10 ? 2 : priority > 1 ? 1 : 0
    let flags: UInt8 = (asksToRun ? 1 : 0) | (collapses ? 2 : 0)
    rawValue = 1 | kind.rawValue << 1 | level << 3 | flags << 5
  }

  /// Whether the push has the scenario's properties, so that the other bits are ignored.
  @inlinable public var isOfScenario: Bool { rawValue & 1 == 0 }
  @inlinable public var kind: Kind { Kind(rawValue: rawValue >> 1 & 3) ?? .other }
  /// The APNs priority: 10, 5 or 1. FCM's HIGH is 10, its NORMAL is 5.
  @inlinable public var priority: Int {
    let level = rawValue >> 3 & 3
    return level == 0 ? 1 : level == 1 ? 5 : 10
  }
  @inlinable public var asksToRun: Bool { rawValue >> 5 & 1 == 1 }
  /// Whether a newer message may replace this one (AFC5).
  @inlinable public var collapses: Bool { rawValue >> 6 & 1 == 1 }
}
