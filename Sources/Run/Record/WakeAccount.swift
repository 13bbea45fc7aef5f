package import Core
package import ServerLogic

package struct WakeAccount: Codable, Equatable, Sendable {
  package var occasions: [WakeOccasion] = []
  package var requests: [SimInstant] = []
  package var unreachable: [UnreachableSilence] = []
  /// The sum over unreachable phones, from a server that does not list them; otherwise nil.
  package var unreachableSum: UnreachableSum?

  package struct UnreachableSum: Codable, Equatable, Sendable {
    package var eligible: Int
    /// The number of occasions that an accurate enough fix answered within W without a push.
    package var answered: Int
  }

  /// Adds the account of other phones. Occasions stay sorted by sweep and phone, silences by phone.
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
