package import Core
internal import Scenarios

// The events that an app sends beside its fixes: what becomes one, their outbox, and their uploads.

/// The waiting events of one phone's app, oldest first, and what the app has already reported.
package struct EventBox: Sendable {
  package var waiting: [AppEvent] = []
  package var number: UInt32 = 0
  /// The places of which the last event was an entry, and those of which it was an exit.
  package var entered = PlaceSet()
  package var left = PlaceSet()
  package var motion: UInt8?
  /// The start of the phone that the app has not yet noticed.
  package var startedAt: SimInstant?

  package init() {}

  fileprivate mutating func isRepetition(_ event: AppEvent) -> Bool {
    let place = Int(event.place)
    switch event.kind {
    case .enter, .dwell:
      left.remove(place)
      if entered.contains(place) { return true }
      entered.insert(place)
    case .exit:
      entered.remove(place)
      if left.contains(place) { return true }
      left.insert(place)
    case .arrive, .depart, .motion, .boot, .permission, .opened: break
    }
    return false
  }
}

package struct EventOrder: Sendable {
  package var event: AppEvent
  /// The installation; the sequence number is that of the event.
  package var id: BatchID
  package var attempt: UInt32
  package var intended: SimInstant
  package var cohort: UInt8
  package var device: BatchDevice
}

/// A step of an event, for the owner's accounts.
package enum EventStep: Sendable, BitwiseCopyable {
  /// - isFalse: the phone is not on that side of the border.
  /// - isRepeated: the same event of the same place came before, and none between.
  case generated(isFalse: Bool, isRepeated: Bool)
  case evicted
  /// The request failed at once, because there was no data path.
  case offline
  /// The app was suspended or ended before the answer came.
  case unanswered
  case forgotten(UploadResult)
  /// The server has the event. The three times add up from the true instant to the receipt.
  case stored(EventDelay)
}

package struct EventDelay: Sendable, BitwiseCopyable {
  /// From the true instant to the system's callback.
  package var system: SimDuration
  /// From the callback to the first request with a network.
  package var phone: SimDuration
  /// From that request to the receipt by the server.
  package var server: SimDuration
}

extension Device {
  // MARK: Outbox

  /// Puts a callback into the outbox of events, if the policy sends such events.
  mutating func keepEvent(_ callback: OSEvent, _ context: borrowing Context, _ out: inout Effects) {
    var box = out.events[id] ?? EventBox()
    guard let (told, isFalse) = event(callback, &box, context, out) else { return }
    var event = told
    box.number += 1
    event.number = box.number
    event.fix = callback.position ?? lastKnown
    out.emit(.event(.generated(isFalse: isFalse, isRepeated: box.isRepetition(event))))
    if box.waiting.count >= Int(context.policy.settings.events.capacity) {
      box.waiting.remove(at: tracker.sending.isEvent ? 1 : 0)
      out.emit(.event(.evicted))
    }
    box.waiting.append(event)
    tracker.eventCount = UInt8(clamping: box.waiting.count)
    tracker.hasEvents = true
    out.events[id] = box
  }

  private func event(
    _ callback: OSEvent, _ box: inout EventBox, _ context: borrowing Context,
    _ out: borrowing Effects
  ) -> (event: AppEvent, isFalse: Bool)? {
    let (now, kinds) = (out.now, context.policy.settings.events.kinds)
    switch callback {
    case .placeEntered(let place, _) where kinds.contains(.regions):
      // AGF5: With a loitering delay the entry is a dwell.
      let dwell = loitering(context)
      let (happened, isFalse) = crossing(of: place, isInside: true, at: now, context)
      return (
        AppEvent(
          dwell > .zero ? .dwell : .enter, place: place,
          dwellSeconds: dwell > .zero ? UInt32(dwell.seconds) : nil, noticed: now,
          happened: happened), isFalse
      )
    case .placeExited(let place, _) where kinds.contains(.regions):
      let (happened, isFalse) = crossing(of: place, isInside: false, at: now, context)
      return (AppEvent(.exit, place: place, noticed: now, happened: happened), isFalse)
    case .visit(let visit) where kinds.contains(.visits):
      return tracker.lastVisit == visit.key ? nil : (AppEvent(visit, noticed: now), false)
    case .motionActivity(let activity?) where kinds.contains(.motion):
      guard box.motion != activity.rawValue else { return nil }
      box.motion = activity.rawValue
      return (
        AppEvent(.motion, detail: activity.rawValue, noticed: now, happened: segment.start), false
      )
    case .launched where kinds.contains(.boot):
      guard let started = box.startedAt else { return nil }
      box.startedAt = nil
      return (AppEvent(.boot, noticed: now, happened: started), false)
    case .authorizationChanged(let new) where kinds.contains(.permission):
      return (AppEvent(.permission, detail: new.rawValue, noticed: now, happened: nil), false)
    case .becameActive where kinds.contains(.opened):
      return (AppEvent(.opened, noticed: now, happened: now), false)
    case .launched, .becameActive, .enteredBackground, .location, .regionExited, .visit,
      .authorizationChanged, .motionActivity, .standardPaused, .settingsChanged, .silentPush,
      .messagesDiscarded, .refreshed, .processing, .timer, .backgroundTimeExpiring, .uploadFinished,
      .placeEntered, .placeExited, .regionsRefused:
      return nil
    }
  }

