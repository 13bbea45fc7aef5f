internal import CFlotillaProto
package import Core

package struct AskRequest: RowMessage, Equatable {
  package static let deadlines = SimDuration.seconds(1)...SimDuration.hours(1)

  package var phone: PhoneID
  /// The scenario time from the receipt of the request within which the position must be durable.
  package var deadline: SimDuration
  /// The worst accuracy that answers; nil for `accuracyLimit` of the run's push settings.
  package var accuracyLimit: Distance?

  package init(phone: PhoneID, deadline: SimDuration, accuracyLimit: Distance? = nil) {
    self.phone = phone
    self.deadline = deadline
    self.accuracyLimit = accuracyLimit
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__AskRequest>(
    flotilla__v1__ask_request__init, AskRequest(phone: PhoneID(rawValue: 0), deadline: .zero),
    [
      .phone(\.phone, \.phone),
      .time("deadline_us", \.deadline, \.deadline_us),
      .number(
        "accuracy_limit_meters", \.accuracyLimit, \.accuracy_limit_meters,
        in: WireBounds.meters, { $0?.meters ?? 0 }, { $0 == 0 ? nil : .meters($0) }),
    ])
}

/// The result of a request for one position, as far as a server knows.
package enum AskOutcome: UInt32, CaseIterable, Sendable {
  /// A position taken after the request is stored.
  case answered
  /// The phone never registered; no push was sent.
  case unknown
  /// The phone last registered with less than Always; no push was sent.
  case noPermission
  case noToken
  /// No subscriber takes pushes, so no push could be delivered.
  case noProvider
  /// The provider answered with a status other than 200.
  case refused
  /// Nothing arrived before the deadline.
  case silent
  /// Only fixes from before the request have arrived.
  case onlyOlder
  /// All fixes since the request are coarser than the limit.
  case onlyCoarse
}

package struct AskReply: RowMessage, Equatable {
  package struct Position: Hashable, Sendable {
    package var time: FixTime
    package var coordinate: Coordinate
    package var accuracyMeters: UInt16?

    package init(time: FixTime, coordinate: Coordinate, accuracyMeters: UInt16? = nil) {
      self.time = time
      self.coordinate = coordinate
      self.accuracyMeters = accuracyMeters
    }
  }

  package var outcome: AskOutcome
  package var askedAt: SimInstant
  /// The id of the push; nil if none was sent.
  package var pushID: UInt64?
  /// The provider's answer, as an APNs status; nil if there is none yet.
  package var pushStatus: UInt32?
  /// The answering position, else the most accurate coarse one, else the newest known; nil if none.
  package var position: Position?
  /// The time from the request to the provider's answer; nil if there was none.
  package var providerAfter: SimDuration?
  /// The time from the request to the arrival of the upload with the position; nil if none arrived.
  package var arrivedAfter: SimDuration?
  package var endedAfter = SimDuration.zero

  package init(_ outcome: AskOutcome, askedAt: SimInstant) {
    self.outcome = outcome
    self.askedAt = askedAt
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__AskReply>(
    flotilla__v1__ask_reply__init, AskReply(.silent, askedAt: .distantPast),
    [
      // An unknown outcome counts as `silent`.
      .value(
        \.outcome, \.outcome, { Flotilla__V1__AskOutcome(rawValue: $0.rawValue) },
        { AskOutcome(rawValue: $0.rawValue) ?? .silent }),
      .instant("asked_at_us", \.askedAt, \.asked_at_us),
      .maybe(\.pushID, \.push_id, { $0 }, { $0 }),
      .maybe(\.pushStatus, \.push_status, { $0 }, { $0 }),
      position,
      after("provider_after_us", \.providerAfter, \.provider_after_us),
      after("arrived_after_us", \.arrivedAfter, \.arrived_after_us),
      .time("ended_after_us", \.endedAfter, \.ended_after_us, from: -WireBounds.span),
    ])

  nonisolated(unsafe) private static let position = WireField<Self, Flotilla__V1__AskReply>(
    write: { reply, message, _ in
      guard let position = reply.position else { return }
      message.pointee.fix_time_cs = position.time.centiseconds
      message.pointee.latitude_e6 = position.coordinate.latitudeE6
      message.pointee.longitude_e6 = position.coordinate.longitudeE6
      message.pointee.accuracy_meters = UInt32(position.accuracyMeters ?? 0)
    },
    read: { (message, reply) throws(WireError) in
      guard message.fix_time_cs != 0 else { return }
      let accuracy = UInt16(clamping: message.accuracy_meters)
      reply.position = Position(
        time: try WireBounds.stamp("fix_time_cs", message.fix_time_cs),
        coordinate: Coordinate(
          latitudeE6: message.latitude_e6, longitudeE6: message.longitude_e6),
        accuracyMeters: accuracy == 0 ? nil : accuracy)
    })

  private static func after(
    _ name: String, _ own: WireField<Self, Flotilla__V1__AskReply>.Own<SimDuration?>,
    _ wire: WireField<Self, Flotilla__V1__AskReply>.Wire<Int64>
  ) -> WireField<Self, Flotilla__V1__AskReply> {
    .maybe(own, wire, \.microseconds) { (raw) throws(WireError) in
      try WireBounds.span(name, raw, from: -WireBounds.span)
    }
  }
}
