internal import CFlotillaProto
package import SimulationCore
package import Telemetry

/// Subscribes to the pushes of a run.
package struct PushesRequest: WireMessage, Equatable {
  /// Names the run, which must be the one that the collector has open.
  package var runID: String

  /// Makes a subscription to the pushes of a run.
  package init(runID: String) { self.runID = runID }

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__pushes_request__init)
    message.pointee.run_id = try arena.string(runID)
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage` where protobuf-c cannot.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(bytes, "PushesRequest", flotilla__v1__pushes_request__unpack)
    return Self(runID: text(message.pointee.run_id))
  }
}

/// The pushes of one sweep, or a part of them.
package struct PushSweep: WireMessage, Equatable {
  /// Is the scenario instant of the sweep.
  package var sweptAt: SimInstant
  /// Holds the pushes that the server asks the provider for.
  package var requests: [SilentPush]
  /// No more messages of this sweep follow.
  package var isLast: Bool
  /// Ids of the pushes that the holdout kept back at this sweep.
  package var withheld: [UInt64]
  /// Pushes and controls answered since the last message; after a restart of the server some are
  /// named again.
  package var answered: [Answer]
  /// Pushes for one position on request, which are no occasion of the wake scheduler.
  package var asked: [SilentPush]

  /// A good fix taken after the push has reached the server.
  package struct Answer: Hashable, Sendable {
    /// Is the id of the answered push or control.
    package var id: UInt64
    /// From the sweep to the arrival.
    package var after: SimDuration

    /// Makes an answer to a push, `after` its sweep.
    package init(id: UInt64, after: SimDuration) {
      self.id = id
      self.after = after
    }
  }

  /// Makes a message about one sweep from its parts.
  package init(
    sweptAt: SimInstant, requests: [SilentPush], isLast: Bool, withheld: [UInt64] = [],
    answered: [Answer] = [], asked: [SilentPush] = []
  ) {
    self.sweptAt = sweptAt
    self.requests = requests
    self.isLast = isLast
    self.withheld = withheld
    self.answered = answered
    self.asked = asked
  }

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__push_sweep__init)
    message.pointee.swept_at_us = sweptAt.microseconds
    message.pointee.last = isLast ? 1 : 0
    message.pointee.n_withheld = withheld.count
    message.pointee.withheld = try arena.copy(withheld)
    message.pointee.n_answered = answered.count
    message.pointee.answered = try arena.messages(answered) { (answer) throws(WireError) in
      let message = try arena.make(flotilla__v1__push_answer__init)
      message.pointee.id = answer.id
      message.pointee.after_us = answer.after.microseconds
      return message
    }
    message.pointee.n_requests = requests.count
    message.pointee.requests = try arena.messages(requests) { (push) throws(WireError) in
      try push.build(in: arena)
    }
    message.pointee.n_asked = asked.count
    message.pointee.asked = try arena.messages(asked) { (push) throws(WireError) in
      try push.build(in: arena)
    }
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage` where protobuf-c cannot.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(bytes, "PushSweep", flotilla__v1__push_sweep__unpack).pointee
    return Self(
      sweptAt: try WireBounds.instant("swept_at_us", message.swept_at_us),
      requests: try values(message.requests, message.n_requests, SilentPush.init),
      isLast: message.last != 0, withheld: column(message.withheld, message.n_withheld),
      answered: try values(message.answered, message.n_answered) { answer throws(WireError) in
        Answer(
          id: answer.id,
          after: try WireBounds.span(
            "answered.after_us", answer.after_us, from: -WireBounds.span))
      },
      asked: try values(message.asked, message.n_asked, SilentPush.init))
  }
}

extension SilentPush {
  fileprivate func build(
    in arena: Arena
  ) throws(WireError) -> UnsafeMutablePointer<Flotilla__V1__PushRequest> {
    let message = try arena.make(flotilla__v1__push_request__init)
    message.pointee.id = id
    message.pointee.phone = phone.rawValue
    message.pointee.requested_at_us = requestedAt.microseconds
    message.pointee.expiration_us = expiration.microseconds
    return message
  }

  /// Reads a push from its C form.
  fileprivate init(_ push: Flotilla__V1__PushRequest) throws(WireError) {
    self.init(
      id: push.id, phone: PhoneID(rawValue: push.phone),
      requestedAt: try WireBounds.instant("requested_at_us", push.requested_at_us),
      expiration: try WireBounds.instant("expiration_us", push.expiration_us))
  }
}

/// What the provider answered, for any number of pushes.
package struct PushResultRequest: WireMessage, Equatable {
  /// One provider answer.
  package struct Outcome: Hashable, Sendable {
    /// Is the id of the push; its low 32 bits are its phone.
    package var id: UInt64
    /// 200, 400, 410, 429 … as an APNs provider answers.
    package var status: UInt32

    /// Makes the provider's answer to one push.
    package init(id: UInt64, status: UInt32) {
      self.id = id
      self.status = status
    }
  }
  /// Holds the provider's answers, one a push.
  package var outcomes: [Outcome]

  /// Makes a request that passes on the provider's answers.
  package init(outcomes: [Outcome]) { self.outcomes = outcomes }

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__push_result_request__init)
    message.pointee.n_outcomes = outcomes.count
    message.pointee.outcomes = try arena.messages(outcomes) { (outcome) throws(WireError) in
      let message = try arena.make(flotilla__v1__push_outcome__init)
      message.pointee.id = outcome.id
      message.pointee.status = outcome.status
      return message
    }
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage` where protobuf-c cannot.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(
      bytes, "PushResultRequest", flotilla__v1__push_result_request__unpack
    ).pointee
    return Self(
      outcomes: values(message.outcomes, message.n_outcomes) {
        Outcome(id: $0.id, status: $0.status)
      })
  }
}

/// How many of the results named a push that the server knows.
package struct PushResultReply: WireMessage, Equatable {
  /// Counts the outcomes whose push id names a phone of the run.
  package var known: UInt32

  /// Makes a reply that `known` outcomes were understood.
  package init(known: UInt32) { self.known = known }

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__push_result_reply__init)
    message.pointee.known = known
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage` where protobuf-c cannot.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(
      bytes, "PushResultReply", flotilla__v1__push_result_reply__unpack)
    return Self(known: message.pointee.known)
  }
}