  mutating func noteBoot(_ context: borrowing Context, _ out: inout Effects) {
    guard context.policy.settings.events.kinds.contains(.boot) else { return }
    out.events[id, default: EventBox()].startedAt = out.now
    tracker.hasEvents = true
  }

  /// Returns when the phone truly crossed a place's border to the side on which it is, nil if not
  /// within a day; and whether it is not on that side.
  private func crossing(
    of place: UInt8, isInside: Bool, at now: SimInstant, _ context: borrowing Context
  ) -> (SimInstant?, isFalse: Bool) {
    guard let ground = ground(context) else { return (nil, false) }
    var centre = PlanePoint(x: 0, y: 0)
    ground.forEach(in: PlaceSet(only: Int(place))) { centre = $1 }
    let radius = ground.radius
    guard segment.isInside(now, centre: centre, radius: radius) == isInside else {
      return (nil, true)
    }
    var (segment, until) = (segment, now)
    while until > now - .hours(24) {
      if let last = segment.lastCrossing(of: centre, radius: radius, inwards: isInside, until) {
        return (last, false)
      }
      until = segment.start
      segment = context.course.segment(of: id, at: until - .microseconds(1))
      guard segment.start < until else { break }
    }
    return (nil, false)
  }

  mutating func forgetEvent(_ result: UploadResult, _ out: inout Effects) {
    out.events[id]?.waiting.removeFirst()
    out.emit(.event(.forgotten(result)))
  }

  // MARK: Uploads

  mutating func sendEvent(_ context: borrowing Context, _ out: inout Effects) {
    guard !out.isDraining, var event = out.events[id]?.waiting.first else { return }
    behaviour.combine(9, out.now, UInt64(event.number))
    if due[.stored] < .distantFuture { noteStored(context, &out) }
    upload.attempt += 1
    upload.isEvent = true
    if isWithoutNetwork(context, at: out.now) {
      out.emit(.event(.offline))
      upload.result = .offline
      due[.uploadOutcome] = out.now + context.path.model.offlineAnswer
      return
    }
    // The size of an event is that of a batch with one fix, since a target's format is not known.
    var size = BatchSize()
    if let fix = event.fix { size.add(fix) }
    transmit(bytes: size.bytes(as: context.path.encoding), context, &out)
    event.sent = event.sent ?? out.now
    out.events[id]?.waiting[0] = event
    let trip = context.path.roundTrip(wifi: isOnWifi, phone: id, attempt: upload.attempt)
    upload.perceivedAt = out.now + trip
    upload.isInFlight = true
    upload.newRollout = 0
    upload.bringsToken = false
    out.eventOrders.append(
      EventOrder(
        event: event, id: batch(event.number, context), attempt: upload.attempt,
        intended: out.now, cohort: cohort,
        device: reported(context)))
    guard out.isAnsweredInProcess else { return }
    due[.uploadOutcome] = upload.perceivedAt
    let reachesServer = out.now + context.path.uplink(of: trip)
    let isDown = context.path.outages.isDown(at: reachesServer)
    upload.result = isDown ? .failed : .acknowledged
    if !isDown { noteEventStored(at: reachesServer, &out) }
  }

  /// Notes that the server has the oldest event. The first receipt counts.
  package mutating func noteEventStored(at instant: SimInstant, _ out: inout Effects) {
    guard var event = out.events[id]?.waiting.first, !event.isStored else { return }
    event.isStored = true
    out.events[id]?.waiting[0] = event
    guard let happened = event.happened, let sent = event.sent else { return }
    out.emit(
      .event(
        .stored(
          EventDelay(
            system: event.noticed - happened, phone: sent - event.noticed,
            server: instant - sent))))
  }
}

extension AppEvent {
  fileprivate init(_ visit: Visit, noticed: SimInstant) {
    let isKnown = visit.arrival > .distantPast && visit.arrival < .distantFuture
    guard visit.hasEnded else {
      self.init(.arrive, noticed: noticed, happened: isKnown ? visit.arrival : nil)
      return
    }
    self.init(
      .depart, dwellSeconds: isKnown ? UInt32((visit.departure - visit.arrival).seconds) : nil,
      noticed: noticed, happened: visit.departure)
  }
}

extension Segment {
  /// Returns the last instant before `end` at which the phone crossed the circle in this direction.
  fileprivate func lastCrossing(
    of centre: PlanePoint, radius: Double, inwards: Bool, _ end: SimInstant
  ) -> SimInstant? {
    var (at, last) = (start, SimInstant?.none)
    var isInside = isInside(at, centre: centre, radius: radius)
    while let next = isInside
      ? exit(from: centre, radius: radius, after: at)
      : entry(into: centre, radius: radius, after: at), next <= end
    {
      isInside.toggle()
      if isInside == inwards { last = next }
      at = next
    }
    return last
  }
}
