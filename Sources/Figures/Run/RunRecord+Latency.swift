extension RunRecord {
  /// The response and its four parts, and attempts by themselves; wall microseconds.
  package struct Latency: Equatable, Sendable, Codable {
    /// Holds the figures of durable ack − intended time, which is the sum of the four parts.
    package var response = Metrics()
    /// Holds the figures of how late the generator itself was.
    package var generatorLag = Metrics()
    /// Holds the figures of TCP, TLS and registration.
    package var connect = Metrics()
    /// Holds the figures of waiting for a slot, flow control, pushback and back-off.
    package var hold = Metrics()
    /// Holds the figures of first byte written → ack read, retries included.
    package var service = Metrics()
    /// Holds the figures of single attempts, which are no part of the sum.
    package var attempt = Metrics()
    /// Holds the parts of `connect` where it held a TLS handshake; absent where none did.
    package var secured: Secured?

    /// Holds the figures of the parts of `connect` with a TLS handshake.
    package struct Secured: Equatable, Sendable, Codable {
      /// Holds the figures of what was not the handshake: TCP, and registration.
      package var tcp = Metrics()
      /// Holds the figures of handshakes with certificates.
      package var full = Metrics()
      /// Holds the figures of handshakes that went on from an earlier session.
      package var resumed = Metrics()

      /// Takes the figures of three histograms.
      package init(_ histograms: SecuredHistograms) {
        tcp = Metrics(histograms.tcp)
        full = Metrics(histograms.full)
        resumed = Metrics(histograms.resumed)
      }
    }

    /// Makes figures of empty histograms.
    package init() {}

    /// Takes the figures of all histograms, and marks the percentiles of the response that are
    /// generator-bound.
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

    /// Holds the six, and the parts of `connect` where it was secured, with their names for a
    /// table, in reading order.
    package var named: [(name: String, figures: Metrics)] {
      var parts: [(name: String, figures: Metrics)] = []
      if let secured {
        parts = [
          ("connect: TCP", secured.tcp), ("connect: TLS full", secured.full),
          ("connect: TLS resumed", secured.resumed),
        ]
      }
      return [("response", response), ("generator lag", generatorLag), ("connect", connect)]
        + parts + [("hold", hold), ("service", service), ("attempt", attempt)]
    }

    /// The rows of `named` for a table: name, count, failed, mean, the percentiles and maximum.
    package var rows: [[String]] {
      func time(_ value: Double?) -> String { value.map(Figure.time) ?? "—" }
      return named.map { name, figures in
        [name, Figure.grouped(figures.count), Figure.grouped(figures.censored), time(figures.mean)]
          + Level.allCases.map(figures.text) + [time(figures.max.map(Double.init))]
      }
    }

    /// The percentiles that are printed.
    package enum Level: String, CaseIterable, Sendable {
      case p50, p90, p99, p999

      /// Is the percentile as a share, 0 … 1.
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

  /// A histogram's figures. A percentile is null when unsupported, or beyond a deadline: then
  /// `beyond` says which.
  package struct Metrics: Equatable, Sendable, Codable {
    /// Counts all samples, the censored ones among them.
    package var count = 0
    /// Counts the samples that are only known to be at least their deadline.
    package var censored = 0
    /// Is the least recorded value.
    @Nullable package var min: Int64?
    /// Is the mean of the recorded values, without the censored ones.
    @Nullable package var mean: Double?
    /// Is the median over all samples.
    @Nullable package var p50: Int64?
    /// Is the 90th percentile over all samples.
    @Nullable package var p90: Int64?
    /// Is the 99th percentile over all samples.
    @Nullable package var p99: Int64?
    /// Is the 99.9th percentile over all samples.
    @Nullable package var p999: Int64?
    /// Is the greatest recorded value; censored ones may have taken longer.
    @Nullable package var max: Int64?
    /// "p99" → the deadline, µs, that it lies beyond.
    package var beyond: [String: Int64] = [:]
    /// Percentiles that the generator's own lateness decides.
    package var generatorBound: [String] = []

    /// Makes the figures of an empty histogram.
    package init() {}

    /// Takes the figures of a histogram; no percentile exceeds the greatest recorded value.
    package init(_ histogram: Histogram) {
      count = histogram.total
      censored = histogram.censored
      min = histogram.min
      mean = histogram.mean
      max = histogram.max
      for level in Latency.Level.allCases {
        switch histogram.percentile(level.quantile) {
        // A slot's highest value may lie above the greatest that was recorded.
        case .value(let value): self[level] = Swift.min(value, histogram.max ?? value)
        case .beyond(let deadline): beyond[level.rawValue] = deadline
        case .unsupported: break
        }
      }
    }

    /// Reads or sets the percentile of a level.
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

    /// "12.3 ms", "> 30 s", "generator-bound", or "—" where samples are too few.
    package func text(_ level: Latency.Level) -> String {
      if generatorBound.contains(level.rawValue) { return "generator-bound" }
      if let deadline = beyond[level.rawValue] { return "> \(Figure.time(Double(deadline)))" }
      return self[level].map { Figure.time(Double($0)) } ?? "—"
    }
  }
}
