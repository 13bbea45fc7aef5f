/// The reads of viewers in each second, or the messages to them.
package struct ViewSeries: Equatable, Sendable {
  package var perSecond: [Double]
  /// Whether the server sends messages to viewers, who send no reads.
  package var areMessages: Bool

  package init(_ perSecond: [Double], areMessages: Bool = false) {
    (self.perSecond, self.areMessages) = (perSecond, areMessages)
  }

  /// The column's name.
  package var name: String { areMessages ? "messages" : "reads" }
}

/// The demand of viewers, which is in no figure of batches.
package struct ViewDemand: Equatable, Sendable, Codable {
  package var areMessages: Bool
  package var total: Double
  /// The mean rate a second.
  package var mean: Double
  package var peakSecond: Double
  /// The mean rate a second in the busiest minute.
  package var peakMinute: Double
  /// The mean rate a second in each minute.
  package var minutes: [Double]

  package init(_ series: ViewSeries) {
    let seconds = series.perSecond
    areMessages = series.areMessages
    total = seconds.reduce(0, +)
    mean = total / Double(max(1, seconds.count))
    peakSecond = seconds.max() ?? 0
    minutes = stride(from: 0, to: seconds.count, by: 60).map { from in
      let minute = seconds[from..<min(from + 60, seconds.count)]
      return minute.reduce(0, +) / Double(minute.count)
    }
    peakMinute = minutes.max() ?? 0
  }

  /// The reads that machines must answer in the busiest second.
  package var peakReads: Double { areMessages ? 0 : peakSecond }

  package var title: String { areMessages ? "messages to viewers" : "reads by viewers" }
}
