package import Capacity
package import Core
package import Figures
package import Phone
package import Scenarios
package import Targets

/// Counts the requests that a simulated fleet would send to a target that stores everything. Values
/// from files count with their length, unreadable secrets with a mask's length. Not thread-safe.
package final class RequestMeter {
  private let target: Target
  private let sizer: RequestSizer
  private let begin: SimInstant
  private let minutes: Int
  private let devices: [DeviceState]
  private let identities: PhoneIdentities?
  private let columns: [String]
  private let kept: [String]
  private let keepalive: SimDuration
  private let scenario: Scenario
  private var requests: [Int]
  private var registrations: [Int]
  private var connections: [Int]
  private var resumed: [Int]
  private var bytes: [Double]
  /// The requests with events; nil if the target takes none.
  private var events: [Int]?
  /// The events of each phone that its later uploads have not passed yet, oldest first.
  private var sentEvents: [PhoneID: [EventOrder]] = [:]
  /// The messages to viewers; nil if viewers send reads.
  private var watch: WatchMeter?
  /// The last use of each phone's connection; without an entry the phone has sent nothing.
  private var lastUse: [PhoneID: SimInstant] = [:]
  private var epochs: [PhoneID: UInt32] = [:]
  private var number = 0
  private var sized: [Form: (count: Int, bytes: Int)] = [:]

  private struct Form: Hashable {
    var kind: RequestKind
    var isFirst: Bool
  }

  /// One batch in 16 is sized, and the others count with the average size.
  private static let sizedOneIn = 16

  /// - Throws: an error if the message types do not fit the target, or only the server knows them.
  package init(_ target: Target, _ scenario: Scenario) throws(TargetError) {
    self.target = target
    self.scenario = scenario
    let files = TargetFiles(of: target)
    let programs =
      (try? TargetPrograms(target, secrets: files)) ?? TargetPrograms(masked: target)
    sizer = try RequestSizer(target, programs)
    begin = scenario.measureStart
    let length = (scenario.measureEnd - scenario.measureStart).seconds
    minutes = max(1, Int((length / 60).rounded(.up)))
    devices = TargetSetup.devices(scenario)
    identities = try? files.identities(programs.names.columns)
    columns = programs.names.columns.map { _ in TargetNames.mask }
    // Kept values count with 32 bytes, the usual length of a session key.
    kept = target.keptNames.map { _ in String(repeating: "0", count: 32) }
    keepalive = .microseconds(target.connections.keepalive.microseconds)
    if target.isWatched {
      watch = WatchMeter(
        scenario, seconds: max(1, Int(length.rounded(.up))), seesAll: target.hasOneViewTopic)
    }
    requests = Array(repeating: 0, count: minutes)
    registrations = requests
    connections = requests
    resumed = requests
    bytes = Array(repeating: 0, count: minutes)
    if target.events != nil { events = requests }
  }

  package func sent(_ event: EventOrder) {
    guard events != nil, event.intended >= begin else { return }
    sentEvents[event.id.phone, default: []].append(event)
  }

  /// Counts the events that a phone sent before `instant`.
  private func countEvents(of phone: PhoneID, before instant: SimInstant) {
    guard let waiting = sentEvents[phone] else { return }
    let due = waiting.prefix { $0.intended < instant }
    for order in due {
      let minute = minute(of: order.intended)
      events?[minute] += 1
      send(.event, phone, at: order.intended, minute, isSized: isSized()) {
        let fixes = order.event.fix.map { [$0] } ?? []
        var context = context(order.id, order.cohort, at: order.intended, fixes[...])
        context.event = order.event
        return context
      }
    }
    sentEvents[phone] = due.count == waiting.count ? nil : Array(waiting.dropFirst(due.count))
  }

  private func minute(of instant: SimInstant) -> Int {
    min(minutes - 1, Int((instant - begin).seconds) / 60)
  }

  private func isSized() -> Bool {
    number += 1
    return number % Self.sizedOneIn == 1
  }

  package func arrived(_ order: UploadOrder, _ fixes: UnsafeBufferPointer<Fix>) {
    guard order.intended >= begin else { return }
    let (phone, sent) = (order.id.phone, order.intended)
    countEvents(of: phone, before: sent)
    let minute = minute(of: sent)
    let isSized = isSized()
    func send(_ kind: RequestKind, _ places: Range<Int>) {
      self.send(kind, phone, at: sent, minute, isSized: isSized) {
        context(
          order.id, order.cohort, at: sent, Array(fixes[places])[...], firstFix: places.lowerBound)
      }
    }
    if registers(order) {
      registrations[minute] += 1
      send(.registration, 0..<0)
    }
    var first = 0
    while first < fixes.count {
      let left = fixes.count - first
      let backlog = target.upload.backlog.flatMap { left > $0.over ? $0 : nil }
      let end: Int
      switch backlog?.fixes ?? target.upload.fixes {
      case .newest:
        first = fixes.count - 1
        end = fixes.count
      case .upTo(let most): end = min(fixes.count, first + most)
      }
      requests[minute] += 1
      if let last = watch?.messages.indices.last {
        watch?.note(phone, at: sent, min(last, Int((sent - begin).seconds)))
      }
      send(backlog == nil ? .upload : .backlog, first..<end)
      first = end
    }
  }

  /// Returns whether the app registers before it sends, as after an installation or a launch.
  private func registers(_ order: UploadOrder) -> Bool {
    guard let register = target.register else { return false }
    let isNew = epochs.updateValue(order.id.epoch, forKey: order.id.phone) != order.id.epoch
    return switch register.once {
    case .phone: isNew
    case .launch: isNew || order.registers
    }
  }

  private func send(
    _ kind: RequestKind, _ phone: PhoneID, at instant: SimInstant, _ minute: Int, isSized: Bool,
    _ context: () -> UploadContext
  ) {
    let form = Form(kind: kind, isFirst: connect(phone, at: instant, minute))
    var seen = sized[form] ?? (0, 0)
    if isSized || seen.count == 0 {
      let context = context()
      let size =
        sizer.bytes(of: kind, context, isFirst: form.isFirst)
        + (form.isFirst ? sizer.connectionBytes(context) : 0)
      seen = (seen.count + 1, seen.bytes + size)
      sized[form] = seen
      bytes[minute] += Double(size)
    } else {
      bytes[minute] += Double(seen.bytes) / Double(seen.count)
    }
  }

  /// Returns whether the request needs a new connection, and counts the connection.
  private func connect(_ phone: PhoneID, at instant: SimInstant, _ minute: Int) -> Bool {
    let last = lastUse[phone]
    lastUse[phone] = instant
    switch target.connections.per {
    case .perUpload: connections[minute] += 1
    case .perPhone:
      guard last.map({ instant - $0 > keepalive }) ?? true else { return false }
      connections[minute] += 1
    // Pooled connections are opened once, and rarely again.
    case .pooled: return false
    }
    if last != nil { resumed[minute] += 1 }
    return true
  }

  private func context(
    _ id: BatchID, _ cohort: UInt8, at instant: SimInstant, _ fixes: ArraySlice<Fix>,
    firstFix: Int = 0
  ) -> UploadContext {
    UploadContext(
      id, fixes: fixes, firstFix: firstFix, columns: columns(of: id.phone), kept: kept,
      now: instant.microseconds, device: devices[Int(cohort)])
  }

  /// Returns a phone's row of the identity files, or another phone's row if they lack the phone.
  private func columns(of phone: PhoneID) -> [String] {
    guard let identities, let rows = identities.phones, rows > 0 else { return columns }
    return identities.row(of: phone.rawValue % UInt32(clamping: rows))
  }

  /// Returns the reads of the viewers of all phones, or the messages to them; nil without viewers or
  /// without `view`.
  ///
  /// - Parameter scale: the number of real phones that each simulated phone stands for.
  package func views(scale: Double) -> ViewSeries? {
    if let watch { return ViewSeries(watch.messages.map { $0 * scale }, areMessages: true) }
    guard target.view != nil else { return nil }
    return ViewSchedule.reads(scenario, phones: scenario.fleet.phones).map { ViewSeries($0) }
  }

  /// - Parameters:
  ///   - scale: the number of real phones that each simulated phone stands for.
  ///   - views: the result of `views`.
  package func demand(scale: Double, seconds: Double, _ views: ViewSeries?) -> TargetDemand {
    for phone in Array(sentEvents.keys) { countEvents(of: phone, before: .distantFuture) }
    let lived = max(1, seconds)
    func rates(_ counts: [Double]) -> TargetDemand.Rates {
      var rates = TargetDemand.Rates()
      rates.mean = scale * counts.reduce(0, +) / lived
      rates.busiestMinute = scale * (counts.max() ?? 0) / min(60, lived)
      return rates
    }
    func rates(_ counts: [Int]) -> TargetDemand.Rates { rates(counts.map(Double.init)) }
    let isTLS = TargetAddress(target.url)?.isTLS ?? false
    let again = resumed.map { Double($0) * target.tls.resume }
    let kinds = [requests, registrations, events ?? []]
    let all = Double(kinds.joined().reduce(0, +))
    var demand = TargetDemand(name: target.name)
    demand.requests = rates(requests)
    demand.registrations = rates(registrations)
    demand.events = events.map { rates($0) }
    demand.connections = rates(connections)
    if isTLS {
      demand.handshakesFull = rates(zip(connections, again).map { Double($0) - $1 })
      demand.handshakesResumed = rates(again)
    }
    demand.bytes = rates(bytes)
    demand.views = views.map { views in
      let minutes = stride(from: 0, to: views.perSecond.count, by: 60).map { from in
        views.perSecond[from..<min(from + 60, views.perSecond.count)].reduce(0, +)
      }
      return rates(minutes.map { $0 / scale })
    }
    if watch != nil { demand.areViewsMessages = true }
    if all > 0 { demand.bytesPerRequest = bytes.reduce(0, +) / all }
    return demand
  }
}
