internal import Uploads

private struct CommonPlan: Codable, Sendable {
  var version: String
  var program: UInt64
  var scenarioHash: UInt64
  var startedAt: String
  var command: [String]
  var keepsLives: Bool
}

extension RunPlan {
  /// Joins the other processes of `link`, which all call this function at their start. Throws in
  /// every process if the scenario or program of one process differs.
  package mutating func join(_ link: any ShareLink) throws(ShareLinkError) {
    self.link = link.place.count > 1 ? link : nil
    let plans = link.exchange(
      CommonPlan(
        version: version, program: program, scenarioHash: scenarioHash, startedAt: startedAt,
        command: command, keepsLives: cache != nil))
    // The processes synchronise at a warm start's sweeps, so either all use their caches or none.
    if !plans.allSatisfy({ $0?.keepsLives == true }) { cache = nil }
    for (number, plan) in plans.enumerated() {
      guard let plan, let first = plans[0] else {
        throw .ended(process: link.place.name(of: plan == nil ? number : 0))
      }
      if number == 0 { startedAt = first.startedAt }
      guard plan.version == first.version else {
        throw .otherProgram(process: link.place.name(of: number), plan.version, first.version)
      }
      guard plan.program == first.program else {
        throw .otherBuild(process: link.place.name(of: number))
      }
      guard plan.scenarioHash == first.scenarioHash else {
        throw .otherScenario(process: link.place.name(of: number))
      }
      guard plan.command == first.command else {
        let words = plan.command.joined(separator: " ")
        throw .otherCommand(process: link.place.name(of: number), words)
      }
    }
  }
}

package enum ShareLinkError: Error, Equatable, Sendable, CustomStringConvertible {
  case ended(process: String)
  case otherProgram(process: String, String, String)
  case otherBuild(process: String)
  case otherScenario(process: String)
  case otherCommand(process: String, String)

  package var description: String {
    switch self {
    case .ended(let process): "\(process) exited before the run began; see its own message."
    case .otherProgram(let process, let its, let first):
      "\(process) is Flotilla \(its), the first is \(first); start the same program everywhere."
    case .otherBuild(let process):
      "\(process) is a different build than the first; start the same program everywhere."
    case .otherCommand(let process, let words):
      "\(process) has different arguments than the first, '\(words)'; give all the same."
    case .otherScenario(let process):
      """
      \(process) has a different scenario than the first; give all of them the same scenario, \
      --phones, --seed, --duration and --set.
      """
    }
  }
}
