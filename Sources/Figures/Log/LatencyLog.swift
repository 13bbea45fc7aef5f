/// `latency.hlog`: HdrHistogram's interval log, a line an interval and part of the response.
///
/// Tags are the keys of the run record's `latency`, and what the record counts is what is in it,
/// so that all intervals of a tag together have the percentiles that the record has.
package struct LatencyLog: Sendable {
  /// Holds the log's lines so far, the five of its head first, without line ends.
  package private(set) var lines: [String]
  private static let legend =
    "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\""

  /// - Parameters:
  ///   - startSeconds: since 1970; intervals count from it.
  ///   - startText: the same for people.
  package init(startSeconds: Double, startText: String) {
    let start = Figure.plain(startSeconds)
    lines = [
      "#[Histogram log format version 1.3]",
      "#[Values: microseconds of wall time; what failed stands at its deadline]",
      "#[StartTime: \(start) (seconds since epoch), \(startText)]",
      "#[BaseTime: \(start) (seconds since epoch)]",
      Self.legend,
    ]
  }

  /// - Parameters: seconds since the start, and of the interval; a part without samples has no
  ///   line.
  package mutating func append(
    from start: Double, length: Double, _ latency: borrowing LatencyHistograms
  ) {
    for tag in LatencyTag.allCases {
      let histogram = latency[tag]
      guard !histogram.isEmpty else { continue }
      // By custom the third field is in milliseconds.
      let greatest = max(histogram.max ?? 0, histogram.sparse.censoredFrom ?? 0)
      let numbers = [start, length, Double(greatest) / 1_000].map(Figure.plain)
      lines.append(
        "Tag=\(tag.rawValue),\(numbers.joined(separator: ",")),"
          + HistogramCodec.base64(histogram))
    }
  }

  /// Makes one log of those of several processes that began at one instant: all of their intervals
  /// in the order of their begins, below the head of the first.
  ///
  /// - Returns: nil where there is none.
  package static func merged(_ texts: [String]) -> String? {
    guard let first = texts.first, texts.count > 1 else { return texts.first }
    let head = first.split(separator: "\n").prefix { !$0.hasPrefix("Tag=") }
    let rows = texts.flatMap { $0.split(separator: "\n").filter { $0.hasPrefix("Tag=") } }
    let ordered = rows.enumerated()
      .map { (start: start(of: $1), place: $0, line: $1) }
      .sorted { ($0.start, $0.place) < ($1.start, $1.place) }
    return (head + ordered.map(\.line)).joined(separator: "\n") + "\n"
  }

  /// Reads the second field of an interval's line: its begin, in seconds.
  private static func start(of line: Substring) -> Double {
    let fields = line.split(separator: ",", maxSplits: 2)
    return fields.count > 1 ? Double(fields[1]) ?? 0 : 0
  }

  /// Is the whole log as its file has it, with a line end behind each line.
  package var text: String { lines.joined(separator: "\n") + "\n" }

  /// All intervals of a log together.
  ///
  /// Tags of other programs are left out. What failed comes back as a value at its deadline.
  package static func sums(of text: String) throws(LatencyLogError) -> LatencyHistograms {
    try sum(intervals(of: text))
  }

  /// Adds up intervals by their tag.
  /// - Throws: `LatencyLogError` for the first interval whose histogram cannot be read.
  package static func sum(
    _ intervals: [Interval]
  ) throws(LatencyLogError) -> LatencyHistograms {
    var sums = LatencyHistograms()
    for interval in intervals { sums[interval.tag].merge(try interval.histogram()) }
    return sums
  }

  /// One line of a log: an interval of one part, still packed.
  package struct Interval: Equatable, Sendable {
    /// Names the part of the response that the interval is about.
    package var tag: LatencyTag
    /// Seconds since the start, and its length.
    package var start: Double
    /// Is the interval's length in seconds.
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

    /// Reads the interval's histogram.
    /// - Throws: `LatencyLogError` with the line's number where it is damaged.
    package func histogram() throws(LatencyLogError) -> Histogram {
      do throws(HistogramCodecError) { return try HistogramCodec.histogram(base64: code) } catch {
        throw LatencyLogError(line: line, why: error.description)
      }
    }
  }

  /// The lines of a log in its order; those with tags of other programs are left out.
  package static func intervals(of text: String) throws(LatencyLogError) -> [Interval] {
    var intervals: [Interval] = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, line) in lines.enumerated() {
      guard !line.isEmpty, !line.hasPrefix("#"), !line.hasPrefix("\"") else { continue }
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard let first = fields.first, first.hasPrefix("Tag="), fields.count == 5 else {
        throw LatencyLogError(line: number + 1, why: "a line is Tag=…,start,length,max,histogram.")
      }
      guard let tag = LatencyTag(rawValue: String(first.dropFirst(4))) else { continue }
      guard let start = Double(fields[1]), let length = Double(fields[2]) else {
        throw LatencyLogError(line: number + 1, why: "its start or length is no number.")
      }
      intervals.append(
        Interval(tag: tag, start: start, length: length, code: fields[4], line: number + 1))
    }
    return intervals
  }
}

/// Where a latency log cannot be read, and why.
package struct LatencyLogError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Is the number of the line that cannot be read, counted from 1 as an editor counts.
  package var line: Int
  /// Says what is wrong with the line, as a clause for behind a colon.
  package var why: String
  /// Says what is wrong and in which line.
  package var description: String { "line \(line): \(why)" }
}

/// A histogram of `LatencyHistograms`, named as in the run record.
package enum LatencyTag: String, CaseIterable, Sendable {
  case response, generatorLag, connect, hold, service, attempt
}

extension LatencyHistograms {
  /// Reads or changes the histogram with a tag, in place.
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
