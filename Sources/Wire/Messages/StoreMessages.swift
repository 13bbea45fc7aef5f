internal import CFlotillaProto
package import Core

/// One phone's last-seen row after a warm start.
package struct LastSeenRow: Hashable, Sendable {
  package var phone: PhoneID
  /// The installation to which `sequence` belongs.
  package var epoch: UInt32
  package var sequence: UInt32
  /// The timestamp of the newest fix; nil if the phone never reported.
  package var newest: FixTime?
  package var coordinate: Coordinate
  package var authorization: Authorization
  package var tokenValid: Bool
  package var lastPush: SimInstant?
  package var cohort: UInt32
  package var installed: Bool
  /// The arrival of the last batch or registration; nil if the time of `newest` counts instead.
  package var reportedAt: SimInstant?
  /// The share of answered pushes in units of 1/255; nil if unknown.
  package var answerShare: UInt8?
  package var unanswered: UInt8

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

/// Imports last-seen rows before phones connect. On the wire, the rows are columns.
package struct RestoreRequest: RowMessage, Equatable {
  /// One row per phone; with about 35 bytes each, far below the message limit.
  package var rows: [LastSeenRow]

  package init(rows: [LastSeenRow]) { self.rows = rows }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__RestoreRequest>(
    flotilla__v1__restore_request__init, RestoreRequest(rows: []),
    [
      .numbers(\.rows, \.phone, count: \.n_phone, \.phone.rawValue) { LastSeenRow(number: $0) },
      .column("epoch", \.rows, \.epoch, count: \.n_epoch, \.epoch) { $1.epoch = $0 },
      .column("sequence", \.rows, \.sequence, count: \.n_sequence, \.sequence) {
        $1.sequence = $0
      },
      .column(
        "newest_fix_cs", \.rows, \.newest_fix_cs, count: \.n_newest_fix_cs,
        { $0.newest?.centiseconds ?? 0 }
      ) { (raw, row) throws(WireError) in
        row.newest = raw == 0 ? nil : try WireBounds.stamp("newest_fix_cs", raw)
      },
      .column(
        "latitude_e6", \.rows, \.latitude_e6, count: \.n_latitude_e6, \.coordinate.latitudeE6
      ) { $1.coordinate.latitudeE6 = $0 },
      .column(
        "longitude_e6", \.rows, \.longitude_e6, count: \.n_longitude_e6,
        \.coordinate.longitudeE6
      ) { $1.coordinate.longitudeE6 = $0 },
      .column(
        "authorization", \.rows, \.authorization, count: \.n_authorization,
        { UInt32($0.authorization.rawValue) }
      ) { (raw, row) throws(WireError) in
        row.authorization = try RegisterRequest.authorization(raw)
      },
      .column(
        "token_valid", \.rows, \.token_valid, count: \.n_token_valid, { $0.tokenValid ? 1 : 0 }
      ) { $1.tokenValid = $0 != 0 },
      instant("last_push_us", \.lastPush, \.last_push_us, count: \.n_last_push_us),
      .column("cohort", \.rows, \.cohort, count: \.n_cohort, \.cohort) { $1.cohort = $0 },
      .column("installed", \.rows, \.installed, count: \.n_installed, { $0.installed ? 1 : 0 }) {
        $1.installed = $0 != 0
      },
      instant("reported_us", \.reportedAt, \.reported_us, count: \.n_reported_us),
      .column(
        "answer_share", \.rows, \.answer_share, count: \.n_answer_share,
        { row in row.answerShare.map { UInt32($0) + 1 } ?? 0 }
      ) { $1.answerShare = $0 == 0 ? nil : UInt8(clamping: $0 - 1) },
      .column(
        "unanswered", \.rows, \.unanswered, count: \.n_unanswered, { UInt32($0.unanswered) }
      ) { $1.unanswered = UInt8(clamping: $0) },
    ])

  private typealias Field = WireField<Self, Flotilla__V1__RestoreRequest>

  private static func instant(
    _ name: String, _ own: WritableKeyPath<LastSeenRow, SimInstant?>,
    _ wire: Field.Wire<UnsafeMutablePointer<Int64>?>, count: Field.Wire<Int>
  ) -> Field {
    .column(
      name, \.rows, wire, count: count, { $0[keyPath: own]?.microseconds ?? 0 }
    ) { (raw, row) throws(WireError) in
      row[keyPath: own] = raw == 0 ? nil : try WireBounds.instant(name, raw)
    }
  }
}

extension LastSeenRow {
  fileprivate init(number: UInt32) {
    self.init(
      phone: PhoneID(rawValue: number), epoch: 0, sequence: 0, newest: nil,
      coordinate: Coordinate(latitudeE6: 0, longitudeE6: 0), authorization: .notDetermined,
      tokenValid: false, lastPush: nil, cohort: 0, installed: false)
  }
}

package struct RestoreReply: RowMessage, Equatable {
  /// The number of rows of the request, including those of phones known before.
  package var rows: UInt32

  package init(rows: UInt32) { self.rows = rows }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__RestoreReply>(
    flotilla__v1__restore_reply__init, RestoreReply(rows: 0),
    [
      .same(\.rows, \.rows)
    ])
}

package struct HealthRequest: RowMessage, Equatable {
  package init() {}

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__HealthRequest>(
    flotilla__v1__health_request__init, HealthRequest(),
    [])
}

package struct HealthReply: RowMessage, Equatable {
  /// Whether the collector accepts calls: it is not draining and its store can commit.
  package var serving: Bool
  package var detail: String

  package init(serving: Bool, detail: String) {
    self.serving = serving
    self.detail = detail
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__HealthReply>(
    flotilla__v1__health_reply__init, HealthReply(serving: false, detail: ""),
    [
      .flag(\.serving, \.serving),
      .text(\.detail, \.detail),
    ])
}
