import Core
import TestSupport
import Testing
@testable import Push

@Suite("Sender counts of an endpoint", .quick)
struct TallyTests {
  @Test("rates are per second of the clock, by reason, with their maximum")
  func seconds() throws {
    var sender = Sender { $0.perPhoneAndSecond = 0 }
    for phone in 0..<5 as Range<UInt32> { _ = sender.send(to: phone) }
    sender.now += 1_000
    for phone in 0..<3 as Range<UInt32> { _ = sender.send(to: phone) }
    _ = sender.send(["apns-topic": "org.example.nobody"])
    let tally = sender.endpoint.tally
    #expect(tally.busiestSecond == 5 && tally.requests == 9)
    #expect(tally.busiestSecond(of: nil) == 5)
    #expect(tally.busiestSecond(of: .topicDisallowed) == 1)
    #expect(tally.busiestSecond(of: .badTopic) == 0)
    let span = try #require(tally.span)
    #expect(span.upperBound - span.lowerBound == 1_000)
  }

  @Test("accepted pushes are counted by type, priority and content-available")
  func kinds() {
    var sender = Sender()
    _ = sender.send(to: 1)
    _ = sender.send(to: 2)
    _ = sender.send(
      to: 3, ["apns-push-type": "alert", "apns-priority": "10"], body: #"{"aps":{"alert":"a"}}"#)
    #expect(
      sender.endpoint.tally.kinds == [
        .init(type: .background, priority: 5, asksToRun: true, count: 2),
        .init(type: .alert, priority: 10, asksToRun: false, count: 1),
      ])
  }

  @Test("a fault's example is its first one, with its phone and its instant")
  func example() throws {
    var sender = Sender()
    sender.now += 5_000
    _ = sender.send(to: 4, ["apns-priority": "10"])
    sender.now += 5_000
    _ = sender.send(to: 5, ["apns-priority": "10"])
    let fault = try #require(sender.endpoint.tally.faults.all.first)
    #expect(fault.fault == .urgentBackground && fault.count == 2)
    #expect(fault.example.hasPrefix("phone 4, token "))
    #expect(fault.at == Sender.now + 5_000)
  }

  @Test("more than three background pushes to a phone within an hour are too many; alerts are not")
  func tooOften() {
    var sender = Sender()
    for _ in 0..<3 { _ = sender.send(to: 1) }
    for _ in 0..<6 { _ = sender.send(to: 2, ["apns-push-type": "alert"]) }
    #expect(sender.endpoint.tally.faults.count(.tooOften) == 0)
    _ = sender.send(to: 1)
    #expect(sender.endpoint.tally.faults.count(.tooOften) == 1)
    sender.now += 3_600_000
    _ = sender.send(to: 1, ["authorization": "bearer " + Sender.token(at: sender.now / 1_000)])
    #expect(sender.endpoint.tally.faults.count(.tooOften) == 1)
  }

  /// Sends a push for a Live Activity.
  private static func activity(
    _ event: String, priority: Int = 10, to phone: UInt32 = 1, by sender: inout Sender
  ) -> PushVerdict {
    sender.send(
      to: phone,
      [
        "apns-push-type": "liveactivity", "apns-priority": "\(priority)",
        "apns-topic": Sender.topic + ".push-type.liveactivity",
      ],
      body: #"{"aps":{"event":"\#(event)"}}"#)
  }

  @Test("PN5: a phone does not show the eleventh start of a Live Activity in an hour")
  func unshownStarts() {
    var sender = Sender { $0.perPhoneAndSecond = 0 }
    for _ in 0..<10 { _ = Self.activity("start", by: &sender) }
    _ = Self.activity("start", to: 2, by: &sender)
    _ = Self.activity("end", by: &sender)
    #expect(sender.endpoint.tally.faults.count(.unshownStart) == 0)
    #expect(Self.activity("start", by: &sender).push != nil, "the provider accepts it")
    #expect(sender.endpoint.tally.faults.count(.unshownStart) == 1)
    sender.now += 3_600_000
    _ = sender.send(
      to: 1,
      [
        "authorization": "bearer " + Sender.token(at: sender.now / 1_000),
        "apns-push-type": "liveactivity", "apns-topic": Sender.topic + ".push-type.liveactivity",
      ], body: #"{"aps":{"event":"start"}}"#)
    #expect(sender.endpoint.tally.faults.count(.unshownStart) == 1)
  }

  @Test("PN6: of urgent updates of a Live Activity a phone shows one in 45 s; others are unlimited")
  func unshownUpdates() {
    var sender = Sender()
    for _ in 0..<20 {
      #expect(Self.activity("update", by: &sender).push != nil)
      _ = Self.activity("update", priority: 5, by: &sender)
      sender.now += 3_000
    }
    #expect(sender.endpoint.tally.faults.count(.unshownUpdate) == 18)
  }

  @Test("after 429 a push to the same phone within Retry-After is a fault")
  func tooSoon() {
    var sender = Sender {
      $0.perPhoneAndSecond = 1
      $0.retryAfter = 5
    }
    for _ in 0..<3 { _ = sender.send() }
    sender.now += 1_000
    _ = sender.send()
    #expect(sender.endpoint.tally.faults.count(.ignoredRetryAfter) == 0, "it was under way")
    sender.now += 2_000
    _ = sender.send(to: 4)
    #expect(sender.endpoint.tally.faults.count(.ignoredRetryAfter) == 0, "another phone")
    _ = sender.send()
    #expect(sender.endpoint.tally.faults.count(.ignoredRetryAfter) == 1)
    sender.now += 3_000
    _ = sender.send()
    #expect(sender.endpoint.tally.faults.count(.ignoredRetryAfter) == 1)
  }

  @Test("a background push without content-available requests nothing")
  func asksNothing() {
    var sender = Sender()
    _ = sender.send(body: #"{"aps":{}}"#)
    #expect(sender.endpoint.tally.faults.count(.asksNothing) == 1)
  }

  @Test("a token that dies in an hour is valid until then, and 410 has that instant")
  func diesLater() {
    var sender = Sender()
    let second = UInt32(sender.now / 1_000)
    sender.endpoint.unregister(PhoneID(rawValue: 3), at: second + 3_600)
    #expect(sender.send().push != nil)
    sender.now += 3_600_000
    let token = ["authorization": "bearer " + Sender.token(at: sender.now / 1_000)]
    #expect(
      sender.send(token) == .refused(.unregistered, since: Int64(second + 3_600) * 1_000))
    // A new installation before that ends it at once.
    sender.endpoint.unregister(PhoneID(rawValue: 4), at: second + 7_200)
    _ = sender.endpoint.reinstall(PhoneID(rawValue: 4), at: second + 3_600)
    #expect(
      sender.send(to: 4, token) == .refused(.unregistered, since: Int64(second + 3_600) * 1_000))
  }

  @Test("without a topic an endpoint accepts any; with a key alone it accepts any team")
  func open() {
    var any = Sender()
    any.endpoint = ProviderEndpoint(EndpointRules(topics: [], keys: .any), phones: 10)
    #expect(any.send(["apns-topic": "com.example.other"]).push != nil)
    var keyed = Sender(keys: .known([.init(team: "", id: "", checker: PaperKey())]))
    #expect(keyed.send().push != nil)
    #expect(
      keyed.send(["authorization": "bearer " + Sender.token(mark: 8)]).reason
        == .invalidProviderToken)
  }
}
