internal import Core
@testable internal import Capacity

/// Invariants for any bytes that are read as the log of a server.
enum PhoneLogCheck {
  static func check(_ bytes: [UInt8]) {
    // The first byte selects how columns are found and the chunk size.
    let kind = bytes.first ?? 0
    let file = Array(bytes.dropFirst())
    let whole = read(file, kind, chunk: max(1, file.count))
    let pieces = read(file, kind, chunk: 1 + Int(kind >> 3))
    precondition(whole == pieces, "a log reads the same however it is cut")
  }

  private struct Read: Equatable {
    var rows: [LogRow] = []
    var phones: [String] = []
    var error: LogError?
  }

  private static func read(_ file: [UInt8], _ kind: UInt8, chunk: Int) -> Read {
    do throws(LogError) {
      let mapping =
        kind & 1 == 0 ? ColumnMapping() : try ColumnMapping("phone=1,time=2,latitude=4,accuracy=6")
      var reader = LogReader(
        mapping, epoch: kind & 4 == 0 ? nil : .apple, skipsBadLines: kind & 2 == 0)
      reader.begin("fuzz.csv")
      var rest = file[...]
      while !rest.isEmpty {
        try reader.take(Array(rest.prefix(chunk)))
        rest = rest.dropFirst(chunk)
      }
      try reader.end()
      let log = try reader.finish()
      check(log)
      return Read(rows: log.rows, phones: log.phones)
    } catch {
      precondition(!error.description.isEmpty, "a refusal says why")
      return Read(error: error)
    }
  }

  private static func check(_ log: PhoneLog) {
    for (a, b) in zip(log.rows, log.rows.dropFirst()) {
      precondition((a.phone, a.time) < (b.phone, b.time), "rows are in order, and none twice")
    }
    guard let window = log.window else { return }
    let sample = LogSample(log, in: window, clock: CivilClock(utcOffset: .zero))
    precondition(sample.intervals.allSatisfy { $0 > 0 }, "intervals are longer than nothing")
    precondition(sample.delays.allSatisfy { $0 >= 0 }, "delays are not negative")
    for figure in FitFigure.allCases {
      guard let distance = sample.distance(to: sample, in: figure) else { continue }
      precondition(distance == 0, "a sample is no way from itself: \(figure) \(distance)")
    }
    guard let start = FitStart(sample) else { return }
    var search = FitSearch(from: start, budget: 12)
    while let candidate = search.next() { search.note(candidate, loss: 1) }
  }
}
