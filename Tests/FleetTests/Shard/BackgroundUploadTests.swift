import Core
import PhoneSupport
import TestSupport
import Testing

@testable import Fleet
@testable import Phone
@testable import Scenarios

/// A background URLSession with an app's batches, and uploads that wait for Wi-Fi.
@Suite("Uploads sent by the system", .quick)
struct BackgroundUploadTests {
  /// An app that answers each push with the phone's position, over a background session.
  ///
  /// - Parameter change: changes the figures of background sessions, whose tasks by default start
  ///   at
  ///   once and are not discretionary.
  static func bench(
    _ change: (inout BackgroundSessionProfile) -> Void = { _ in },
    scenario: (inout Scenario) -> Void = { _ in }
  ) -> PhoneBench {
    var settings = PolicySettings.quiet
    settings.onPush = .cached
    settings.send.session = .background
    settings.send.interval = .zero
    var os = OSProfile.standard
    os.backgroundSession.discretionaryInBackground = false
    os.backgroundSession.startMedian = .seconds(1)
    os.backgroundSession.startSigma = 0
    change(&os.backgroundSession)
    let bench = PhoneBench(settings, os: os, way: [.stay(.hours(24 * 9))]) {
      $0.fleet.phone.wifiAtStays = 1
      $0.push.phone.alwaysOpen()
      $0.push.phone.budget = .drip
      $0.push.phone.bucketCapacity = 10_000
      $0.push.phone.dayRunTime = .zero
      $0.push.phone.dayData = ByteCount(bytes: 0)
      $0.push.phone.penaltyFactor = 1
      scenario(&$0)
    }
    return bench
  }

  /// A push puts a present position into the outbox.
  static func ask(_ bench: PhoneBench) {
    bench.act { shard, now in
      shard.phones[0].lastKnown = Fix(
        coordinate: Coordinate(latitudeE6: 52_520_000, longitudeE6: 13_405_000),
        time: FixTime(now), accuracyMeters: 20, speedDecimetersPerSecond: -1, courseDegrees: -1)
    }
    bench.push()
  }

  /// When the app received the results of its uploads.
  static func answers(_ bench: PhoneBench) -> [SimInstant] {
    bench.delivered.compactMap { if case .uploadFinished = $0.event { $0.at } else { nil } }
  }

  /// Duration of a batch handed over at 23:30.
  static func wait(
    wifi: Double, charged: Double, _ change: (inout BackgroundSessionProfile) -> Void = { _ in }
  ) -> Double? {
    let bench = bench {
      $0.discretionaryInBackground = true
      change(&$0)
    } scenario: {
      $0.fleet.phone.wifiAtStays = wifi
      $0.fleet.phone.chargesAtNight = charged
    }
    bench.advance(until: .hours(16))
    let begun = bench.now
    ask(bench)
    bench.advance(.hours(24 * 6))
    return answers(bench).first.map { ($0 - begun).seconds }
  }

  @Test("NW1: an upload outlives its app, which is relaunched for its result")
  func outlives() {
    let bench = Self.bench { $0.startMedian = .minutes(5) }
    Self.ask(bench)
    #expect(bench.state == .suspended && bench.phone.transfer.stage == .queued)
    #expect(bench.metrics[.uploadsStarted] == 0)
    bench.act { shard, now in shard.system(&shard.phones[0], .terminated, now: now) }
    bench.advance(.minutes(10))
    #expect(bench.results == [.acknowledged] && bench.phone.outbox.count == 0)
    let launches = bench.delivered.compactMap {
      if case .launched(let reason) = $0.event { reason } else { nil }
    }
    #expect(launches.last == .upload && bench.state == .suspended)
    #expect(bench.metrics[.uploadsLost] == 0 && bench.metrics[.batchesAcknowledged] == 1)
  }

  @Test("NW1: an app's own process loses uploads that the system's process completes")
  func ownProcess() {
    for session in UploadSession.allCases {
      var settings = PolicySettings.quiet
      settings.onPush = .cached
      settings.send = bench().scenario.policies[0].settings.send
      settings.send.session = session
      settings.send.backgroundTask = false
      let bench = Self.bench(scenario: { $0.policies[0].settings = settings })
      Self.ask(bench)
      bench.advance(.minutes(1))
      #expect(bench.metrics[.uploadsLost] == (session == .standard ? 1 : 0))
    }
  }

  private func bench() -> PhoneBench { Self.bench() }

  @Test("NW1: swiping the app away cancels its upload, and the next start sends the batch again")
  func swipedAway() {
    let bench = Self.bench { $0.startMedian = .minutes(5) }
    Self.ask(bench)
    bench.forceQuit()
    bench.advance(.hours(3))
    #expect(bench.results.isEmpty && bench.metrics[.uploadsStarted] == 0)
    #expect(bench.phone.outbox.count == 1)
    bench.open()
    #expect(bench.results == [.connectionLost])
    bench.advance(.minutes(1))
    bench.leave()
    bench.advance(.hours(1))
    #expect(bench.results.last == .acknowledged && bench.phone.outbox.count == 0)
    #expect(bench.phone.tracker.lastSequence == 1, "the same batch under its number")
  }

