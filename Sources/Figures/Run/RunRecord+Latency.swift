package import Core

extension RunRecord {
  /// The response, its four parts, and single attempts, in wall-clock microseconds.
  package struct Latency: Equatable, Sendable, Codable {
    /// The time from intended time to durable acknowledgement: the sum of the four parts.
    package var response = Metrics()
    package var generatorLag = Metrics()
    package var connect = Metrics()
    package var hold = Metrics()
    package var service = Metrics()
    package var attempt = Metrics()
    /// The parts of `connect` with a TLS handshake; absent if there was none.
    package var secured: Secured?

    package struct Secured: Equatable, Sendable, Codable {
      package var tcp = Metrics()
      package var full = Metrics()
      package var resumed = Metrics()

      package init(_ histograms: SecuredHistograms) {
        tcp = Metrics(histograms.tcp)
        full = Metrics(histograms.full)
        resumed = Metrics(histograms.resumed)
      }
    }

    package init() {}

    /// Computes all figures and marks percentiles of the response that the generator determined.
    package init(_ histograms: LatencyHistograms) {
      response = Metrics(histograms.response)
      generatorLag = Metrics(histograms.generatorLag)
      connect = Metrics(histograms.connect)
      hold = Metrics(histograms.hold)
      service = Metrics(histograms.service)
      attempt = Metrics(histograms.attempt)
      secured = histograms.secured.map(Secured.init)
      response.generatorBound = Level.allCases.filter {
        Validity.isGeneratorBound(
          histograms.response.percentile($0.quantile),
          lag: histograms.generatorLag.percentile($0.quantile))
      }.map(\.rawValue)
    }

    package var named: [(name: String, figures: Metrics)] {
      var parts: [(name: String, figures: Metrics)] = []
      if let secured {
        parts = [
          ("connect: TCP", secured.tcp), ("connect: TLS full", secured.full),
          ("connect: TLS resumed", secured.resumed),
        ]
      }
      return [("response", response), ("generator lag", generatorLag), ("connect", connect)]
        + parts + [("hold", hold), ("service", service), ("attempt, whole run", attempt)]
    }

    /// The rows of a table of `named`: name, count, failed, mean, percentiles, maximum.
    package var rows: [[String]] {
      func time(_ value: Double?) -> String { value.map(Figure.time) ?? "—" }
      return named.map { name, figures in
        [name, Figure.grouped(figures.count), Figure.grouped(figures.censored), time(figures.mean)]
          + Level.allCases.map(figures.text) + [time(figures.max.map(Double.init))]
      }
    }

    package enum Level: String, CaseIterable, Sendable {
      case p50, p90, p99, p999

      package var quantile: Double {
        switch self {
        case .p50: 0.5
        case .p90: 0.9
        case .p99: 0.99
        case .p999: 0.999
        }
      }
    }
  }

  /// The figures of a histogram. A percentile is null without support or beyond a deadline.
  package struct Metrics: Equatable, Sendable, Codable {
    /// The number of all samples, censored ones included.
    package var count = 0
    package var censored = 0
    @Nullable package var min: Int64?
    @Nullable package var mean: Double?
    @Nullable package var p50: Int64?
    @Nullable package var p90: Int64?
    @Nullable package var p99: Int64?
    @Nullable package var p999: Int64?
    /// The greatest recorded value; censored samples may have taken longer.
    @Nullable package var max: Int64?
    /// The deadline, in µs, that a percentile such as "p99" lies beyond.
    package var beyond: [String: Int64] = [:]
    /// The percentiles that the generator's lateness determines, such as "p99".
    package var generatorBound: [String] = []
    package var isLate: Bool { generatorBound.contains("p99") }

    package init() {}

    package init(_ histogram: Histogram) {
      count = histogram.total
      censored = histogram.censored
      min = histogram.min
      mean = histogram.mean
      max = histogram.max
      for level in Latency.Level.allCases {
        switch histogram.percentile(level.quantile) {
        // The highest value of a histogram's slot may exceed the greatest recorded value.
        case .value(let value): self[level] = Swift.min(value, histogram.max ?? value)
        case .beyond(let deadline): beyond[level.rawValue] = deadline
        case .unsupported: break
        }
      }
    }

    package subscript(_ level: Latency.Level) -> Int64? {
      get {
        switch level {
        case .p50: p50
        case .p90: p90
        case .p99: p99
        case .p999: p999
        }
      }
      set {
        switch level {
        case .p50: p50 = newValue
        case .p90: p90 = newValue
        case .p99: p99 = newValue
        case .p999: p999 = newValue
        }
      }
    }

    /// Returns "12.3 ms", "> 30 s", "generator-bound", or "—" where samples are too few.
    package func text(_ level: Latency.Level) -> String {
      if generatorBound.contains(level.rawValue) { return "generator-bound" }
      if let deadline = beyond[level.rawValue] { return "> \(Figure.time(Double(deadline)))" }
      return self[level].map { Figure.time(Double($0)) } ?? "—"
    }
  }
}
