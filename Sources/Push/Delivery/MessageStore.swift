package import Core

/// AFC5: The older messages that wait for a phone besides the newest, oldest first. They reach the
/// phone with the newest and run its app once, but each has its own outcome.
package struct MessageStore: Equatable, Sendable {
  private struct Message: Equatable, Sendable {
    var delivery: PushDelivery
    let expiration: SimInstant
    let collapses: Bool
  }

  /// The most messages without a collapse key that FCM stores for a phone.
  package static let most = 100

  private var messages: [Message] = []

  package init() {}

  package var isEmpty: Bool { messages.isEmpty }

  /// The newest message that waits for the phone; nil if none does.
  package var newest: (id: UInt64, expiration: SimInstant)? {
    messages.last { $0.delivery.stage == .stored }.map { ($0.delivery.id, $0.expiration) }
  }

  package mutating func add(
    _ delivery: PushDelivery, until expiration: SimInstant, collapses: Bool
  ) {
    messages.append(Message(delivery: delivery, expiration: expiration, collapses: collapses))
  }

  /// Returns whether FCM stores too many messages if it stores another one without a collapse key.
  package var isFull: Bool {
    messages.count { !$0.collapses && $0.delivery.stage == .stored } >= Self.most
  }

  /// Takes the delivery of a message out of the store; nil if there is no such message.
  package mutating func take(_ id: UInt64) -> PushDelivery? {
    guard let place = messages.firstIndex(where: { $0.delivery.id == id }) else { return nil }
    return messages.remove(at: place).delivery
  }

  /// Handles what happens to the newest message, and returns the endings of those that end with it.
  package mutating func handle(
    _ event: PushDelivery.Event, of phone: PhoneID
  ) -> [PushEnding] {
    end(of: phone) { message in
      let isUnderWay = [.inTransit, .stored].contains(message.delivery.stage)
      switch event {
      // A newer message takes the app's attention, and leaves alone those that are under way.
      case .requested: return isUnderWay ? nil : event
      case .stored: return message.delivery.stage == .inTransit ? event : nil
      case .reconnected: return .reconnected(id: message.delivery.id)
      case .undelivered, .arrived, .released, .stopped, .deferred, .discarded, .noPermission,
        .wakeFailed, .woke, .fixTaken, .wakeEnded, .reported, .closed:
        return event
      }
    }
  }

  /// Ends the messages that have expired, or that a newer one with a collapse key replaces.
  package mutating func remove(
    at now: SimInstant, replaced isReplaced: Bool, gate: StorageGate, of phone: PhoneID
  ) -> [PushEnding] {
    end(of: phone) { message in
      let ending: UndeliveredPush.Ending
      switch message.delivery.stage {
      case .stored where message.expiration <= now: ending = .expired
      case .stored where isReplaced && message.collapses: ending = .overwritten
      case .inTransit where isReplaced && message.collapses: ending = .overwritten
      case .none, .inTransit, .stored, .arrived, .deferred, .woken, .fixTaken: return nil
      }
      return .undelivered(UndeliveredPush(id: message.delivery.id, gate: gate, ending: ending))
    }
  }

  /// Ends all messages that wait, because there are too many.
  package mutating func discard(gate: StorageGate, of phone: PhoneID) -> [PushEnding] {
    end(of: phone) { message in
      guard message.delivery.stage == .stored else { return nil }
      let id = message.delivery.id
      return .undelivered(UndeliveredPush(id: id, gate: gate, ending: .discarded))
    }
  }

  private mutating func end(
    of phone: PhoneID, by means: (Message) -> PushDelivery.Event?
  ) -> [PushEnding] {
    var endings: [PushEnding] = []
    for place in messages.indices {
      guard let event = means(messages[place]),
        let ending = messages[place].delivery.handle(event, of: phone)
      else { continue }
      endings.append(ending)
      // The end of a message that `requested` ended would open the newer one here, too.
      messages[place].delivery = PushDelivery()
    }
    messages.removeAll { $0.delivery.stage == .none }
    return endings
  }
}
