package import Core
package import ServerLogic

package struct WakeAccount: Codable, Equatable, Sendable {
  package var occasions: [WakeOccasion] = []
  package var requests: [SimInstant] = []
  package var unreachable: [UnreachableSilence] = []
  /// The sum from a server that does not list them; nil if it does, or reported nothing.
  package var unreachableSum: UnreachableSum?

  package struct UnreachableSum: Codable, Equatable, Sendable {
    package var eligible: Int
    /// Occasions that a good fix of the phone answered within W nevertheless.
    package var answered: Int
  }

  /// Adds another range of phones, in any order: occasions by (sweep, phone), phones by number.
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
  init(_ backend: Backend) {
    occasions = backend.occasions
    requests.reserveCapacity(occasions.count)
    for occasion in occasions where !occasion.isWithheld { requests.append(occasion.at) }
    backend.forEachUnreachable { phone, tally in
      unreachable.append(
        UnreachableSilence(
          phone: phone.rawValue, occasions: Int(tally.eligible), answered: Int(tally.answered)))
    }
  }
}
