internal import Foundation

/// The M/M/c queue. As utilisation nears 1 the wait grows without limit, but with more servers it
/// does so later. A flat limit of 70 % is thus too careful for many cores and too bold for one.
package struct ErlangC: Equatable, Sendable {
  /// The number of servers c, at least 1.
  package let servers: Int
  /// The share of time in which a server is busy, below 1.
  package let utilisation: Double

  package init(servers: Int, utilisation: Double) {
    precondition(servers > 0, "at least one server is needed (are \(servers))")
    precondition(
      utilisation > 0 && utilisation < 1, "utilisation is between 0 and 1 (is \(utilisation))")
    self.servers = servers
    self.utilisation = utilisation
  }

  package var probabilityOfWait: Double {
    let offered = Double(servers) * utilisation
    // Computes Erlang B by recursion and Erlang C from B, so that no factorial overflows.
    var blocked = 1.0
    for clerk in 1...servers {
      blocked = offered * blocked / (Double(clerk) + offered * blocked)
    }
    return blocked / (1 - utilisation * (1 - blocked))
  }

  /// The mean wait, in service times.
  package var meanWait: Double {
    probabilityOfWait / (Double(servers) * (1 - utilisation))
  }

  /// Returns the wait at a quantile, 0 ..< 1, in service times.
  package func wait(atQuantile quantile: Double) -> Double {
    let waiting = probabilityOfWait
    guard waiting > 1 - quantile else { return 0 }
    return log(waiting / (1 - quantile)) / (Double(servers) * (1 - utilisation))
  }

  /// Returns the highest utilisation at which the p99 wait is at most `limit` service times.
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
