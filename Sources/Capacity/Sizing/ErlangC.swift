internal import Foundation

/// How long one waits at a counter with c clerks (M/M/c): the wait grows without limit as they get
/// busy, and later the more there are. So a flat "70 %" is too careful for many cores and too bold
/// for one.
package struct ErlangC: Equatable, Sendable {
  /// Is the number of servers c, at least 1.
  package let servers: Int
  /// The share of their time in which they serve, below 1.
  package let utilisation: Double

  /// Makes the queue; `servers` is positive and `utilisation` lies between 0 and 1.
  package init(servers: Int, utilisation: Double) {
    precondition(servers > 0, "somebody has to serve (are \(servers))")
    precondition(
      utilisation > 0 && utilisation < 1, "utilisation is between 0 and 1 (is \(utilisation))")
    self.servers = servers
    self.utilisation = utilisation
  }

  /// That one has to wait at all.
  package var probabilityOfWait: Double {
    let offered = Double(servers) * utilisation
    // Erlang B by its recursion, then C from B: no factorial overflows.
    var blocked = 1.0
    for clerk in 1...servers {
      blocked = offered * blocked / (Double(clerk) + offered * blocked)
    }
    return blocked / (1 - utilisation * (1 - blocked))
  }

  /// In units of the time of service.
  package var meanWait: Double {
    probabilityOfWait / (Double(servers) * (1 - utilisation))
  }

  /// What a share of all waits at most, in units of the time of service.
  package func wait(atQuantile quantile: Double) -> Double {
    let waiting = probabilityOfWait
    guard waiting > 1 - quantile else { return 0 }
    return log(waiting / (1 - quantile)) / (Double(servers) * (1 - utilisation))
  }

  /// The highest utilisation at which 99 in 100 wait no longer than `limit` times of service.
  package static func safeUtilisation(servers: Int, limit: Double) -> Double {
    var (low, high) = (0.001, 0.999)
    for _ in 0..<40 {
      let middle = (low + high) / 2
      let wait = ErlangC(servers: servers, utilisation: middle).wait(atQuantile: 0.99)
      if wait <= limit { low = middle } else { high = middle }
    }
    return low
  }
}
