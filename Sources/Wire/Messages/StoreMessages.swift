internal import CFlotillaProto
package import SimulationCore
package import Telemetry

/// What a warm start left in the last-seen table, for one phone.
package struct LastSeenRow: Hashable, Sendable {
  /// Names the phone.
  package var phone: PhoneID
  /// Names the installation that `sequence` counts in.
  package var epoch: UInt32
  /// The last sequence that the server has.
  package var sequence: UInt32
  /// nil: the phone never reported.
  package var newest: FixTime?
  /// Is where the newest fix was taken.
  package var coordinate: Coordinate
  /// Is the location permission that the last registration reported.
  package var authorization: Authorization
  /// Is true where the last registration reported a valid push token.
  package var tokenValid: Bool
  /// nil: never pushed.
  package var lastPush: SimInstant?
  /// Is the index of the phone's cohort in the run, from 0.
  package var cohort: UInt32
  /// Is true where the app is on the phone.
  package var installed: Bool
  /// When the last batch, or the registration, arrived; nil: take the newest fix.
  package var reportedAt: SimInstant?
  /// Of 255: what the phone answers of its pushes; nil: nothing is known.
  package var answerShare: UInt8?
  /// Unanswered pushes since its last report.
  package var unanswered: UInt8

  /// Makes a row from its parts.
  package init(
    phone: PhoneID, epoch: UInt32, sequence: UInt32, newest: FixTime?, coordinate: Coordinate,
    authorization: Authorization, tokenValid: Bool, lastPush: SimInstant?, cohort: UInt32,
    installed: Bool, reportedAt: SimInstant? = nil, answerShare: UInt8? = nil,
    unanswered: UInt8 = 0
  ) {
    self.phone = phone
    self.epoch = epoch
    self.sequence = sequence
    self.newest = newest
    self.coordinate = coordinate
    self.authorization = authorization
    self.tokenValid = tokenValid
    self.lastPush = lastPush
    self.cohort = cohort
    self.installed = installed
    self.reportedAt = reportedAt
    self.answerShare = answerShare
    self.unanswered = unanswered
  }
}

