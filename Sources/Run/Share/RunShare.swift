package import Core
package import Fleet
internal import Scenarios
package import Uploads

/// The results of one process's phones, which can be added to those of the other processes.
package struct RunShare: Codable, Equatable, Sendable {
  @Boxed package var fleet: FleetAccount
  /// The server's account of these phones if each process has a separate backend; for a shared
  /// collector, only the pushes to these phones.
  package var server: ServerAccount
  package var latencyLog: String?
  package var batches: DemandLog?
  var target: TargetAccount?

  package init(
    fleet: FleetAccount, server: ServerAccount, latencyLog: String? = nil,
    batches: DemandLog? = nil
  ) {
    self.fleet = fleet
    self.server = server
    self.latencyLog = latencyLog
    self.batches = batches
  }
}

struct EndedShares: Equatable, Sendable {
  /// The shares in phone order, from the first phone up to the first missing share.
  var shares: [RunShare]
  /// Why each process missing from `shares` is missing; empty if the shares cover the whole fleet.
  let missing: [String]

  init(_ ends: [ShareEnd], of plan: RunPlan) {
    var shares: [RunShare] = []
    var missing: [String] = []
    let place = plan.place
    func note(_ number: Int, _ what: String) {
      let phones = place.range(of: plan.scenario.fleet.phones, at: number)
      missing.append(
        """
        Phones \(phones.lowerBound) to \(phones.upperBound - 1) are not in the figures: \
        \(place.name(of: number)) \(what).
        """)
    }
    for (number, end) in ends.enumerated() {
      switch end {
      case .measured(let share) where missing.isEmpty: shares.append(share)
      case .measured: note(number, "has phones that do not continue the range of the others")
      case .unmeasured: note(number, "was stopped before anything was measured")
      case .failed(let why): note(number, "failed (\(why))")
      }
    }
    self.shares = shares
    self.missing = missing
  }

  func fleet() throws(FleetAccountError) -> FleetAccount {
    try FleetAccount.merged(shares.map(\.fleet))
  }

  var target: TargetAccount? {
    let accounts = shares.compactMap(\.target)
    guard var sum = accounts.first else { return nil }
    for other in accounts.dropFirst() { sum.merge(other) }
    return sum
  }

  var wake: WakeAccount {
    shares.dropFirst().reduce(into: shares.first?.server.wake ?? WakeAccount()) {
      $0.merge($1.server.wake)
    }
  }

  func server() throws(FleetAccountError) -> ServerAccount {
    guard var server = shares.first?.server else { throw .noAccounts }
    for share in shares.dropFirst() { server.merge(share.server) }
    return server
  }
}
