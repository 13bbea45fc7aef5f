@testable import Core
import TestSupport
import Testing

@Suite("CPU contention", .quick)
struct ProcessorContentionTests {
  typealias Second = ProcessorContention.Second

  /// A machine of two cores and its usage, the same in every second but the p99s.
  struct Course: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var generator = ProcessorContention.Use(used: 0.28, waited: 0.02)
    var collector = ProcessorContention.Use(used: 0.17, waited: 0.02)
    var others = 0.05
    /// Milliseconds for each second; nil: too few batches.
    var p99s: [Int64?] = Array(repeating: 80, count: 10)
    /// Of the whole measured time.
    var p99: Int64? = 80
    /// More than one in a hundred failed at the deadline of 10 s.
    var isBeyond = false
    /// "collector", "generator"; nil: other programs are not to blame.
    let blamed: String?

    private static func percentile(_ milliseconds: Int64?) -> Percentile {
      milliseconds.map { .value($0 * 1_000) } ?? .unsupported
    }

    func reason(limit: Int64 = 50) -> String? {
      var contention = ProcessorContention(cores: 2)
      for p99 in p99s {
        contention.add(
          Second(
            wall: 1, generator: generator, collector: collector,
            busy: generator.used + collector.used + others,
            responseP99: Self.percentile(p99)))
      }
      return contention.reason(
        limit: .milliseconds(limit),
        responseP99: isBeyond ? .beyond(10_000_000) : Self.percentile(p99))
    }

    static let all = [
      Course(testDescription: "a quiet machine", blamed: nil),
      Course(
        testDescription: "others keep the collector waiting",
        collector: .init(used: 0.17, waited: 0.4), others: 1.5, blamed: "collector"),
      Course(
        testDescription: "others keep the generator waiting",
        generator: .init(used: 0.2, waited: 0.5), others: 1.5, blamed: "generator"),
      Course(
        testDescription: "others keep both waiting, the generator longer",
        generator: .init(used: 0.2, waited: 0.5), collector: .init(used: 0.17, waited: 0.4),
        others: 1.5, blamed: "generator"),
      Course(
        testDescription: "waiting that broke no promise",
        collector: .init(used: 0.17, waited: 0.4), others: 1.5,
        p99s: Array(repeating: 40, count: 10), p99: 40, blamed: nil),
      Course(
        testDescription: "a response of which nothing is known",
        collector: .init(used: 0.17, waited: 0.4), others: 1.5, p99: nil, blamed: nil),
      Course(
        testDescription: "the two fill the machine themselves",
        generator: .init(used: 0.95, waited: 0.8), collector: .init(used: 0.95, waited: 0.8),
        others: 0.1, blamed: nil),
      Course(
        testDescription: "one full loop of the collector, and others that hardly meet it",
        generator: .init(used: 0.4, waited: 0.02), collector: .init(used: 0.95, waited: 0.05),
        others: 0.3, blamed: nil),
      Course(
        testDescription: "waiting for each other, not for others",
        generator: .init(used: 0.8, waited: 0.3), collector: .init(used: 0.8, waited: 0.3),
        others: 0.05, blamed: nil),
      Course(
        testDescription: "a backlog behind a collector that others leave half of what it asks for",
        collector: .init(used: 0.5, waited: 0.5), others: 1.2,
        p99s: (1...10).map { $0 * 400 }, p99: 4_000, blamed: "collector"),
      Course(
        testDescription: "a stalled collector, and others that took little",
        collector: .init(used: 0.17, waited: 0.06), others: 0.6,
        p99s: [5, 5, 5, 1_400, 900, 5, 5, 5, 5, 5], p99: 900, blamed: nil),
      Course(
        testDescription: "a slow disk: late in each second, by more than anybody waited",
        collector: .init(used: 0.17, waited: 0.06), others: 0.6,
        p99s: Array(repeating: 600, count: 10), p99: 600, blamed: nil),
      Course(
        testDescription: "too few batches for a p99 of a second, others everywhere",
        collector: .init(used: 0.17, waited: 0.4), others: 1.5,
        p99s: Array(repeating: nil, count: 10), blamed: "collector"),
      Course(
        testDescription: "too few batches for a p99 of a second, nobody else",
        p99s: Array(repeating: nil, count: 10), blamed: nil),
      Course(
        testDescription: "clocks of 10 ms that find less than we used",
        collector: .init(used: 0.17, waited: 0.4), others: -0.02, blamed: nil),
      Course(
        testDescription: "so little is left that uploads fail at their deadline",
        generator: .init(used: 0.25, waited: 0.9), collector: .init(used: 0.05, waited: 0.15),
        others: 1.65, p99s: Array(repeating: nil, count: 10), isBeyond: true,
        blamed: "generator"),
      Course(
        testDescription: "uploads fail at their deadline on a quiet machine",
        p99s: Array(repeating: nil, count: 10), isBeyond: true, blamed: nil),
      Course(testDescription: "nothing was measured", p99s: [], blamed: nil),
    ]
  }

  @Test("blame for a p99 of 80 ms with an SLO of 50 ms", arguments: Course.all)
  func blame(_ course: Course) {
    let reason = course.reason()
    if let blamed = course.blamed {
      #expect(reason?.hasPrefix("The \(blamed) waited ") == true, "\(reason ?? "nobody")")
    } else {
      #expect(reason == nil)
    }
  }

  @Test("late seconds without contention count against other programs' blame")
  func baselineSecondsAreLate() {
    func reason(lateInBaseline: Int) -> String? {
      var contention = ProcessorContention(cores: 2)
      for second in 0..<12 {
        let isBusy = second < 4
        let isLate = isBusy || second - 4 < lateInBaseline
        contention.add(
          Second(
            wall: 1, generator: .init(used: 0.2, waited: 0.01),
            collector: .init(used: 0.17, waited: isBusy ? 0.4 : 0.01),
            busy: isBusy ? 1.9 : 0.4, responseP99: .value(isLate ? 80_000 : 5_000)))
      }
      return contention.reason(limit: .milliseconds(50), responseP99: .value(80_000))
    }
    #expect(reason(lateInBaseline: 0) != nil)
    // The window of the quiet second after a busy one still includes it.
    #expect(reason(lateInBaseline: 3) != nil)
    #expect(reason(lateInBaseline: 7) == nil)
  }

  @Test("the sentence says how long, for how much of the machine, and what to do")
  func sentence() throws {
    let course = try #require(Course.all.first { $0.blamed == "collector" })
    #expect(
      course.reason() == """
        The collector waited 3,077 ms for a CPU that other processes used: 1.5 of 2 cores, in \
        10 s. Stop other processes, or use an idle machine.
        """)
  }

  @Test("other programs' use is all use minus ours, never negative")
  func others() {
    var contention = ProcessorContention(cores: 2)
    #expect(contention.isEmpty && contention.othersCores == 0)
    for busy in [1.0, 0.3] {
      contention.add(
        Second(
          wall: 1, generator: .init(used: 0.3, waited: 0.1),
          collector: .init(used: 0.1, waited: 0.2), busy: busy, responseP99: .unsupported))
    }
    #expect(abs(contention.othersCores - 0.3) < 1e-9)
    #expect(abs(contention.generatorWaited - 0.2) < 1e-9)
    #expect(abs(contention.collectorWaited - 0.4) < 1e-9)
  }
}
