package import Measure
package import ServerLogic
package import SimulationCore
internal import Telemetry

/// What a server's wake scheduler asked for, and which silent phones it could not ask.
package struct WakeAccount: Codable, Equatable, Sendable {
  /// The occasions of the measured time, controls among them.
  package var occasions: [WakeOccasion] = []
  /// The sweep of each push that was requested.
  package var requests: [SimInstant] = []
  /// Phones that were silent and could not be pushed, one by one, in their order.
  package var unreachable: [UnreachableSilence] = []
  /// The same in sum, of a server that does not tell them apart; nil: it does, or said nothing.
  package var unreachableSum: UnreachableSum?

  /// Occasions on which phones could not be pushed.
  package struct UnreachableSum: Codable, Equatable, Sendable {
    package var eligible: Int
    package var answered: Int

    package init(eligible: Int, answered: Int) {
      self.eligible = eligible
      self.answered = answered
    }
  }

  package init() {}

  /// Adds what was asked of another range of phones. Occasions are then by (sweep, phone), and
  /// phones in their order, whichever range is added first.
  package mutating func merge(_ other: WakeAccount) {
    occasions += other.occasions
    occasions.sort { $0.pushID < $1.pushID }
    requests += other.requests
    requests.sort()
    unreachable += other.unreachable
    unreachable.sort { $0.phone < $1.phone }
    guard let more = other.unreachableSum else { return }
    let sum = unreachableSum ?? UnreachableSum(eligible: 0, answered: 0)
    unreachableSum = UnreachableSum(
      eligible: sum.eligible + more.eligible, answered: sum.answered + more.answered)
  }
}

extension WakeAccount {
  /// Of a backend in process, after the measured time.
  init(_ backend: Backend) {
    occasions = backend.occasions
    requests = backend.occasions.filter { !$0.isWithheld }.map(\.at)
    backend.forEachUnreachable { phone, tally in
      unreachable.append(
        UnreachableSilence(
          phone: phone.rawValue, occasions: Int(tally.eligible), answered: Int(tally.answered)))
    }
  }
}
