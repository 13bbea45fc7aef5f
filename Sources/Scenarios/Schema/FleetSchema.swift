internal import SimulationCore

/// The keys under `fleet` and `faults`.
enum FleetSchema {
  static var fleet: ObjectShape<FleetSettings> {
    ObjectShape(
      fields: [
        Field("phones", \.phones, .count(1...10_000_000), "How many phones are installed."),
        Field(
          "cohorts", \.cohorts, .list(of: cohort.shape(defaults: .standard), count: 1...64),
          required: true, "Who they are; their shares sum to 100%."),
        Field("phone", \.phone, mix, "What the phones are like."),
      ],
      check: { fleet, origin, reading in
        for (index, name) in reading.cohorts.enumerated()
        where reading.cohorts[..<index].contains(name) {
          reading.complain(origin, "two cohorts are named '\(name)'; rename one.")
        }
        let sum = fleet.cohorts.reduce(0) { $0 + $1.share }
        // A share written in decimals may miss the sum by its last digit.
        if abs(sum - 1) > 1e-6 {
          let percent = Quantity.number((sum * 1e4).rounded() / 100)
          reading.complain(
            origin, "the shares of the cohorts sum to \(percent)%; they must sum to 100%.")
        }
      })
  }

  static var cohort: ObjectShape<Cohort> {
    ObjectShape(
      fields: [
        Field(
          "name", \.name, .name, required: true, "How faults and reports call it.",
          then: { cohort, reading in reading.cohorts.append(cohort.name) }),
        Field("share", \.share, .share, required: true, "Its part of the phones."),
        Field(
          "mobility", \.mobility, .mobility, required: true, "How its people move."),
        Field(
          "policy", \.policy, .policyReference, required: true, "What its trackers do."),
        Field(
          "os", \.os, .word([("ios17", Named(name: "ios17", value: .standard))], name: \.name),
          "The iOS generation of its phones."),
      ])
  }

  static var mix: ObjectShape<PhoneMix> {
    ObjectShape(
      fields: [
        Field("always", \.always, .share, "Phones with Always permission (AU5)."),
        Field("whenInUse", \.whenInUse, .share, "Phones with When In Use (AU4)."),
        Field("forceQuit", \.forceQuit, .share, "Phones whose user force-quit the app (LC10)."),
        Field("refreshOff", \.refreshOff, .share, "Phones without Background App Refresh (BR1)."),
        Field("lowPower", \.lowPower, .share, "Phone-time in Low Power Mode."),
        Field("offline", \.offline, .share, "Phone-time without a data path."),
        Field("switchedOff", \.switchedOff, .share, "Phone-time switched off."),
        Field("unregistered", \.unregistered, .share, "Phones whose push token is dead."),
        Field("sessionsPerDay", \.sessionsPerDay, .number(0...1_000), "Times the app is opened."),
        Field(
          "sessionLength", \.sessionLength, .time(.seconds(1), .hours(12)), "How long each time."),
      ],
      check: { mix, origin, reading in
        if mix.always + mix.whenInUse > 1 + 1e-9 {
          reading.complain(origin, "'always' and 'whenInUse' exceed 100% together.")
        }
        if mix.offline + mix.switchedOff > 1 + 1e-9 {
          reading.complain(origin, "'offline' and 'switchedOff' exceed 100% together.")
        }
      })
  }

  static var fault: ObjectShape<Fault> {
    ObjectShape(
      fields: [
        Field("kind", \.kind, faultKind, required: true, "What goes wrong."),
        Field("at", \.at, .instantAfterStart, required: true, "When, on the city's clocks."),
        Field(
          "for", \.written, .time(.zero, .hours(24)),
          "How long: scenario time for an outage, wall time for a stall."),
        Field("cohort", \.cohort, .optional(.cohortReference), "Whom it hits; none: all."),
        Field("share", \.share, .share, "The part of them that it hits."),
      ],
      check: { fault, origin, reading in
        switch fault.kind {
        case .networkOutage, .collectorStall, .generatorStall:
          if fault.written == .zero {
            reading.complain(origin, "the key 'for' is missing or 0; say how long it lasts.")
          }
        case .collectorKill:
          if fault.written != .zero {
            reading.complain(origin, "'for' has no meaning for collector-kill; leave it out.")
          }
        }
        if fault.kind != .networkOutage, fault.cohort != nil || fault.share != 1 {
          reading.complain(origin, "'cohort' and 'share' only go with network-outage.")
        }
      })
  }

  private static let kinds: [(String, Fault.Kind)] = [
    ("network-outage", .networkOutage), ("collector-stall", .collectorStall),
    ("collector-kill", .collectorKill), ("generator-stall", .generatorStall),
  ]

  private static var faultKind: Shape<Fault.Kind> {
    .word(kinds, name: { kind in kinds.first { $0.1 == kind }?.0 ?? "" })
  }
}

extension Fault {
  static var blank: Fault {
    Fault(
      kind: .networkOutage, at: SimInstant(microseconds: 0), lasts: .zero, lastsWall: .zero,
      cohort: nil, share: 1)
  }

  /// `for` as it is written; which clock it means depends on the kind.
  fileprivate var written: SimDuration {
    get {
      switch kind {
      case .networkOutage, .collectorKill: lasts
      case .collectorStall, .generatorStall: .microseconds(lastsWall.microseconds)
      }
    }
    set {
      switch kind {
      case .networkOutage, .collectorKill: lasts = newValue
      case .collectorStall, .generatorStall: lastsWall = .microseconds(newValue.microseconds)
      }
    }
  }
}

extension Shape<Int> {
  /// A cohort by its name, as its index.
  fileprivate static var cohortReference: Shape {
    .scalar(
      "a cohort's name",
      parse: { (text, reading) throws(Complaint) in
        guard let index = reading.cohorts.firstIndex(of: text) else {
          throw Complaint(
            "no cohort is named '\(text)'", hint: Spelling.hint(for: text, in: reading.cohorts))
        }
        return index
      },
      show: { index, scenario in scenario.fleet.cohorts[index].name })
  }
}
