import Core
import TestSupport
import Testing

@testable import Wire

/// Each number of a message is within its bounds, or the message is refused with the field's name.
@Suite("Bounds of numbers in messages", .quick)
struct BoundsTests {
  private static let start = SimInstant(microseconds: 1_790_000_000_000_000)

  /// A change of a run's request, and the field that it is refused for.
  struct Change: Sendable, CustomTestStringConvertible {
    let field: String
    let change: @Sendable (inout OpenRunRequest) -> Void

    init(_ field: String, _ change: @escaping @Sendable (inout OpenRunRequest) -> Void) {
      self.field = field
      self.change = change
    }

    var testDescription: String { field }
  }

  private static var request: OpenRunRequest {
    OpenRunRequest(
      runID: "r", hashKey: 1, seed: 1,
      clock: RunClock(
        scenarioStart: start, measureStart: start, measureEnd: start + .hours(1), speed: 1,
        startsIn: .zero),
      phones: 10, push: PushTerms(),
      cohorts: [CohortTerms(name: "all", settings: TrackerSettings())])
  }

  private func error<Message: WireMessage>(of message: Message) -> WireError? {
    let codec = MessageCodec(capacity: 1 << 16)
    do throws(WireError) {
      _ = try codec.decode(Message.self, from: try codec.encode(message))
      return nil
    } catch {
      return error
    }
  }

  private func isRefused<Message: WireMessage>(_ message: Message, _ field: String) -> Bool {
    guard let error = error(of: message), case .outOfBounds(field, _, _) = error else {
      return false
    }
    return error.status == .invalidArgument && error.description.hasPrefix("\(field) is ")
  }

  private static let changes: [Change] = [
    Change("scenario_start_us") { $0.clock.scenarioStart = SimInstant(microseconds: .max) },
    Change("scenario_start_us") { $0.clock.scenarioStart = SimInstant(microseconds: -1) },
    Change("measure_start_us") { $0.clock.measureStart = SimInstant(microseconds: .min) },
    Change("measure_end_us") { $0.clock.measureEnd = .distantFuture },
    Change("speed") { $0.clock.speed = 1e300 },
    Change("speed") { $0.clock.speed = 1e-300 },
    Change("speed") { $0.clock.speed = .nan },
    Change("starts_in_wall_us") { $0.clock.startsIn = .microseconds(.max) },
    Change("starts_in_wall_us") { $0.clock.startsIn = .microseconds(.min) },
    Change("silent_after_us") { $0.push.silentAfter = .microseconds(.max) },
    Change("silent_after_us") { $0.push.silentAfter = .microseconds(-1) },
    Change("sweep_us") { $0.push.sweep = .microseconds(.max) },
    Change("windows_us") { $0.push.windows = [.microseconds(.max)] },
    Change("rate_per_second") { $0.push.rate = Rate(perSecond: .nan) },
    Change("holdout") { $0.push.holdout = .nan },
    Change("accuracy_limit_meters") { $0.push.accuracyLimit = .meters(.nan) },
    Change("backoff.factor") { $0.push.backoff.factor = 1e300 },
    Change("backoff.longest_us") { $0.push.backoff.longest = .microseconds(.min) },
    Change("adaptive.caution") { $0.push.adaptive.caution = .infinity },
    Change("fresh_within_us") { $0.freshWithin = [.microseconds(.min)] },
    Change("outages.at_us") {
      $0.outages = [OutageTerms(at: SimInstant(microseconds: .max), lasts: .seconds(1))]
    },
    Change("outages.lasts_us") {
      $0.outages = [OutageTerms(at: start, lasts: .microseconds(.max))]
    },
    Change("rollouts.share") {
      $0.rollouts = [RolloutTerms(at: start, cohort: nil, share: .nan, settings: .init())]
    },
    Change("settings.region_radius_meters") {
      $0.cohorts[0].settings.regionRadius = .meters(.infinity)
    },
  ]

  @Test("a run with a number that would overflow is refused", arguments: changes)
  func openRun(change: Change) {
    #expect(error(of: Self.request) == nil)
    var request = Self.request
    change.change(&request)
    #expect(isRefused(request, change.field), "\(String(describing: error(of: request)))")
  }

  @Test("invalid messages of phones and watchers are refused, too")
  func requests() {
    let phone = PhoneID(rawValue: 1)
    #expect(isRefused(AskRequest(phone: phone, deadline: .microseconds(.max)), "deadline_us"))
    #expect(
      isRefused(
        RegisterRequest(
          phone: phone, epoch: 1, authorization: .always, tokenValid: true, cohort: 0,
          installed: true, settingsVersion: 1, at: SimInstant(microseconds: .max)), "at_us"))
    var row = LastSeenRow(
      phone: phone, epoch: 1, sequence: 1, newest: FixTime(centiseconds: .max),
      coordinate: Coordinate(latitudeE6: 0, longitudeE6: 0), authorization: .always,
      tokenValid: true, lastPush: nil, cohort: 0, installed: true)
    #expect(isRefused(RestoreRequest(rows: [row]), "newest_fix_cs"))
    row.newest = nil
    row.reportedAt = SimInstant(microseconds: .min)
    #expect(isRefused(RestoreRequest(rows: [row]), "reported_us"))
  }

  @Test("invalid answers of a collector are refused by its clients")
  func replies() {
    var snapshot = SnapshotReply()
    snapshot.batches.received = .max
    #expect(isRefused(snapshot, "received"))
    snapshot.batches.received = 0
    snapshot.counters = [NamedCount("calls", 1 << 60)]
    #expect(isRefused(snapshot, "calls"))
    snapshot.counters = []
    snapshot.figures = [NamedFigure("ingest.p99", .nan)]
    #expect(isRefused(snapshot, "ingest.p99"))
    #expect(
      isRefused(
        PushSweep(sweptAt: SimInstant(microseconds: .max), requests: [], isLast: true),
        "swept_at_us"))
    #expect(
      isRefused(
        RegisterReply(settings: TrackerSettings(sendInterval: .microseconds(.max))),
        "settings.send_interval_us"))
    var reply = AskReply(.silent, askedAt: Self.start)
    reply.position = .init(
      time: FixTime(centiseconds: .max), coordinate: Coordinate(latitudeE6: 0, longitudeE6: 0))
    #expect(isRefused(reply, "fix_time_cs"))
  }
}