  @Test("NW1: an upload cut short by a switched-off phone continues when it is on again")
  func switchedOff() {
    let bench = Self.bench { $0.startMedian = .minutes(5) }
    Self.ask(bench)
    bench.act { shard, now in
      shard.system(
        &shard.phones[0], .switchedOff(Window(start: now, end: now + .hours(2))), now: now)
    }
    bench.advance(.minutes(119))
    #expect(bench.metrics[.uploadsStarted] == 0)
    bench.advance(.minutes(3))
    #expect(bench.results == [.acknowledged])
  }

  @Test("NW2: each resume doubles the wait of the next upload, up to a limit")
  func limiter() {
    let bench = Self.bench { $0.delayMax = .minutes(20) }
    for _ in 0..<180 {
      Self.ask(bench)
      bench.advance(.minutes(1))
    }
    let answers = Self.answers(bench)
    let gaps = zip(answers, answers.dropFirst()).map { ($1 - $0).seconds }
    let expected = [60.0, 120, 240, 480, 960, 1_200, 1_200, 1_200, 1_200]
    for (gap, wait) in zip(gaps, expected) {
      #expect(gap >= wait && gap < wait + 10, "\(gap) s after \(wait) s")
    }
    #expect(gaps.count >= 8)
  }

  @Test("NW2: opening the app sets the wait to zero, and releases waiting uploads")
  func opened() throws {
    let bench = Self.bench()
    for _ in 0..<60 {
      Self.ask(bench)
      bench.advance(.minutes(1))
    }
    let (before, at) = (Self.answers(bench).count, bench.now)
    #expect(bench.phone.transfer.stage == .queued)
    bench.open()
    bench.advance(.seconds(20))
    let answers = Self.answers(bench)
    #expect(answers.count > before && answers[before] < at + .seconds(10))
    bench.leave()
    bench.advance(.minutes(2))
    let count = Self.answers(bench).count
    Self.ask(bench)
    bench.advance(.seconds(10))
    #expect(Self.answers(bench).count == count + 1)
  }

  @Test("NW2: a pause as long as the wait sets it to zero")
  func pause() {
    let bench = Self.bench()
    for _ in 0..<8 {
      Self.ask(bench)
      bench.advance(.minutes(1))
    }
    bench.advance(.hours(5))
    let count = Self.answers(bench).count
    #expect(bench.phone.outbox.count == 0)
    Self.ask(bench)
    bench.advance(.seconds(10))
    #expect(Self.answers(bench).count == count + 1)
  }

  @Test("NW3: a discretionary upload waits for Wi-Fi and charger, ten times as long for one alone")
  func discretion() throws {
    let charged = try #require(Self.wait(wifi: 1, charged: 1))
    let wifi = try #require(Self.wait(wifi: 1, charged: 0))
    let cellular = try #require(Self.wait(wifi: 0, charged: 0))
    #expect(abs(wifi / charged - 10) < 0.3, "\(charged) s, \(wifi) s")
    #expect(abs(cellular / charged - 48) < 1.5, "\(charged) s, \(cellular) s")
    // From the foreground only uploads marked so are discretionary.
    let front = Self.bench { $0.discretionaryInBackground = true }
    front.open()
    Self.ask(front)
    front.advance(.minutes(1))
    #expect(front.results.first == .acknowledged)
  }

  @Test("NW3: an upload handed over too long ago is given up, and stays in the outbox")
  func timeout() throws {
    let bench = Self.bench {
      $0.startMedian = .hours(1)
      $0.timeout = .minutes(30)
    }
    Self.ask(bench)
    bench.advance(.minutes(31))
    #expect(bench.results.first == .failed && bench.phone.outbox.count == 1)
  }

  @Test("NW4: a Wi-Fi-only policy keeps its fixes until there is Wi-Fi", arguments: [false, true])
  func wifiOnly(inBackground: Bool) {
    var settings = PolicySettings.standard
    settings.send.allowsCellular = false
    settings.send.session = inBackground ? .background : .standard
    var os = OSProfile.standard
    os.backgroundSession.discretionaryInBackground = false
    let way: [Stretch] = [
      .stay(.minutes(30)), .ride(.minutes(80), metersPerSecond: 12), .stay(.hours(3)),
    ]
    let bench = PhoneBench(settings, os: os, way: way) {
      $0.fleet.phone.wifiAtStays = 1
      $0.fleet.phone.wifiOnTheWay = 0
    }
    bench.advance(until: .minutes(31))
    let sent = bench.metrics[.uploadsStarted]
    bench.advance(until: .minutes(109))
    #expect(bench.metrics[.uploadsStarted] == sent && bench.phone.outbox.count > 5)
    let waiting = bench.metrics.stale[.waitingForWifi]
    #expect(waiting > .minutes(30), "\(waiting.seconds) s")
    bench.advance(until: .minutes(130))
    #expect(bench.phone.outbox.count <= 1 && bench.metrics[.fixesEvicted] == 0)
    #expect(bench.metrics.stale[.offline] == .zero)
  }
}
