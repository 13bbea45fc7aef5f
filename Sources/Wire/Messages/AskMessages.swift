internal import CFlotillaProto
package import SimulationCore
package import Telemetry

/// Asks for one position of one phone, taken from now on.
package struct AskRequest: WireMessage, Equatable {
  /// Is the range of deadlines that a server takes.
  package static let deadlines = SimDuration.seconds(1)...SimDuration.hours(1)

  /// Names the phone.
  package var phone: PhoneID
  /// Is the scenario time from the receipt of the request within which the position must be
  /// durable.
  package var deadline: SimDuration
  /// A fix with a worse accuracy is no answer; nil: the limit of the run's push settings.
  package var accuracyLimit: Distance?

  /// Makes a request for a position of a phone.
  package init(phone: PhoneID, deadline: SimDuration, accuracyLimit: Distance? = nil) {
    self.phone = phone
    self.deadline = deadline
    self.accuracyLimit = accuracyLimit
  }

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__ask_request__init)
    message.pointee.phone = phone.rawValue
    message.pointee.deadline_us = deadline.microseconds
    message.pointee.accuracy_limit_meters = accuracyLimit?.meters ?? 0
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage` where protobuf-c cannot.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(bytes, "AskRequest", flotilla__v1__ask_request__unpack).pointee
    let meters = try WireBounds.number(
      "accuracy_limit_meters", message.accuracy_limit_meters, in: WireBounds.meters)
    return Self(
      phone: PhoneID(rawValue: message.phone),
      deadline: try WireBounds.span("deadline_us", message.deadline_us),
      accuracyLimit: meters == 0 ? nil : .meters(meters))
  }
}

/// Says how a request for one position ended, as far as a server can tell.
package enum AskOutcome: UInt32, CaseIterable, Sendable {
  /// A position taken after the request is stored.
  case answered
  /// The phone never registered, and nobody was pushed.
  case unknown
  /// The phone's last registration said less than Always, and nobody was pushed.
  case noPermission
  /// The phone has no valid push token, and nobody was pushed.
  case noToken
  /// Nobody subscribes to pushes, so that none would be delivered.
  case noProvider
  /// The provider answered the push with something other than 200.
  case refused
  /// Nothing came from the phone before the deadline.
  case silent
  /// Only fixes from before the request came.
  case onlyOlder
  /// Every fix since the request is coarser than the limit.
  case onlyCoarse
}

/// Answers a request for one position: the position, or the reason why there is none, and the parts
/// of the wait.
package struct AskReply: WireMessage, Equatable {
  /// Is a position that the server holds.
  package struct Position: Hashable, Sendable {
    /// Is the fix's own timestamp.
    package var time: FixTime
    /// Is where the fix was taken.
    package var coordinate: Coordinate
    /// Is the horizontal accuracy; nil: the server did not keep it.
    package var accuracyMeters: UInt16?

    /// Makes a position from its parts.
    package init(time: FixTime, coordinate: Coordinate, accuracyMeters: UInt16? = nil) {
      self.time = time
      self.coordinate = coordinate
      self.accuracyMeters = accuracyMeters
    }
  }

  /// Says how the request ended.
  package var outcome: AskOutcome
  /// Is the scenario instant at which the request came.
  package var askedAt: SimInstant
  /// Names the push; nil: nobody was pushed.
  package var pushID: UInt64?
  /// Is what the provider answered, as an APNs provider does; nil: nothing yet.
  package var pushStatus: UInt32?
  /// Holds the answer, or the best position that is too coarse; else the newest that the server
  /// holds; nil: it holds none.
  package var position: Position?
  /// Is the time from the request to the provider's answer; nil: there was none.
  package var providerAfter: SimDuration?
  /// Is the time from the request to the arrival of the upload with the position; nil: there was
  /// none.
  package var arrivedAfter: SimDuration?
  /// Is the time from the request to this reply.
  package var endedAfter = SimDuration.zero

  /// Makes a reply that names neither push nor position.
  package init(_ outcome: AskOutcome, askedAt: SimInstant) {
    self.outcome = outcome
    self.askedAt = askedAt
  }

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__ask_reply__init)
    message.pointee.outcome = Flotilla__V1__AskOutcome(rawValue: outcome.rawValue)
    message.pointee.asked_at_us = askedAt.microseconds
    message.pointee.push_id = pushID ?? 0
    message.pointee.push_status = pushStatus ?? 0
    message.pointee.fix_time_cs = position?.time.centiseconds ?? 0
    message.pointee.latitude_e6 = position?.coordinate.latitudeE6 ?? 0
    message.pointee.longitude_e6 = position?.coordinate.longitudeE6 ?? 0
    message.pointee.accuracy_meters = UInt32(position?.accuracyMeters ?? 0)
    message.pointee.provider_after_us = providerAfter?.microseconds ?? 0
    message.pointee.arrived_after_us = arrivedAfter?.microseconds ?? 0
    message.pointee.ended_after_us = endedAfter.microseconds
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage` where protobuf-c cannot. An outcome that is not
  /// known is read as `silent`.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(bytes, "AskReply", flotilla__v1__ask_reply__unpack).pointee
    var reply = Self(
      AskOutcome(rawValue: message.outcome.rawValue) ?? .silent,
      askedAt: try WireBounds.instant("asked_at_us", message.asked_at_us))
    if message.push_id != 0 { reply.pushID = message.push_id }
    if message.push_status != 0 { reply.pushStatus = message.push_status }
    if message.fix_time_cs != 0 {
      reply.position = Position(
        time: try WireBounds.stamp("fix_time_cs", message.fix_time_cs),
        coordinate: Coordinate(
          latitudeE6: message.latitude_e6, longitudeE6: message.longitude_e6),
        accuracyMeters: message.accuracy_meters == 0
          ? nil : UInt16(clamping: message.accuracy_meters))
    }
    if message.provider_after_us != 0 {
      reply.providerAfter = try WireBounds.span(
        "provider_after_us", message.provider_after_us, from: -WireBounds.span)
    }
    if message.arrived_after_us != 0 {
      reply.arrivedAfter = try WireBounds.span(
        "arrived_after_us", message.arrived_after_us, from: -WireBounds.span)
    }
    reply.endedAfter = try WireBounds.span(
      "ended_after_us", message.ended_after_us, from: -WireBounds.span)
    return reply
  }
}
