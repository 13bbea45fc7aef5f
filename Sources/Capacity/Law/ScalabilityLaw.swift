/// Gunther's Universal Scalability Law, for the steady state without bursts or backlog:
///
/// `X(N) = γ N / (1 + α (N − 1) + β N (N − 1))`
///
/// (N. J. Gunther, "Guerrilla Capacity Planning", 2007, eq. 4.31, with γ.)
package struct ScalabilityLaw: Equatable, Sendable, Codable {
  /// The contention α: the serial share of the work.
  package var alpha: Double
  /// The coherency β: the cost of the exchange between each pair.
  package var beta: Double
  /// The throughput γ at load 1.
  package var gamma: Double

  private func cost(_ load: Double) -> Double {
    1 + alpha * (load - 1) + beta * load * (load - 1)
  }

  /// The throughput X(N) at the load N, in the unit of γ.
  package func throughput(at load: Double) -> Double { gamma * load / cost(load) }

  /// The response time at the load N by Little's law: N / X(N).
  package func response(at load: Double) -> Double { cost(load) / gamma }

  /// The load beyond which throughput falls; nil if β is 0 or α is 1.
  package var peak: (load: Double, throughput: Double)? {
    guard beta > 0, alpha < 1 else { return nil }
    let load = ((1 - alpha) / beta).squareRoot()
    return (load, throughput(at: load))
  }

  /// The upper bound that throughput would have if β were 0 (Amdahl); nil if nothing is serial.
  package var limit: Double? { alpha > 0 ? gamma / alpha : nil }

  // MARK: Inverses

  /// Returns the load up to the peak that has this throughput; nil if no load has it.
  package func load(atThroughput throughput: Double) -> Double? {
    let a = beta * throughput
    let b = (alpha - beta) * throughput - gamma
    let c = (1 - alpha) * throughput
    let square = b * b - 4 * a * c
    guard square >= 0, b < 0 else { return nil }
    // Takes the smaller root, in the form that keeps its digits where a is near 0.
    return 2 * c / (-b + square.squareRoot())
  }

  /// Returns the load that has this response time; nil if no load has it, or all do.
  package func load(atResponse response: Double) -> Double? {
    let rest = gamma * response - 1 + alpha
    guard rest > 0 else { return nil }
    let square = (alpha - beta) * (alpha - beta) + 4 * beta * rest
    let divisor = alpha - beta + square.squareRoot()
    return divisor > 0 ? 2 * rest / divisor : nil
  }

  /// Returns the throughput at the load that has this response time; nil if none or all have it.
  package func throughput(atResponse response: Double) -> Double? {
    load(atResponse: response).map { $0 / response }
  }
}
