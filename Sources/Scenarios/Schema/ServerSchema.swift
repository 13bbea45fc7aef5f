internal import Core

enum ServerSchema {
  static var collector: ObjectShape<CollectorSettings> {
    ObjectShape(
      fields: [
        Field(
          "count", \.count, .count(1...64),
          "How many collectors a load starts; over one needs store: postgresql."),
        Field(
          "workers", \.workers, .count(1...1),
          "Event loops of the collector; one, until it learns to share."),
        Field("store", \.store, .word(CollectorSettings.Store.self), "none: measure only."),
        Field(
          "url", \.url, .optional(.databaseURL),
          "Of store: postgresql; none: a load starts a server of its own."),
        Field(
          "groupDelay", \.groupDelay, .time(.zero, .seconds(1)),
          "The longest a batch waits for others before a commit."),
      ],
      check: { collector, origin, reading in
        guard collector.store != .postgresql else { return }
        if collector.count > 1 {
          reading.diagnose(
            reading.origin(ofRuleBetween: "count", "store") ?? origin,
            "\(collector.count) collectors cannot share 'store: \(collector.store.rawValue)'; "
              + "write store: postgresql.")
        }
        if collector.url != nil {
          reading.diagnose(
            reading.origin(ofRuleBetween: "url", "store") ?? origin,
            "'url' is a database's, not of 'store: \(collector.store.rawValue)'; "
              + "write store: postgresql.")
        }
      })
  }

  static var network: ObjectShape<NetworkModel> {
    ObjectShape(fields: [
      Field("cellular", \.cellular, path, "On LTE."),
      Field("wifi", \.wifi, path, "On Wi-Fi."),
      Field("deadline", \.deadline, .time(.milliseconds(10), .minutes(10)), "Of a call."),
      Field(
        "uplinkShare", \.uplinkShare, .share,
        "Of an exchange, the part that is over when the server has the batch."),
      Field(
        "offlineAnswer", \.offlineAnswer, .time(.milliseconds(1), .minutes(1)),
        "Until the system says that there is no data path."),
    ])
  }

  private static var path: ObjectShape<NetworkModel.Path> {
    ObjectShape(fields: [
      Field("floor", \.floor, .time(.zero, .minutes(10)), "The least time from packet to ack."),
      Field("mean", \.mean, .time(.zero, .minutes(10)), "The mean of what comes on top."),
    ])
  }

  static var levels: ObjectShape<ServiceLevels> {
    let fresh = ServiceLevels.Share(of: .reachable, within: .minutes(30), share: 0)
    let near = ServiceLevels.Located(of: .reachable, within: .meters(500), share: 0)
    return ObjectShape(fields: [
      Field(
        "responseP99", \.responseP99, .optional(.time(.microseconds(1), .hours(1))),
        "The 99th percentile of response, at most."),
      Field("lost", \.lost, .optional(.count(0...Int.max)), "Acknowledged but not held, at most."),
      Field("undelivered", \.undelivered, .optional(.share), "Fixes evicted or refused, at most."),
      Field(
        "failed", \.failed, .optional(.share),
        "Of the requests to a target, those that meet no rule or have no answer, at most; "
          + "none: 1%, and no limit beside faults of the wire."),
      Field(
        "stored", \.stored, .optional(.share),
        "Of the fixes sent to a target, those that it says to have, at least; none: 99%."),
      Field(
        "freshness", \.freshness, .optional(freshness.shape(defaults: fresh)),
        "Phone-time with a young enough fix, at least."),
      Field(
        "located", \.located, .optional(located.shape(defaults: near)),
        "Phone-time with a near enough fix, at least."),
      Field("answered", \.answered, .optional(.share), "Eligible pushes answered, at least."),
    ])
  }

  private static var freshness: ObjectShape<ServiceLevels.Share> {
    ObjectShape(fields: [
      Field("of", \.of, .word(Population.self), "Among which phones."),
      Field("within", \.within, .time(.seconds(1), .hours(24 * 7)), "How young a fix must be."),
      Field("share", \.share, .share, required: true, "Of their phone-time, at least."),
    ])
  }

  private static var located: ObjectShape<ServiceLevels.Located> {
    ObjectShape(fields: [
      Field("of", \.of, .word(Population.self), "Among which phones."),
      Field("within", \.within, .distance(1, 100_000), "How near a fix must be."),
      Field("share", \.share, .share, required: true, "Of their phone-time, at least."),
    ])
  }
}

extension Shape<String> {
  /// A database address as libpq reads it. Passwords are refused, since a scenario is copied into
  /// the records of its runs.
  fileprivate static var databaseURL: Shape {
    .scalar(
      "an address such as postgresql://user@db.example/fleet",
      parse: { (text, _) throws(ValueError) in
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
          throw ValueError("'\(text)' is not the address of a PostgreSQL database")
        }
        let rest = text.split(separator: "//", maxSplits: 1).last ?? ""
        let user = rest.lastIndex(of: "@").map { rest[..<$0] } ?? ""
        guard !user.contains(":"), !text.lowercased().contains("password=") else {
          throw ValueError(
            "a password would stand in every run's record, and belongs in PGPASSWORD or ~/.pgpass")
        }
        return text
      },
      show: { value, _ in value })
  }
}
