internal import Core

/// The stages of a phone's connection to a server, and when each began.
///
///     queued ─▶ resolving ─▶ connecting ─▶ securing ─▶ greeting ─▶ open ─▶ over
///                                    └───── plaintext ────▲
///
/// Every stage may be followed by `over`.
struct DialMachine {
  enum Stage: Int, Comparable {
    case queued, resolving, connecting, securing, greeting, open, over
    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  private(set) var stage = Stage.queued
  private var resolvingAt: WallInstant?
  private var connectingAt: WallInstant?
  private var securingAt: WallInstant?
  private var greetingAt: WallInstant?
  private var openAt: WallInstant?

  mutating func advance(to next: Stage, at now: WallInstant) {
    precondition(next > stage, "a connection goes forward (from \(stage) to \(next))")
    stage = next
    switch next {
    case .queued, .over: break
    case .resolving: resolvingAt = now
    case .connecting: connectingAt = now
    case .securing: securingAt = now
    case .greeting:
      // Plaintext has no handshake.
      if securingAt == nil { securingAt = now }
      greetingAt = now
    case .open: openAt = now
    }
  }

  /// Continues from an open connection that carries this one.
  mutating func advance(over carrier: DialMachine) {
    stage = .greeting
    (resolvingAt, connectingAt) = (carrier.resolvingAt, carrier.connectingAt)
    (securingAt, greetingAt) = (carrier.securingAt, carrier.greetingAt)
  }

  /// The stage for which the connection waits, or nil if the connection does not wait.
  var waitsFor: DialWait? {
    switch stage {
    case .queued, .resolving: .name
    case .connecting: .tcp
    case .securing: .tls
    case .greeting: .acknowledgement
    case .open, .over: nil
    }
  }

  func isNew(at asked: WallInstant) -> Bool { connectingAt.map { $0 >= asked } ?? false }

  func times(asked: WallInstant, sent: WallInstant?, now: WallInstant) -> ExchangeTimes {
    var parts = TimeParts(mark: asked, now: now)
    var times = ExchangeTimes()
    times.waiting = parts.part(until: resolvingAt)
    times.resolving = parts.part(until: connectingAt)
    times.connecting = parts.part(until: securingAt)
    times.securing = parts.part(until: greetingAt)
    times.writing = parts.part(until: openAt)
    times.waiting += parts.part(until: sent)
    times.answering = parts.part(until: now)
    return times
  }
}

/// The part of a connect that did not end in time.
package enum DialWait: Equatable, Sendable {
  case name, tcp, tls, acknowledgement
}
