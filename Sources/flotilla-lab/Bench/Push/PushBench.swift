package import Core
internal import Scenarios
internal import ServerLogic

/// The wake scheduler of a fleet: a round is an hour of sweeps. Most phones report every 20 min,
/// some every 50 min, and a few rarely. 40 % of pushes cause an upload within a minute.
package struct PushBench: Benchmark {
  package let name = "push"
  private let phones: Int
  private let settings: PushTerms
  private var backend: Backend
  private var minute: Int64 = 0
  private var sequences: [UInt32]
  private var answering: [PhoneID] = []

  /// The minutes between reports, for each tenth of the phones.
  private static let periods: [Int64] = [20, 20, 20, 20, 20, 20, 50, 50, 180, 720]
  private static let seed: UInt64 = 1
  private static let start = SimInstant(microseconds: 1_772_409_600_000_000)
  private static let minutes: Int64 = 60

  /// The limit for the work of a sweep, in milliseconds.
  package static let mostMilliseconds = 5.0
  /// The memory limit for table and scheduler, in units of 10^6 bytes.
  package static let mostMegabytes = 64.0

  /// Creates a benchmark without registered phones, with a sweep every minute and no rate limit.
  package init(phones: Int, scheduler: PushTerms.Scheduler) {
    self.phones = phones
    var settings = PushSettings.standard.terms
    settings.scheduler = scheduler
    settings.rate = Rate(perSecond: 1e9)
    settings.sweep = .minutes(1)
    self.settings = settings
    backend = Backend(phones: phones, seed: Self.seed, push: settings, hashKey: 1)
    sequences = [UInt32](repeating: 0, count: phones)
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [("phones", .count(phones)), ("scheduler", .word(settings.scheduler.rawValue))]
  }

  package var bars: [BenchBar] { phones == 1_000_000 ? Self.millionPhones : [] }

  static let millionPhones = [
    BenchBar("sweepMilliseconds", .atMost(mostMilliseconds), judged: .worst),
    BenchBar("megabytes", .atMost(mostMegabytes), judged: .worst),
  ]

  /// Returns the milliseconds and pushes of each of 60 sweeps, and the memory after them.
  package mutating func round(_ clock: () -> WallInstant) -> BenchSamples {
    var took: [Double] = []
    var pushed: [Double] = []
    for _ in 0..<Self.minutes {
      liveMinute()
      minute += 1
      let now = Self.start + .minutes(minute)
      var pushes: [PhoneID] = []
      let began = clock()
      backend.sweep(at: now) { pushes.append($0.phone) }
      took.append(Double((clock() - began).microseconds) / 1_000)
      pushed.append(Double(pushes.count))
      answering = pushes.filter { phone in
        var draw = Draw(seed: Self.seed, phone: phone.rawValue, .benchAnswers, minute)
        return draw.chance(0.4)
      }
    }
    let bytes = Double(backend.bytes)
    return [
      ("sweepMilliseconds", took), ("pushesPerSweep", pushed),
      ("bytesPerPhone", [bytes / Double(phones)]), ("megabytes", [bytes / 1e6]),
    ]
  }

  private mutating func liveMinute() {
    for phone in answering { report(phone) }
    for (place, period) in Self.periods.enumerated() {
      // The phones of a class report in turn, in minutes given by their numbers.
      let members = (phones - place + Self.periods.count - 1) / Self.periods.count
      var member = Int(minute % period)
      while member < members {
        let phone = PhoneID(rawValue: UInt32(member * Self.periods.count + place))
        if minute >= Self.minutes || isRegistered(phone) { report(phone) }
        member += Int(period)
      }
    }
    guard minute < Self.minutes else { return }
    for phone in 0..<phones {
      let id = PhoneID(rawValue: UInt32(phone))
      guard registration(of: id) == minute else { continue }
      backend.register(id, authorization: .always, tokenValid: true, at: instant(of: id))
    }
  }

  private func isRegistered(_ phone: PhoneID) -> Bool { registration(of: phone) < minute }

  private func registration(of phone: PhoneID) -> Int64 {
    Int64(phone.rawValue) / Int64(Self.periods.count) % Self.minutes
  }

  private func instant(of phone: PhoneID) -> SimInstant {
    var draw = Draw(seed: Self.seed, phone: phone.rawValue, .benchReports, minute)
    return Self.start + .minutes(minute) + SimDuration(seconds: draw.uniform(0, 60))
  }

  private mutating func report(_ phone: PhoneID) {
    let index = Int(phone.rawValue)
    let now = instant(of: phone)
    sequences[index] += 1
    let id = BatchID(phone: phone, epoch: 1, sequence: sequences[index])
    let fix = Fix(
      coordinate: Coordinate(latitudeE6: 52_520_000, longitudeE6: 13_405_000),
      time: FixTime(now), accuracyMeters: 20, speedDecimetersPerSecond: -1, courseDegrees: -1)
    withUnsafePointer(to: fix) { fix in
      _ = backend.ingest(id, fixes: UnsafeBufferPointer(start: fix, count: 1), at: now)
    }
  }
}
