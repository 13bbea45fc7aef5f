internal import CFlotillaProto
package import Core

package struct PushesRequest: RowMessage, Equatable {
  package var runID: String

  package init(runID: String) { self.runID = runID }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__PushesRequest>(
    flotilla__v1__pushes_request__init, PushesRequest(runID: ""),
    [
      .text(\.runID, \.run_id)
    ])
}

/// The pushes of one sweep, or a part of them.
package struct PushSweep: RowMessage, Equatable {
  package var sweptAt: SimInstant
  package var requests: [SilentPush]
  package var isLast: Bool
  package var withheld: [UInt64]
  /// Pushes and controls answered since the last message; some repeat after a server restart.
  package var answered: [Answer]
  /// Pushes for requested positions, outside the wake scheduler.
  package var asked: [SilentPush]

  /// The arrival of a good fix that was taken after the push.
  package struct Answer: Hashable, Sendable {
    package var id: UInt64
    /// The scenario time from the sweep to the arrival.
    package var after: SimDuration

    package init(id: UInt64, after: SimDuration) {
      self.id = id
      self.after = after
    }
  }

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

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__PushSweep>(
    flotilla__v1__push_sweep__init, PushSweep(sweptAt: .distantPast, requests: [], isLast: false),
    [
      .instant("swept_at_us", \.sweptAt, \.swept_at_us),
      .list(\.requests, \.requests, count: \.n_requests, SilentPush.form),
      .flag(\.isLast, \.last),
      .numbers(\.withheld, \.withheld, count: \.n_withheld, { $0 }, { $0 }),
      .list(\.answered, \.answered, count: \.n_answered, Answer.form),
      .list(\.asked, \.asked, count: \.n_asked, SilentPush.form),
    ])
}

extension PushSweep.Answer {
  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__PushAnswer>(
    flotilla__v1__push_answer__init, PushSweep.Answer(id: 0, after: .zero),
    [
      .same(\.id, \.id),
      .time("answered.after_us", \.after, \.after_us, from: -WireBounds.span),
    ])
}

extension SilentPush {
  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__PushRequest>(
    flotilla__v1__push_request__init,
    SilentPush(
      id: 0, phone: PhoneID(rawValue: 0), requestedAt: .distantPast, expiration: .distantPast),
    [
      .same(\.id, \.id),
      .phone(\.phone, \.phone),
      .instant("requested_at_us", \.requestedAt, \.requested_at_us),
      .instant("expiration_us", \.expiration, \.expiration_us),
    ])
}

package struct PushResultRequest: RowMessage, Equatable {
  package struct Outcome: Hashable, Sendable {
    /// The id of the push; its low 32 bits are its phone.
    package var id: UInt64
    /// The provider's status, as from APNs: 200, 400, 410, 429 …
    package var status: UInt32

    package init(id: UInt64, status: UInt32) {
      self.id = id
      self.status = status
    }
  }
  package var outcomes: [Outcome]

  package init(outcomes: [Outcome]) { self.outcomes = outcomes }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__PushResultRequest>(
    flotilla__v1__push_result_request__init, PushResultRequest(outcomes: []),
    [
      .list(\.outcomes, \.outcomes, count: \.n_outcomes, Outcome.form)
    ])
}

extension PushResultRequest.Outcome {
  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__PushOutcome>(
    flotilla__v1__push_outcome__init, PushResultRequest.Outcome(id: 0, status: 0),
    [
      .same(\.id, \.id),
      .same(\.status, \.status),
    ])
}

package struct PushResultReply: RowMessage, Equatable {
  /// The number of outcomes whose push id names a phone of the run.
  package var known: UInt32

  package init(known: UInt32) { self.known = known }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__PushResultReply>(
    flotilla__v1__push_result_reply__init, PushResultReply(known: 0),
    [
      .same(\.known, \.known)
    ])
}
