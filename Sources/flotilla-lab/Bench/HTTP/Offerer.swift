internal import Core
internal import Foundation
internal import Synchronization
internal import Transport

/// Sends requests over persistent connections, in a closed loop or at a fixed rate.
///
/// `@unchecked Sendable`: the client and the schedule are used on the loop's thread only.
final class Offerer<Client: ExchangeClient>: @unchecked Sendable {
  struct Tally: Sendable {
    var answered = 0
    var failed = 0
    /// The time from the intended instant to the client's acceptance of the request.
    var lag = Histogram()
    var response = Histogram()
    /// The CPU time of the loop's thread.
    var threadNanoseconds: Int64 = 0
  }

  private let loop = EventLoop(name: "generator", isUrgent: true)
  private var client: Client?
  private let requests: [Client.Request]
  private let phones: Range<UInt32>
  private let isGood: @Sendable (Client.Answer) -> Bool
  private var timer: LoopTimer?
  private var tally = Tally()
  /// The intended instant of each request in flight, by its number modulo the size of the list.
  private var intended = Array(repeating: WallInstant.distantPast, count: 65_536)
  private var next: UInt64 = 0
  private var pace: (start: WallInstant, rate: Double, offered: Int)?
  private var isOver = false

  /// The shortest time between two turns of the loop, in which all due requests are sent.
  private static var tick: WallDuration { .microseconds(250) }

  init(
    _ requests: [Client.Request], of phones: Range<UInt32>,
    isGood: @escaping @Sendable (Client.Answer) -> Bool,
    _ make: @escaping @Sendable (EventLoop, @escaping (UInt64, Client.End) -> Void) -> Client?
  ) {
    self.requests = requests
    self.phones = phones
    self.isGood = isGood
    loop.start()
    loop.sync { [self] in client = make(loop) { [unowned self] in ended($0, $1) } }
  }

  func saturate() {
    loop.post { [self] in
      for _ in phones { send(intended: loop.now) }
    }
  }

  /// Sends requests at a fixed rate, independent of responses.
  func offer(_ rate: Double, from start: WallInstant) {
    loop.post { [self] in
      pace = (start, rate, 0)
      timer = LoopTimer(on: loop) { [unowned self] in offerDue() }
      timer?.arm(at: start)
    }
  }

  private func offerDue() {
    guard var pace, !isOver else { return }
    let now = loop.now
    func instant(_ number: Int) -> WallInstant {
      pace.start + WallDuration(seconds: Double(number) / pace.rate)
    }
    while instant(pace.offered) <= now {
      send(intended: instant(pace.offered))
      pace.offered += 1
    }
    self.pace = pace
    timer?.arm(at: max(now + Self.tick, instant(pace.offered)))
  }

  private func send(intended instant: WallInstant) {
    let number = next
    next += 1
    intended[Int(number % UInt64(intended.count))] = instant
    tally.lag.record(max(0, (loop.now - instant).microseconds))
    client?.send(
      requests[Int(number % UInt64(requests.count))], as: number,
      of: phones.lowerBound + UInt32(number % UInt64(phones.count)))
  }

  private func ended(_ number: UInt64, _ end: Client.End) {
    if case .success(let answer) = end.result, isGood(answer) {
      tally.answered += 1
      let instant = intended[Int(number % UInt64(intended.count))]
      tally.response.record((loop.now - instant).microseconds)
    } else {
      tally.failed += 1
    }
    if pace == nil, !isOver { send(intended: loop.now) }
  }

  func take() -> Tally {
    loop.sync { [self] in
      let now = EventLoop.threadNanoseconds
      var ended = tally
      ended.threadNanoseconds = now - tally.threadNanoseconds
      tally = Tally()
      tally.threadNanoseconds = now
      return ended
    }
  }

  func withClient<Value: Sendable>(_ body: @escaping @Sendable (Client?) -> Value) -> Value {
    loop.sync { [self] in body(client) }
  }

  func stop() {
    loop.sync { [self] in
      isOver = true
      timer?.disarm()
      client?.close()
      client = nil
    }
    loop.stopAndWait()
  }
}

extension Offerer<HTTPClient> {
  convenience init(_ requests: [HTTPRequest], connections: Int) {
    var settings = HTTPSettings()
    settings.use = .pooled(connections)
    settings.openMax = 65_536
    let chosen = settings
    self.init(requests, of: 0..<UInt32(connections), isGood: { $0.status == 200 }) {
      HTTPClient(on: $0, chosen, onEnd: $1)
    }
  }
}

extension Offerer<MQTTClients> {
  /// The number of clients that connect at once: mosquitto's `listen(2)` backlog. The first packet
  /// beyond the backlog is lost, and sent again one second later.
  private static let connectingMax = 100

  convenience init(_ broker: Endpoint, of phones: Range<UInt32>) {
    self.init(phones.map(Self.message), of: phones, isGood: { $0.reason == 0 }) { loop, onEnd in
      var settings = MQTTSettings(broker: broker)
      settings.connectingMax = Self.connectingMax
      // Without TLS no file is read, so that the call cannot fail.
      return try? MQTTClients(
        on: loop, settings, login: { MQTTLogin(client: "phone-\($0)") }, onEnd: onEnd)
    }
  }

  private static func message(of phone: UInt32) -> MQTTMessage {
    let body = """
      {"_type":"location","lat":52.\(500_000 + phone % 400_000),\
      "lon":13.\(400_000 + phone % 99_991),"tst":\(1_795_265_539 + phone % 3_600),\
      "acc":\(5 + phone % 40),"alt":34,"vel":\(phone % 27),\
      "batt":83,"bs":1,"conn":"m","t":"u","tid":"\(10 + phone % 90)"}
      """
    return MQTTMessage(topic: "owntracks/user\(phone)/phone", body: Array(body.utf8))
  }

  func connect(_ phones: Range<UInt32>, _ shouldStop: () -> Bool) -> Int {
    let connected = Connected()
    withClient { client in
      client?.onConnected = { _, failure in
        connected.counts.withLock {
          if failure == nil { $0.taken += 1 } else { $0.lost += 1 }
        }
        Waiter.shared.wake()
      }
      for phone in phones { client?.connect(phone) }
    }
    Waiter.shared.wait {
      connected.counts.withLock { $0.taken + $0.lost } == phones.count || shouldStop()
    }
    return connected.counts.withLock { $0.taken }
  }
}

private final class Connected: Sendable {
  let counts = Mutex((taken: 0, lost: 0))
}
