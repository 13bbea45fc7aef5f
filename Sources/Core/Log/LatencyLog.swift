/// `latency.hlog`, an interval log of HdrHistogram. Its tags are the keys of `latency` in the run
/// record, whose percentiles are those of the merged intervals.
package struct LatencyLog: Sendable {
  /// The lines so far without line ends, starting with the five head lines.
  package private(set) var lines: [String]
  private static let legend =
    "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\""

  /// - Parameter startSeconds: The start of the log in wall-clock seconds since 1970.
  package init(startSeconds: Double, startText: String) {
    let start = Figure.plain(startSeconds)
    lines = [
      "#[Histogram log format version 1.3]",
      "#[Values: microseconds of wall-clock time; failed batches have their deadline]",
      "#[StartTime: \(start) (seconds since epoch), \(startText)]",
      "#[BaseTime: \(start) (seconds since epoch)]",
      Self.legend,
    ]
  }

  /// Appends a line for each tag with samples. `start` is in seconds since the log's start.
  package mutating func append(
    from start: Double, length: Double, _ latency: borrowing LatencyHistograms
  ) {
    for tag in LatencyTag.allCases {
      let histogram = latency[tag]
      guard !histogram.isEmpty else { continue }
      // The log format has the maximum in milliseconds.
      let greatest = max(histogram.max ?? 0, histogram.sparse.censoredFrom ?? 0)
      let numbers = [start, length, Double(greatest) / 1_000].map(Figure.plain)
      lines.append(
        "Tag=\(tag.rawValue),\(numbers.joined(separator: ",")),"
          + HistogramCodec.base64(histogram))
    }
  }

  /// Merges the logs of processes that began at the same instant: the first log's head, then all
  /// intervals by their starts. Returns nil if there is no log.
  package static func merged(_ texts: [String]) -> String? {
    guard let first = texts.first, texts.count > 1 else { return texts.first }
    let head = first.split(separator: "\n").prefix { !$0.hasPrefix("Tag=") }
    let rows = texts.flatMap { $0.split(separator: "\n").filter { $0.hasPrefix("Tag=") } }
    let ordered = rows.enumerated()
      .map { (start: start(of: $1), place: $0, line: $1) }
      .sorted { ($0.start, $0.place) < ($1.start, $1.place) }
    return (head + ordered.map(\.line)).joined(separator: "\n") + "\n"
  }

  private static func start(of line: Substring) -> Double {
    let fields = line.split(separator: ",", maxSplits: 2)
    return fields.count > 1 ? Double(fields[1]) ?? 0 : 0
  }

  package var text: String { lines.joined(separator: "\n") + "\n" }

  /// Returns a log's intervals merged by tag; failed calls count at their deadlines.
  package static func sums(of text: String) throws(LineError) -> LatencyHistograms {
    try sum(intervals(of: text))
  }

  /// Adds up intervals by tag.
  /// - Throws: `LineError` for the first interval that cannot be read.
  package static func sum(
    _ intervals: [Interval]
  ) throws(LineError) -> LatencyHistograms {
    var sums = LatencyHistograms()
    for interval in intervals { sums[interval.tag].merge(try interval.histogram()) }
    return sums
  }

  package struct Interval: Equatable, Sendable {
    package var tag: LatencyTag
    package var start: Double
    package var length: Double
    private let code: Substring
    private let line: Int

    fileprivate init(
      tag: LatencyTag, start: Double, length: Double, code: Substring, line: Int
    ) {
      self.tag = tag
      self.start = start
      self.length = length
      self.code = code
      self.line = line
    }

    package func histogram() throws(LineError) -> Histogram {
      do throws(HistogramCodecError) { return try HistogramCodec.histogram(base64: code) } catch {
        throw LineError(line: line, why: error.description)
      }
    }
  }

  /// Returns the intervals in order, without intervals of unknown tags.
  package static func intervals(of text: String) throws(LineError) -> [Interval] {
    var intervals: [Interval] = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, line) in lines.enumerated() {
      guard !line.isEmpty, !line.hasPrefix("#"), !line.hasPrefix("\"") else { continue }
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard let first = fields.first, first.hasPrefix("Tag="), fields.count == 5 else {
        throw LineError(line: number + 1, why: "expected Tag=…,start,length,max,histogram.")
      }
      guard let tag = LatencyTag(rawValue: String(first.dropFirst(4))) else { continue }
      guard let start = Double(fields[1]), let length = Double(fields[2]) else {
        throw LineError(line: number + 1, why: "start or length is not a number.")
      }
      intervals.append(
        Interval(tag: tag, start: start, length: length, code: fields[4], line: number + 1))
    }
    return intervals
  }
}

/// A line of a file that cannot be read; lines count from 1.
package struct LineError: Error, Equatable, Sendable, CustomStringConvertible {
  package var line: Int
  package var why: String

  package init(line: Int, why: String) {
    self.line = line
    self.why = why
  }

  package var description: String { "line \(line): \(why)" }
}

package enum LatencyTag: String, CaseIterable, Sendable {
  case response, generatorLag, connect, hold, service, attempt
}

extension LatencyHistograms {
  package subscript(_ tag: LatencyTag) -> Histogram {
    get {
      switch tag {
      case .response: response
      case .generatorLag: generatorLag
      case .connect: connect
      case .hold: hold
      case .service: service
      case .attempt: attempt
      }
    }
    _modify {
      switch tag {
      case .response: yield &response
      case .generatorLag: yield &generatorLag
      case .connect: yield &connect
      case .hold: yield &hold
      case .service: yield &service
      case .attempt: yield &attempt
      }
    }
  }
}
