import Core
import Push
import Scenarios
import TestSupport
import Testing
@testable import Uploads

@Suite("The push tokens of a live run", .quick)
struct RunTokensTests {
  @Test("a reinstalled phone has the token that its endpoint expects")
  func reinstalled() {
    var endpoint = ProviderEndpoint(
      EndpointRules(topics: ["org.example.tracker"], keys: .any), phones: 10)
    let tokens = RunTokens(DeviceTokens(seed: endpoint.rules.seed))
    let phone = PhoneID(rawValue: 7)
    #expect(tokens.text(of: phone) == endpoint.token(of: phone))
    let first = tokens.text(of: phone)
    #expect(tokens.register(phone, epoch: 2))
    #expect(!tokens.register(phone, epoch: 2), "an upload that is sent again is no installation")
    let second = endpoint.reinstall(phone, at: 1_800_000_000)
    #expect(tokens.text(of: phone) == second && second != first)
    #expect(tokens.register(phone, epoch: 3))
    let third = endpoint.reinstall(phone, at: 1_800_000_100)
    #expect(tokens.text(of: phone) == third)
    #expect(tokens.text(of: PhoneID(rawValue: 8)) == endpoint.token(of: PhoneID(rawValue: 8)))
  }

  @Test("an Android phone registers the FCM token that its endpoint expects, and says so")
  func services() {
    var rules = EndpointRules(topics: ["org.example.tracker"], keys: .any)
    rules.kinds = ProviderKinds(phones: 10, android: 0.3)
    rules.project = "p"
    let endpoint = ProviderEndpoint(rules, phones: 10)
    let tokens = RunTokens(DeviceTokens(rules))
    for phone in (0..<10 as Range<UInt32>).map(PhoneID.init(rawValue:)) {
      let isAndroid = phone.rawValue >= 7
      let text = tokens.text(of: phone)
      #expect(text == endpoint.token(of: phone) && text.contains(":") == isAndroid)
      #expect(tokens.kind(of: phone) == (isAndroid ? .fcm : .apns))
    }
  }
}
