import Core
import TestSupport
import Testing
@testable import Push

@Suite("Phones behind a push provider", .quick)
struct PhoneTests {
  private func owner(_ tokens: DeviceTokens, _ text: String) -> DeviceTokens.Owner? {
    Array(text.utf8).withUnsafeBytes { tokens.owner($0) }
  }

  @Test("a token is 64 digits, and only its issuer can read its owner from it")
  func tokens() {
    let tokens = DeviceTokens(seed: 42)
    var texts: Set<String> = []
    for phone in 0..<1_000 as Range<UInt32> {
      let made = DeviceTokens.Owner(PhoneID(rawValue: phone), installation: phone % 3)
      let text = tokens.text(of: made)
      #expect(text.utf8.count == 64 && owner(tokens, text) == made)
      #expect(owner(tokens, text.uppercased()) == made)
      #expect(owner(DeviceTokens(seed: 43), text) == nil)
      texts.insert(text)
    }
    #expect(texts.count == 1_000)
    let text = tokens.text(of: .init(PhoneID(rawValue: 5)))
    for place in 0..<64 {
      var digits = Array(text)
      digits[place] = digits[place] == "0" ? "1" : "0"
      #expect(owner(tokens, String(digits)) == nil, "digit \(place)")
    }
    #expect(owner(tokens, "") == nil && owner(tokens, text + "0") == nil)
    #expect(owner(tokens, String(repeating: "g", count: 64)) == nil)
  }

  @Test("a phone takes no more than 64 bytes in addition to its own")
  func memory() { #expect(DeviceTable.bytesPerPhone <= 64) }

  @Test("a deleted app's token answers 410 with its instant; a push after it is the sender's fault")
  func gone() {
    var sender = Sender()
    sender.endpoint.unregister(PhoneID(rawValue: 3), at: 1_799_999_000)
    #expect(sender.send() == .refused(.unregistered, since: 1_799_999_000_000))
    #expect(sender.endpoint.tally.faults.count(.goneAgain) == 0)
    #expect(sender.send().status == 410)
    #expect(sender.endpoint.tally.faults.count(.goneAgain) == 1)
    #expect(sender.send(to: 4).push != nil)
  }

  @Test("a reinstalled app has another token, and the one before is dead")
  func reinstalled() throws {
    var sender = Sender()
    let phone = PhoneID(rawValue: 3)
    let old = try #require(sender.endpoint.token(of: phone))
    let reinstalled = sender.endpoint.reinstall(phone, at: 1_799_999_000)
    let new = try #require(reinstalled)
    #expect(new != old && sender.endpoint.token(of: phone) == new)
    #expect(sender.send() == .refused(.unregistered, since: 1_799_999_000_000))
    #expect(sender.send([":path": "/3/device/" + new]).push?.phone == phone)
    #expect(sender.send([":path": sender.path(3, installation: 2)]).reason == .badDeviceToken)
    #expect(sender.send([":path": sender.path(10)]).reason == .badDeviceToken)
    #expect(sender.endpoint.reinstall(PhoneID(rawValue: 10), at: 0) == nil)
  }

  @Test("bursts to one phone are answered 429, and pushes in the next second are not")
  func bursts() {
    var sender = Sender { $0.perPhoneAndSecond = 3 }
    for _ in 0..<3 { #expect(sender.send().push != nil) }
    #expect(sender.send().reason == .tooManyRequests)
    #expect(sender.send(to: 4).push != nil)
    #expect(sender.endpoint.tally.faults.count(.burst) == 1)
    sender.now += 5_000
    #expect(sender.send().push?.number == 4)
  }

  @Test("a share is accepted and withheld, by a draw independent of the order of requests")
  func withheld() {
    func withheld(_ phones: [UInt32]) -> Set<UInt32> {
      var sender = Sender(phones: 2_000) { $0.withhold = 0.05 }
      return Set(phones.filter { sender.send(to: $0).push?.isWithheld == true })
    }
    let inOrder = withheld(Array(0..<2_000))
    #expect((60...140).contains(inOrder.count))
    #expect(withheld(Array((0..<2_000).reversed())) == inOrder)
  }

  @Test("a share of requests finds a busy provider")
  func busy() {
    var sender = Sender(phones: 1_000) { $0.busy = 0.1 }
    for phone in 0..<1_000 as Range<UInt32> { _ = sender.send(to: phone) }
    let busy = sender.endpoint.tally.refused(.serviceUnavailable)
    #expect((60...140).contains(busy) && sender.endpoint.tally.accepted == 1_000 - busy)
    #expect(sender.endpoint.tally.faults.count(.ignoredRetryAfter) == 0, "all were under way")
  }

  @Test("requests a second after 503, and before Retry-After is over, are the sender's fault")
  func retryAfter() {
    var sender = Sender(phones: 10) { $0.busy = 1 }
    #expect(sender.send().status == 503)
    sender.now += 999
    #expect(sender.send().status == 503)
    #expect(sender.endpoint.tally.faults.count(.ignoredRetryAfter) == 0)
    sender.now += 1
    #expect(sender.send().status == 503)
    #expect(sender.endpoint.tally.faults.count(.ignoredRetryAfter) == 1)
    sender.now += 4_000
    #expect(sender.send().status == 503)
    #expect(sender.endpoint.tally.faults.count(.ignoredRetryAfter) == 1)
  }
}
