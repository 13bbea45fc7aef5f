package import Core
package import Wire

/// An upload offered at a fixed instant, independent of earlier uploads.
package struct Offer: Sendable, BitwiseCopyable {
  package var phone: UInt32
  package var intended: WallInstant
  /// The instant at which the sender took the offer. A later wait is due to the connection.
  package internal(set) var taken: WallInstant

  package init(phone: UInt32, intended: WallInstant) {
    self.phone = phone
    self.intended = intended
    taken = intended
  }
}

/// The outcome of an offer, which has one attempt.
package enum OfferOutcome: Equatable, Sendable {
  case acknowledged(duplicate: Bool)
  case failed(StatusCode)
  case timedOut
}

/// Provides the messages of offers and receives their outcomes, on the loop's thread.
package protocol OfferSource: AnyObject, Sendable {
  /// Returns the encoded `UploadRequest` for the phone, and the check that its ack repeats.
  func message(for phone: UInt32) -> (bytes: [UInt8], check: UInt32)
  func ended(
    _ offer: Offer, _ outcome: OfferOutcome, started: WallInstant, finished: WallInstant)
}

/// Sends uploads at scheduled instants. This minimal client can offer a server more load than the
/// server's capacity. `@unchecked Sendable`: the state is touched on the loop's thread only.
package final class OpenLoopSender: ClientCarrierOwner, @unchecked Sendable {
  private let loop: EventLoop
  private let address: Address
  private let deadline: WallDuration
  private let carrier: CarrierKind
  private unowned let source: any OfferSource
  private let codec = MessageCodec(capacity: 65_536)
  private var lanes: [Lane]
  private var due = WaitingLine<Offer>()
  private var turn = 0
  private var timer: LoopTimer?
  private var isOver = false

  /// A connection and its calls. `first` is the call number of `calls[0]`.
  private struct Lane {
    var channel: (any ClientCarrier)?
    var calls: [Call] = []
    var head = 0
    var first: UInt32 = 1
    var waiting = WaitingLine<Offer>()
  }

  private struct Call {
    var offer: Offer
    var started: WallInstant
    var check: UInt32
    var isOpen = true
    var answer: OfferOutcome?
  }

  /// The minimum time between wake-ups, whose calls share one write(2) per connection. At most 2.5
  /// ms late, a generator offered 181,000 uploads/s, or 76,000 uploads/s with a tick of 0.5 ms.
  private static let tick = WallDuration.milliseconds(1)

  /// - Parameter source: the source, which is not retained and must outlive the sender.
  package init(
    loop: EventLoop, to endpoint: Endpoint, carrier: CarrierKind = .flotilla, connections: Int,
    deadline: WallDuration, source: any OfferSource
  ) throws(TransportError) {
    precondition(connections > 0, "a sender needs a connection (is \(connections))")
    self.loop = loop
    self.carrier = carrier
    self.deadline = deadline
    self.source = source
    address = try Address(endpoint)
    lanes = Array(repeating: Lane(), count: connections)
  }

  /// Queues offers in the order of their instants, preferably early. Any thread may call `submit`.
  package func submit(_ offers: [Offer]) {
    guard !offers.isEmpty else { return }
    loop.post { [self] in
      for offer in offers { due.append(offer) }
      run()
    }
  }

  /// Ends every open call as timed out, and closes the connections.
  package func stop() {
    loop.sync { [self] in
      isOver = true
      timer?.disarm()
      for place in lanes.indices {
        lanes[place].channel?.close(reset: true)
        lanes[place].channel = nil
        end(place, with: .timedOut)
      }
    }
  }

  // MARK: Time

  private func run() {
    loop.assertOnLoop()
    guard !isOver else { return }
    let now = loop.now
    while var offer = due.first, offer.intended <= now {
      due.popFirst()
      offer.taken = now
      turn = (turn + 1) % lanes.count
      lanes[turn].waiting.append(offer)
    }
    for place in lanes.indices { serve(place, at: now) }
    expire(at: now)
    let isBusy = lanes.contains { $0.head < $0.calls.count || !$0.waiting.isEmpty }
    let next = due.first?.intended
    guard isBusy || next != nil else { return Waiter.shared.wake() }
    if timer == nil { timer = LoopTimer(on: loop) { [unowned self] in run() } }
    timer?.arm(at: max(now + Self.tick, min(next ?? .distantFuture, now + .milliseconds(50))))
  }

  private func serve(_ place: Int, at now: WallInstant) {
    loop.assertOnLoop()
    guard !lanes[place].waiting.isEmpty, let channel = channel(place) else { return }
    while channel.maySend, let offer = lanes[place].waiting.popFirst() {
      let (bytes, check) = source.message(for: offer.phone)
      let number = channel.call(.upload, bytes, timeout: deadline).number
      if lanes[place].head == lanes[place].calls.count {
        lanes[place].calls.removeAll(keepingCapacity: true)
        lanes[place].head = 0
        lanes[place].first = number
      }
      lanes[place].calls.append(Call(offer: offer, started: now, check: check))
    }
  }

  private func channel(_ place: Int) -> (any ClientCarrier)? {
    if let channel = lanes[place].channel { return channel.isUsable ? channel : nil }
    lanes[place].channel = try? loop.openCarrier(
      carrier, to: address, metadata: [], tag: place, owner: self)
    return lanes[place].channel
  }

  private func expire(at now: WallInstant) {
    for place in lanes.indices {
      while lanes[place].head < lanes[place].calls.count {
        let call = lanes[place].calls[lanes[place].head]
        guard !call.isOpen || now - call.started > deadline else { break }
        if call.isOpen {
          let number = lanes[place].first + UInt32(lanes[place].head)
          lanes[place].channel?.cancel(ClientCall(connection: place, number: number))
          source.ended(call.offer, .timedOut, started: call.started, finished: now)
        }
        lanes[place].head += 1
      }
      while let offer = lanes[place].waiting.first, now - offer.intended > deadline {
        lanes[place].waiting.popFirst()
        source.ended(offer, .timedOut, started: now, finished: now)
      }
    }
  }

  // MARK: Carrier events

  func connected(_ connection: Int, at instant: WallInstant) { serve(connection, at: instant) }

  func maySend(_ connection: Int) { serve(connection, at: loop.now) }

  func received(_ call: ClientCall, _ message: UnsafeRawBufferPointer) {
    let lane = call.connection
    let place = Int(call.number - lanes[lane].first)
    guard lanes[lane].calls.indices.contains(place),
      let reply = try? codec.decode(UploadReply.self, from: message),
      reply.check == lanes[lane].calls[place].check
    else { return }
    lanes[lane].calls[place].answer = .acknowledged(duplicate: reply.duplicate)
  }

  func ended(_ call: ClientCall, _ status: CallStatus) {
    loop.assertOnLoop()
    let lane = call.connection
    let place = Int(call.number - lanes[lane].first)
    guard lanes[lane].calls.indices.contains(place), lanes[lane].calls[place].isOpen else {
      return
    }
    lanes[lane].calls[place].isOpen = false
    let call = lanes[lane].calls[place]
    let outcome = status.code == .ok ? call.answer ?? .failed(.dataLoss) : .failed(status.code)
    source.ended(call.offer, outcome, started: call.started, finished: loop.now)
    while lanes[lane].head < lanes[lane].calls.count, !lanes[lane].calls[lanes[lane].head].isOpen {
      lanes[lane].head += 1
    }
    if due.isEmpty, lanes[lane].head == lanes[lane].calls.count { Waiter.shared.wake() }
    if lanes[lane].head > 4_096, lanes[lane].head * 2 > lanes[lane].calls.count {
      lanes[lane].first += UInt32(lanes[lane].head)
      lanes[lane].calls.removeFirst(lanes[lane].head)
      lanes[lane].head = 0
    }
  }

  func goesAway(_ connection: Int) {}

  func ended(_ connection: Int, _ end: LinkError, open: [ClientCall]) {
    loop.assertOnLoop()
    lanes[connection].channel = nil
    self.end(connection, with: .failed(.unavailable))
  }

  private func end(_ place: Int, with outcome: OfferOutcome) {
    let now = loop.now
    for call in lanes[place].calls where call.isOpen {
      source.ended(call.offer, outcome, started: call.started, finished: now)
    }
    lanes[place].calls.removeAll(keepingCapacity: true)
    lanes[place].head = 0
    // A new connection counts its calls from 1.
    lanes[place].first = 1
  }
}
