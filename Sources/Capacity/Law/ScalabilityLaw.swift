/// Gunther's Universal Scalability Law: what N workers, calls in flight or instances carry.
///
///     X(N) = γ N / (1 + α (N − 1) + β N (N − 1))
///
/// α is the share that is done one after the other (contention), β what keeping each other informed
/// costs (coherency), γ what one alone carries. It is a law of the steady state: it says nothing of
/// bursts or backlog. (N. J. Gunther, "Guerrilla Capacity Planning", 2007, eq. 4.31, with γ.)
package struct ScalabilityLaw: Equatable, Sendable, Codable {
  /// Is the contention α: the share of the work that is done one after the other.
  package var alpha: Double
  /// Is the coherency β: the cost of keeping each pair informed.
  package var beta: Double
  /// Is the throughput γ of a load of one.
  package var gamma: Double

  private func cost(_ load: Double) -> Double {
    1 + alpha * (load - 1) + beta * load * (load - 1)
  }

  /// Returns the throughput X(N) of a load N, in the unit of γ.
  package func throughput(at load: Double) -> Double { gamma * load / cost(load) }

  /// What one waits for, by Little's law: N / X(N).
  package func response(at load: Double) -> Double { cost(load) / gamma }

  /// Where more makes it slower; nil: there is no such load, since β is 0.
  package var peak: (load: Double, throughput: Double)? {
    guard beta > 0, alpha < 1 else { return nil }
    let load = ((1 - alpha) / beta).squareRoot()
    return (load, throughput(at: load))
  }

  /// What no load carries more than, if β were 0 (Amdahl); nil: nothing is done one by one.
  package var limit: Double? { alpha > 0 ? gamma / alpha : nil }

  // MARK: Inverses

  /// The load up to the peak that carries this; nil: none does.
  package func load(atThroughput throughput: Double) -> Double? {
    let a = beta * throughput
    let b = (alpha - beta) * throughput - gamma
    let c = (1 - alpha) * throughput
    let square = b * b - 4 * a * c
    guard square >= 0, b < 0 else { return nil }
    // The smaller root, in the form that keeps its digits where a is near 0.
    return 2 * c / (-b + square.squareRoot())
  }

  /// The load that makes one wait this long; nil: none does, or all do.
  package func load(atResponse response: Double) -> Double? {
    let rest = gamma * response - 1 + alpha
    guard rest > 0 else { return nil }
    let square = (alpha - beta) * (alpha - beta) + 4 * beta * rest
    let divisor = alpha - beta + square.squareRoot()
    return divisor > 0 ? 2 * rest / divisor : nil
  }

  /// Returns the throughput at the load whose response time is `response`; nil: no load has it, or
  /// all do.
  package func throughput(atResponse response: Double) -> Double? {
    load(atResponse: response).map { $0 / response }
  }
}
