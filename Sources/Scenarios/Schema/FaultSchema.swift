internal import Core

enum FaultSchema {
  static var fault: ObjectShape<Fault> {
    ObjectShape(
      fields: [
        Field("kind", \.kind, kind, required: true, "Kind of fault."),
        Field("at", \.at, .instantAfterStart, required: true, "Start, in the city's local time."),
        Field(
          "for", \.written, .time(.zero, .hours(24)),
          "Duration: simulated time for outages, wall-clock time for stalls and wire faults."),
        Field(
          "cohort", \.cohorts,
          .optional(.oneOrMore(of: .cohortReference, most: FleetSchema.cohortsMax)),
          "Affected cohort, or a list of cohorts; none: all."),
        Field("share", \.share, .share, "Share of phones or connections affected."),
        Field("latency", \.wire.latency, .time(.zero, .seconds(60)), "wire-delay: minimum delay."),
        Field(
          "jitter", \.wire.jitter, .time(.zero, .seconds(60)),
          "wire-delay: maximum random delay in addition."),
        Field(
          "bytes", \.wire.bytes, .count(0...1_000_000_000),
          "wire-cut: reset the connection after at most this many bytes in one direction."),
        Field(
          "bytesPerSecond", \.wire.bytesPerSecond, .number(0...1e12),
          "wire-throttle: limit per connection and direction."),
        Field(
          "probability", \.wire.probability, .number(0...1),
          "wire-flip: probability that a byte is changed."),
      ],
      check: { fault, origin, reading in
        checkTime(fault, origin, &reading)
        checkTarget(fault, origin, &reading)
        checkWire(fault, origin, &reading)
      })
  }

  private static func checkTime(_ fault: Fault, _ origin: Origin, _ reading: inout Reading) {
    switch fault.kind {
    case .networkOutage, .serverOutage, .providerOutage, .collectorStall, .generatorStall,
      .wireDelay, .wireStall, .wireCut, .wireHalfOpen, .wireThrottle, .wireFlip:
      if fault.written == .zero {
        reading.diagnose(origin, "the key 'for' is missing or 0; write how long the fault lasts.")
      }
    case .collectorKill:
      if fault.written != .zero {
        reading.diagnose(origin, "'for' has no meaning for collector-kill; remove it.")
      }
    }
  }

  private static func checkTarget(_ fault: Fault, _ origin: Origin, _ reading: inout Reading) {
    if fault.kind.isOfWire {
      if fault.cohorts != nil {
        reading.diagnose(origin, "'cohort' is only for network-outage; remove it.")
      }
    } else if fault.kind != .networkOutage, fault.cohorts != nil || fault.share != 1 {
      reading.diagnose(origin, "'cohort' and 'share' are only for network-outage; remove them.")
    }
  }

  private static func checkWire(_ fault: Fault, _ origin: Origin, _ reading: inout Reading) {
    let wire = fault.wire
    let delays = wire.latency + wire.jitter > .zero
    let figures: [(key: String, isSet: Bool, kind: Fault.Kind)] = [
      ("latency' or 'jitter", delays, .wireDelay), ("bytes", wire.bytes > 0, .wireCut),
      ("bytesPerSecond", wire.bytesPerSecond > 0, .wireThrottle),
      ("probability", wire.probability > 0, .wireFlip),
    ]
    for figure in figures {
      if fault.kind == figure.kind, !figure.isSet {
        reading.diagnose(origin, "the key '\(figure.key)' is missing or 0.")
      } else if fault.kind != figure.kind, figure.isSet {
        reading.diagnose(
          origin, "'\(figure.key)' is only for \(name(of: figure.kind)); remove it.")
      }
    }
  }

  private static let kinds: [(String, Fault.Kind)] = [
    ("network-outage", .networkOutage), ("server-outage", .serverOutage),
    ("provider-outage", .providerOutage), ("collector-stall", .collectorStall),
    ("collector-kill", .collectorKill), ("generator-stall", .generatorStall),
    ("wire-delay", .wireDelay), ("wire-stall", .wireStall), ("wire-cut", .wireCut),
    ("wire-half-open", .wireHalfOpen), ("wire-throttle", .wireThrottle),
    ("wire-flip", .wireFlip),
  ]

  static func name(of kind: Fault.Kind) -> String { kinds.first { $0.1 == kind }?.0 ?? "" }

  private static var kind: Shape<Fault.Kind> { .word(kinds, name: name) }
}

extension Fault {
  static var blank: Fault {
    Fault(
      kind: .networkOutage, at: SimInstant(microseconds: 0), lasts: .zero, lastsWall: .zero,
      cohorts: nil, share: 1)
  }

  package var name: String { FaultSchema.name(of: kind) }

  fileprivate var written: SimDuration {
    get { isOfWallTime ? .microseconds(lastsWall.microseconds) : lasts }
    set {
      if isOfWallTime { lastsWall = .microseconds(newValue.microseconds) } else { lasts = newValue }
    }
  }

  private var isOfWallTime: Bool {
    switch kind {
    case .networkOutage, .serverOutage, .providerOutage, .collectorKill: false
    case .collectorStall, .generatorStall, .wireDelay, .wireStall, .wireCut, .wireHalfOpen,
      .wireThrottle, .wireFlip:
      true
    }
  }
}
