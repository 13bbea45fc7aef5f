internal import Core

enum ServerSchema {
  static var collector: ObjectShape<CollectorSettings> {
    ObjectShape(
      fields: [
        Field(
          "count", \.count, .count(1...64),
          "Number of collectors that a load starts; several need store: postgresql."),
        Field("workers", \.workers, .count(1...1), "Event loops of the collector; must be 1."),
        Field(
          "store", \.store, .word(CollectorSettings.Store.self),
          "Store of the collector; none: measure only."),
        Field(
          "url", \.url, .optional(.databaseURL),
          "Database of store: postgresql; none: a load starts a database server."),
        Field(
          "groupDelay", \.groupDelay, .time(.zero, .seconds(1)),
          "Maximum time a batch waits for other batches before a commit."),
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
            "'url' has no effect with 'store: \(collector.store.rawValue)'; "
              + "write store: postgresql.")
        }
      })
  }

  static var network: ObjectShape<NetworkModel> {
    ObjectShape(fields: [
      Field("cellular", \.cellular, path, "Latency over LTE."),
      Field("wifi", \.wifi, path, "Latency over Wi-Fi."),
      Field("deadline", \.deadline, .time(.milliseconds(10), .minutes(10)), "Timeout of a call."),
      Field(
        "uplinkShare", \.uplinkShare, .share,
        "Share of an exchange's time that has passed when the server has the batch."),
      Field(
        "offlineAnswer", \.offlineAnswer, .time(.milliseconds(1), .minutes(1)),
        "Time until the system reports that there is no data path."),
    ])
  }

  private static var path: ObjectShape<NetworkModel.Path> {
    ObjectShape(fields: [
      Field(
        "floor", \.floor, .time(.zero, .minutes(10)),
        "Minimum time from the first packet to the ack."),
      Field(
        "mean", \.mean, .time(.zero, .minutes(10)), "Mean of the exponential time added to 'floor'."
      ),
    ])
  }

  static var levels: ObjectShape<ServiceLevels> {
    let fresh = ServiceLevels.Share(of: .reachable, within: .minutes(30), share: 0)
    let near = ServiceLevels.Located(of: .reachable, within: .meters(500), share: 0)
    return ObjectShape(fields: [
      Field(
        "responseP99", \.responseP99, .optional(.time(.microseconds(1), .hours(1))),
        "Maximum p99 of the response time."),
      Field(
        "lost", \.lost, .optional(.count(0...Int.max)),
        "Maximum number of acknowledged fixes that are not stored."),
      Field(
        "undelivered", \.undelivered, .optional(.share),
        "Maximum share of fixes evicted or refused."),
      Field(
        "failed", \.failed, .optional(.share),
        "Maximum share of requests to a target that match no rule or get no answer; "
          + "none: 1%, or no limit with wire faults."),
      Field(
        "stored", \.stored, .optional(.share),
        "Minimum share of the fixes sent to a target that the target reports as stored; none: 99%."
      ),
      Field(
        "freshness", \.freshness, .optional(freshness.shape(defaults: fresh)),
        "Minimum share of phone-time with a fresh fix."),
      Field(
        "located", \.located, .optional(located.shape(defaults: near)),
        "Minimum share of phone-time with a fix near the true position."),
      Field(
        "answered", \.answered, .optional(.share), "Minimum share of eligible pushes answered."),
    ])
  }

  private static var freshness: ObjectShape<ServiceLevels.Share> {
    ObjectShape(fields: [
      Field("of", \.of, .word(Population.self), "Phones that count."),
      Field("within", \.within, .time(.seconds(1), .hours(24 * 7)), "Maximum age of the fix."),
      Field("share", \.share, .share, required: true, "Minimum share of phone-time."),
    ])
  }

  private static var located: ObjectShape<ServiceLevels.Located> {
    ObjectShape(fields: [
      Field("of", \.of, .word(Population.self), "Phones that count."),
      Field(
        "within", \.within, .distance(1, 100_000),
        "Maximum distance of the fix from the true position."),
      Field("share", \.share, .share, required: true, "Minimum share of phone-time."),
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
            "every run's record would contain the password; use PGPASSWORD or ~/.pgpass")
        }
        return text
      },
      show: { value, _ in value })
  }
}
