package import Core

/// The page as protobuf messages for servers that take metrics instead of scraping them.
extension MetricPage {
  // MARK: OpenTelemetry

  /// Returns an `ExportMetricsServiceRequest` (opentelemetry-proto 1.5) with cumulative sums. A
  /// name lacks the suffixes that a server adds from kind and unit.
  ///
  /// - Parameters:
  ///   - resource: the attributes of the source, such as `service.name`.
  ///   - start: when the counters were 0.
  package func otlp(
    resource: [(name: String, value: String)], version: String, since start: UnixInstant,
    at now: UnixInstant
  ) -> [UInt8] {
    var request = ProtobufWriter()
    request.nest(1) { metrics in
      metrics.nest(1) { source in
        for attribute in resource { source.add(1, attribute: attribute) }
      }
      metrics.nest(2) { scope in
        scope.nest(1) { about in
          about.add(1, "flotilla")
          about.add(2, version)
        }
        for family in families {
          scope.nest(2) { $0.add(family, since: start, at: now) }
        }
      }
    }
    return request.message
  }

  // MARK: Prometheus' remote write

  /// Returns a `WriteRequest` of Prometheus' remote write 1.0, in a block of snappy.
  ///
  /// - Parameter labels: the labels that every series gets, such as `job`.
  package func remoteWrite(
    labels common: [(name: String, value: String)], at now: UnixInstant
  ) -> [UInt8] {
    var request = ProtobufWriter()
    for series in families.flatMap({ Self.series(of: $0) }) {
      let labels = (series.labels + common + [("__name__", series.name)])
        .filter { !$0.value.isEmpty }.sorted { $0.name < $1.name }
      request.nest(1) { message in
        for label in labels {
          message.nest(1) {
            $0.add(1, label.name)
            $0.add(2, label.value)
          }
        }
        message.nest(2) {
          $0.add(1, fixed: series.value.bitPattern)
          $0.add(2, UInt64(bitPattern: now.microseconds / 1_000))
        }
      }
    }
    return Self.snappy(request.message)
  }

  /// Returns a block of snappy that contains the bytes uncompressed, which needs no library.
  static func snappy(_ plain: [UInt8]) -> [UInt8] {
    var block = ProtobufWriter()
    block.append(UInt64(plain.count))
    var start = 0
    while start < plain.count {
      let count = min(65_536, plain.count - start)
      // 61 in the upper six bits: the two following bytes are the length minus 1.
      block.message += [61 << 2, UInt8((count - 1) & 0xFF), UInt8((count - 1) >> 8)]
      block.message += plain[start..<(start + count)]
      start += count
    }
    return block.message
  }
}

extension ProtobufWriter {
  mutating func add(_ field: Int, packed numbers: [UInt64]) {
    var packed = ProtobufWriter()
    for number in numbers { packed.append(fixed: number) }
    add(field, packed.message)
  }

  mutating func add(_ field: Int, attribute: (name: String, value: String)) {
    nest(field) {
      $0.add(1, attribute.name)
      $0.nest(2) { $0.add(1, attribute.value) }
    }
  }

  // MARK: OpenTelemetry

  private static let cumulative: UInt64 = 2

  mutating func add(_ family: MetricFamily, since start: UnixInstant, at now: UnixInstant) {
    let metric = family.metric
    let unit = ["_seconds": "s", "_bytes": "By", "_ratio": "1"].first {
      metric.stem("_total").hasSuffix($0.key)
    }
    add(1, unit.map { Metric.stem(of: metric.stem("_total"), $0.key) } ?? metric.stem("_total"))
    add(2, metric.help)
    if let unit { add(3, unit.value) }
    let times = [start, now].map { UInt64(clamping: $0.microseconds) &* 1_000 }
    switch family.values {
    case .samples(let samples):
      let isSum = metric.kind == .counter
      nest(isSum ? 7 : 5) { points in
        for sample in samples {
          points.nest(1) { point in
            if isSum { point.add(2, fixed: times[0]) }
            point.add(3, fixed: times[1])
            point.add(4, fixed: sample.value.bitPattern)
            for attribute in zip(metric.labels, sample.labels) where !attribute.1.isEmpty {
              point.add(7, attribute: (attribute.0, attribute.1))
            }
          }
        }
        if isSum {
          points.add(2, Self.cumulative)
          points.add(3, 1)
        }
      }
    case .histogram(let histogram):
      nest(9) { points in
        points.nest(1) { point in
          point.add(2, fixed: times[0])
          point.add(3, fixed: times[1])
          point.add(4, fixed: histogram.count)
          point.add(5, fixed: (Double(histogram.sumMicroseconds) / 1e6).bitPattern)
          // Counts of single buckets, of which the last has no bound.
          let upTo = histogram.cumulative + [histogram.count]
          point.add(6, packed: zip(upTo, [0] + upTo).map { $0 - $1 })
          point.add(7, packed: histogram.bounds.map { (Double($0) / 1e6).bitPattern })
        }
        points.add(2, Self.cumulative)
      }
    }
  }
}
