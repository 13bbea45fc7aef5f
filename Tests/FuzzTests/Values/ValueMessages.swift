internal import Core
internal import Wire

/// Makes every message of the protocol: with the usual values of a small run, or with others.
extension ValueSource {
  static let start = SimInstant(microseconds: 1_772_433_000_000_000)
  static let phones: UInt32 = 8

  /// The run that each input begins with.
  static func usualRun(_ name: String) -> OpenRunRequest {
    var usual = ValueSource([])
    var request = usual.openRun(name)
    let settings = TrackerSettings(version: 1)
    request.cohorts = [
      CohortTerms(name: "a", settings: settings), CohortTerms(name: "b", settings: settings),
    ]
    request.rollouts = [
      RolloutTerms(at: start, cohort: 1, share: 0.5, settings: TrackerSettings(version: 2))
    ]
    return request
  }

  mutating func openRun(_ name: String) -> OpenRunRequest {
    OpenRunRequest(
      runID: name, hashKey: uint64(7), seed: uint64(42),
      clock: RunClock(
        scenarioStart: instant(Self.start), measureStart: instant(Self.start),
        measureEnd: instant(Self.start + .hours(2)), speed: double(60),
        startsIn: span(.zero)),
      phones: uint32(Self.phones), push: pushTerms(),
      cohorts: [CohortTerms(name: "all", settings: settings())]
        + list {
          CohortTerms(name: "", settings: $0.settings(), system: $0.flag() ? "iOS" : "Plan 9")
        },
      freshWithin: list { $0.span(.minutes(30)) },
      rollouts: list {
        RolloutTerms(
          at: $0.instant(Self.start), cohort: $0.flag() ? nil : $0.uint32(0) & 0xFFFF,
          share: $0.double(0.5), settings: $0.settings())
      },
      outages: list { OutageTerms(at: $0.instant(Self.start), lasts: $0.span(.seconds(1))) })
  }

  private mutating func pushTerms() -> PushTerms {
    var terms = PushTerms()
    terms.scheduler = one(of: [.fixed, .adaptive, .none])
    terms.silentAfter = span(.minutes(10))
    terms.within = span(.minutes(5))
    terms.windows = list { $0.span(.minutes(1)) }
    terms.sweep = span(.minutes(1))
    terms.spacing = span(.minutes(10))
    terms.backoff = PushBackoff(
      after: Int(uint32(2)), factor: double(2), longest: span(.hours(4)))
    terms.adaptive = AdaptivePushing(
      prior: double(0.5), weight: double(0.25), silentAfter: span(.minutes(5)),
      spacing: span(.minutes(10)), caution: double(1), longest: span(.hours(4)))
    terms.retryAfter = span(.minutes(1))
    terms.rate = Rate(perSecond: double(100))
    terms.holdout = double(0.1)
    terms.jitter = span(.seconds(10))
    terms.accuracyLimit = .meters(double(200))
    terms.expiration = span(.minutes(10))
    return terms
  }

  mutating func settings() -> TrackerSettings {
    TrackerSettings(
      version: uint32(1), gpsDuration: span(.seconds(20)), minInterval: span(.minutes(1)),
      sendInterval: span(.minutes(5)), regionRadius: .meters(double(100)), maxFixes: uint32(100))
  }

  mutating func phone() -> PhoneID { PhoneID(rawValue: uint32(UInt32(byte()) % Self.phones)) }

  mutating func register() -> RegisterRequest {
    RegisterRequest(
      phone: phone(), epoch: uint32(1), authorization: flag() ? .always : .denied,
      tokenValid: flag(), cohort: uint32(UInt32(byte() % 2)), installed: flag(),
      settingsVersion: uint32(1), at: instant(Self.start))
  }

  mutating func restore() -> RestoreRequest {
    RestoreRequest(
      rows: list { source in
        LastSeenRow(
          phone: source.phone(), epoch: source.uint32(1), sequence: source.uint32(4),
          newest: source.stamp(Self.start),
          coordinate: source.coordinate(), authorization: source.flag() ? .always : .denied,
          tokenValid: source.flag(), lastPush: source.instant(Self.start),
          cohort: source.uint32(0), installed: source.flag(),
          reportedAt: source.instant(Self.start),
          answerShare: UInt8(truncatingIfNeeded: source.uint32(128)),
          unanswered: UInt8(truncatingIfNeeded: source.uint32(0)))
      })
  }