/// Imports last-seen rows before phones connect. Columns on the wire.
package struct RestoreRequest: WireMessage, Equatable {
  /// Rows a message at most: about 35 bytes each, far below the message limit.
  package static let rowsMax = 20_000

  /// Holds one row a phone, at most `rowsMax`.
  package var rows: [LastSeenRow]

  /// Makes a request that imports `rows`.
  package init(rows: [LastSeenRow]) { self.rows = rows }

  /// Builds the C message in `arena`, one column a field; throws `messageTooLarge` where it does
  /// not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__restore_request__init)
    message.pointee.n_phone = rows.count
    message.pointee.phone = try arena.copy(rows.map(\.phone.rawValue))
    message.pointee.n_epoch = rows.count
    message.pointee.epoch = try arena.copy(rows.map(\.epoch))
    message.pointee.n_sequence = rows.count
    message.pointee.sequence = try arena.copy(rows.map(\.sequence))
    message.pointee.n_newest_fix_cs = rows.count
    message.pointee.newest_fix_cs = try arena.copy(rows.map { $0.newest?.centiseconds ?? 0 })
    message.pointee.n_latitude_e6 = rows.count
    message.pointee.latitude_e6 = try arena.copy(rows.map(\.coordinate.latitudeE6))
    message.pointee.n_longitude_e6 = rows.count
    message.pointee.longitude_e6 = try arena.copy(rows.map(\.coordinate.longitudeE6))
    message.pointee.n_authorization = rows.count
    message.pointee.authorization = try arena.copy(rows.map { UInt32($0.authorization.rawValue) })
    message.pointee.n_token_valid = rows.count
    message.pointee.token_valid = try arena.copy(rows.map { $0.tokenValid ? 1 : 0 })
    message.pointee.n_last_push_us = rows.count
    message.pointee.last_push_us = try arena.copy(rows.map { $0.lastPush?.microseconds ?? 0 })
    message.pointee.n_cohort = rows.count
    message.pointee.cohort = try arena.copy(rows.map(\.cohort))
    message.pointee.n_installed = rows.count
    message.pointee.installed = try arena.copy(rows.map { $0.installed ? 1 : 0 })
    message.pointee.n_reported_us = rows.count
    message.pointee.reported_us = try arena.copy(rows.map { $0.reportedAt?.microseconds ?? 0 })
    message.pointee.n_answer_share = rows.count
    message.pointee.answer_share = try arena.copy(
      rows.map { row in row.answerShare.map { UInt32($0) + 1 } ?? 0 })
    message.pointee.n_unanswered = rows.count
    message.pointee.unanswered = try arena.copy(rows.map { UInt32($0.unanswered) })
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `columnLength` where the columns differ in length and
  /// `valueOutOfRange` for an unknown authorization.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let m = try arena.unpack(bytes, "RestoreRequest", flotilla__v1__restore_request__unpack)
      .pointee
    let lengths: [(String, Int)] = [
      ("epoch", m.n_epoch), ("sequence", m.n_sequence), ("newest_fix_cs", m.n_newest_fix_cs),
      ("latitude_e6", m.n_latitude_e6), ("longitude_e6", m.n_longitude_e6),
      ("authorization", m.n_authorization), ("token_valid", m.n_token_valid),
      ("last_push_us", m.n_last_push_us), ("cohort", m.n_cohort), ("installed", m.n_installed),
      ("reported_us", m.n_reported_us), ("answer_share", m.n_answer_share),
      ("unanswered", m.n_unanswered),
    ]
    for (name, count) in lengths where count != m.n_phone {
      throw .columnLength(column: name, entries: count, expected: m.n_phone)
    }
    var rows: [LastSeenRow] = []
    rows.reserveCapacity(m.n_phone)
    for i in 0..<m.n_phone {
      let newest = try WireBounds.stamp("newest_fix_cs", m.newest_fix_cs[i])
      let lastPush: SimInstant = try WireBounds.instant("last_push_us", m.last_push_us[i])
      let reportedAt: SimInstant = try WireBounds.instant("reported_us", m.reported_us[i])
      rows.append(
        LastSeenRow(
          phone: PhoneID(rawValue: m.phone[i]), epoch: m.epoch[i], sequence: m.sequence[i],
          newest: newest.centiseconds == 0 ? nil : newest,
          coordinate: Coordinate(
            latitudeE6: m.latitude_e6[i], longitudeE6: m.longitude_e6[i]),
          authorization: try RegisterRequest.authorization(m.authorization[i]),
          tokenValid: m.token_valid[i] != 0,
          lastPush: lastPush.microseconds == 0 ? nil : lastPush,
          cohort: m.cohort[i], installed: m.installed[i] != 0,
          reportedAt: reportedAt.microseconds == 0 ? nil : reportedAt,
          answerShare: m.answer_share[i] == 0 ? nil : UInt8(clamping: m.answer_share[i] - 1),
          unanswered: UInt8(clamping: m.unanswered[i])))
    }
    return Self(rows: rows)
  }
}

/// How many rows the collector took in.
package struct RestoreReply: WireMessage, Equatable {
  /// Counts the rows of the request, also those of phones that the collector knew already.
  package var rows: UInt32

  /// Makes a reply about `rows` rows.
  package init(rows: UInt32) { self.rows = rows }

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__restore_reply__init)
    message.pointee.rows = rows
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage` where protobuf-c cannot.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(bytes, "RestoreReply", flotilla__v1__restore_reply__unpack)
    return Self(rows: message.pointee.rows)
  }
}

/// Asks whether the collector serves.
package struct HealthRequest: WireMessage, Equatable {
  /// Makes a request, which has no content.
  package init() {}

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(try arena.make(flotilla__v1__health_request__init))
  }

  /// Parses the message; throws `malformedMessage` where protobuf-c cannot.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    _ = try arena.unpack(bytes, "HealthRequest", flotilla__v1__health_request__unpack)
    return Self()
  }
}

/// Whether the collector serves, and what hinders it.
package struct HealthReply: WireMessage, Equatable {
  /// Is true where the collector takes calls: it does not drain and its store can commit.
  package var serving: Bool
  /// Says which run is served, or what keeps the collector from serving.
  package var detail: String

  /// Makes a reply from its parts.
  package init(serving: Bool, detail: String) {
    self.serving = serving
    self.detail = detail
  }

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__health_reply__init)
    message.pointee.serving = serving ? 1 : 0
    message.pointee.detail = try arena.string(detail)
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage` where protobuf-c cannot.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(bytes, "HealthReply", flotilla__v1__health_reply__unpack)
      .pointee
    return Self(serving: message.serving != 0, detail: text(message.detail))
  }
}
