internal import Figures
internal import Foundation
internal import SimulationCore
internal import Transport

/// Clients of a broker, each with a connection that is kept, and publishes with QoS 1 of theirs, so
/// many a second in turn.
///
/// `@unchecked Sendable`: the clients and the course are touched on the loop's thread only; the
/// methods go there by themselves.
final class MQTTOfferer: MQTTClientsOwner, @unchecked Sendable {
  /// What came of the publishes that ended in a window.
  struct Tally: Sendable {
    var acknowledged = 0
    var failed = 0
    /// From the intended instant to the one at which the client took the message.
    var lag = Histogram()
    /// From the intended instant to the acknowledgement.
    var response = Histogram()
  }

  private let loop = EventLoop(name: "mqtt generator", isUrgent: true)
  private var clients: MQTTClients?
  private let first: UInt32
  private let count: Int
  private var connected = 0
  private var refused = 0
  private var timer: LoopTimer?
  private var tally = Tally()
  private let messages: [MQTTMessage]
  /// When each publish under way was intended, by its number modulo their count.
  private var intended: [WallInstant]
  private var next: UInt64 = 0
  private var pace: (start: WallInstant, rate: Double, offered: Int)?
  private var isOver = false

  /// Publishes that are due closer together than this share a turn of the loop.
  private static let tick = WallDuration.microseconds(250)
  /// Publishes that are remembered at once, at most.
  private static let openMax = 65_536
  /// mosquitto lets so many connections wait until it accepts them (`listen(2)`); of one more the
  /// first packet is lost, and comes again a second later.
  private static let connectingMax = 100

  /// - Parameters:
  ///   - first: the number of the first client among those of all processes.
  ///   - count: the number of clients.
  init(_ broker: Endpoint, first: UInt32, count: Int) {
    self.first = first
    self.count = count
    messages = (0..<count).map { Self.message(of: first + UInt32($0)) }
    intended = Array(repeating: .distantPast, count: Self.openMax)
    loop.start()
    loop.sync { [self] in
      var settings = MQTTSettings(broker: broker)
      settings.connectingMax = Self.connectingMax
      // Without TLS there is no file to be read.
      clients = try? MQTTClients(on: loop, settings, owner: self)
    }
  }

  /// A position as OwnTracks writes it.
  private static func message(of phone: UInt32) -> MQTTMessage {
    let body = """
      {"_type":"location","lat":52.\(500_000 + phone % 400_000),\
      "lon":13.\(400_000 + phone % 99_991),"tst":\(1_795_265_539 + phone % 3_600),\
      "acc":\(5 + phone % 40),"alt":34,"vel":\(phone % 27),\
      "batt":83,"bs":1,"conn":"m","t":"u","tid":"\(10 + phone % 90)"}
      """
    return MQTTMessage(topic: "owntracks/user\(phone)/phone", body: Array(body.utf8))
  }

  func login(of phone: UInt32) -> MQTTLogin { MQTTLogin(client: "phone-\(phone)") }

  /// Connects every client, and returns how many the broker took.
  ///
  /// - Parameter shouldStop: asked every few milliseconds.
  func connect(_ shouldStop: () -> Bool) -> Int {
    loop.post { [self] in
      for place in 0..<count { clients?.connect(first + UInt32(place)) }
    }
    while true {
      let (taken, lost) = loop.sync { [self] in (connected, refused) }
      if taken + lost == count || shouldStop() { return taken }
      usleep(10_000)
    }
  }

  func connected(_ phone: UInt32, _ failure: MQTTError?) {
    if failure == nil { connected += 1 } else { refused += 1 }
  }

  /// Publishes so many messages a second from `start` on, whatever becomes of them.
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
      publish(intended: instant(pace.offered))
      pace.offered += 1
    }
    self.pace = pace
    timer?.arm(at: max(now + Self.tick, instant(pace.offered)))
  }

  private func publish(intended instant: WallInstant) {
    let number = next
    next += 1
    intended[Int(number % UInt64(Self.openMax))] = instant
    tally.lag.record(max(0, (loop.now - instant).microseconds))
    let place = Int(number % UInt64(count))
    clients?.publish(messages[place], as: number, of: first + UInt32(place))
  }

  func ended(_ exchange: UInt64, _ end: MQTTExchange) {
    guard case .success(let answer) = end.result, answer.reason == 0 else {
      tally.failed += 1
      return
    }
    tally.acknowledged += 1
    let instant = intended[Int(exchange % UInt64(Self.openMax))]
    tally.response.record((loop.now - instant).microseconds)
  }

  /// Returns what came since the last call, and begins anew.
  func take() -> Tally {
    loop.sync { [self] in
      defer { tally = Tally() }
      return tally
    }
  }

  /// Counts the connections that are open.
  var openConnections: Int { loop.sync { [self] in clients?.counters[.openConnections] ?? 0 } }

  func stop() {
    loop.sync { [self] in
      isOver = true
      timer?.disarm()
      clients?.close()
      clients = nil
    }
    loop.stopAndWait()
  }
}