  mutating func stamp(_ usual: SimInstant) -> FixTime {
    FixTime(centiseconds: int64(FixTime(usual).centiseconds))
  }

  mutating func coordinate() -> Coordinate {
    Coordinate(latitudeE6: int32(48_137_000), longitudeE6: int32(11_575_000))
  }

  mutating func fix(_ now: SimInstant) -> Fix {
    Fix(
      coordinate: coordinate(), time: stamp(now), accuracyMeters: UInt16(clamping: uint32(10)),
      speedDecimetersPerSecond: Int16(truncatingIfNeeded: int32(-1)),
      courseDegrees: Int16(truncatingIfNeeded: int32(90)))
  }

  mutating func batchID(_ sequence: UInt32) -> BatchID {
    BatchID(phone: phone(), epoch: uint32(1), sequence: uint32(sequence))
  }

  mutating func pushResult() -> PushResultRequest {
    PushResultRequest(
      outcomes: list { source in
        .init(
          id: source.uint64(UInt64(source.byte() % 8)),
          status: source.one(of: [200, 400, 410, 429, 503, .max, 0]))
      })
  }

  mutating func ask() -> AskRequest {
    AskRequest(
      phone: phone(), deadline: span(.seconds(30)), accuracyLimit: .meters(double(100)))
  }

  mutating func holdings() -> HoldingsRequest {
    HoldingsRequest(phone: phone(), epoch: uint32(0), limit: uint32(10))
  }

  // MARK: Of a collector

  mutating func openRunReply() -> OpenRunReply {
    OpenRunReply(
      wall: instant(WallInstant(microseconds: 1)), state: one(of: RunState.allCases),
      resumed: flag(), dictionary: uint32(0))
  }

  mutating func pushSweep() -> PushSweep {
    PushSweep(
      sweptAt: instant(Self.start), requests: list { $0.push() }, isLast: flag(),
      withheld: list { $0.uint64(1) },
      answered: list { .init(id: $0.uint64(1), after: $0.span(.seconds(9))) },
      asked: list { $0.push() })
  }

  private mutating func push() -> SilentPush {
    SilentPush(
      id: uint64(1), phone: phone(), requestedAt: instant(Self.start),
      expiration: instant(Self.start + .minutes(10)))
  }

  mutating func askReply() -> AskReply {
    var reply = AskReply(one(of: AskOutcome.allCases), askedAt: instant(Self.start))
    reply.position = .init(
      time: stamp(Self.start), coordinate: coordinate(),
      accuracyMeters: UInt16(clamping: uint32(9)))
    reply.pushStatus = uint32(200)
    reply.providerAfter = span(.seconds(1))
    reply.arrivedAfter = span(.seconds(2))
    reply.endedAfter = span(.seconds(3))
    return reply
  }

  mutating func snapshotReply() -> SnapshotReply {
    var reply = SnapshotReply()
    reply.scenario = instant(Self.start)
    reply.wall = instant(WallInstant(microseconds: 1))
    reply.state = one(of: RunState.allCases)
    reply.batches = ledgerSide()
    reply.fixes = ledgerSide()
    reply.hashSum = uint64(1)
    reply.ingestLatency = SparseHistogram(
      indices: [uint32(1), uint32(2)], counts: [uint64(1), uint64(2)], min: uint64(1),
      max: uint64(2), sum: uint64(3))
    reply.pushes = list { NamedCount("requested", $0.uint64(3)) }
    reply.counters = list { NamedCount("calls", $0.uint64(3)) }
    reply.figures = list { NamedFigure("ingest.p99", $0.double(3)) }
    reply.cpuMicroseconds = uint64(3)
    reply.rssBytes = uint64(3)
    reply.peakRSSBytes = uint64(3)
    return reply
  }

  private mutating func ledgerSide() -> LedgerSide {
    LedgerSide(
      received: uint64(3), distinct: uint64(2), duplicate: uint64(1),
      rejected: list { NamedCount("noFixes", $0.uint64(1)) })
  }

  mutating func holdingsReply() -> HoldingsReply {
    HoldingsReply(
      rows: list { source in
        .init(
          phone: source.phone(), epoch: source.uint32(1), first: source.uint32(1),
          contiguous: source.uint32(3), extra: source.list { $0.uint32(5) })
      }, more: flag())
  }
}
