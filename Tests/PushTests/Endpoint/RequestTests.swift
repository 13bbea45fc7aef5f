import Core
import TestSupport
import Testing
@testable import Push

@Suite("A request to a push provider", .quick)
struct RequestTests {
  @Test("a valid request is accepted for its phone, with all its fields")
  func accepted() throws {
    var sender = Sender()
    let verdict = sender.send(["apns-expiration": "1800003600"])
    let push = try #require(verdict.push)
    #expect(push.phone.rawValue == 3 && push.number == 1 && push.type == .background)
    #expect(push.priority == 5 && push.expiration == 1_800_003_600 && push.asksToRun)
    #expect(!push.isWithheld)
    let alert = sender.send(
      ["apns-push-type": "", "apns-priority": "", "apns-expiration": "0", "apns-id": ""],
      body: #"{"aps":{"alert":"hi"}}"#)
    let second = try #require(alert.push)
    #expect(second.number == 2 && second.type == .alert && second.priority == 10)
    #expect(second.expiration == 0 && !second.asksToRun)
    #expect(sender.endpoint.tally.accepted == 2 && sender.endpoint.tally.requests == 2)
    #expect(sender.endpoint.tally.faults.count(.noType) == 1)
  }

  static let faults: [(String, String, PushReason)] = [
    (":method", "GET", .methodNotAllowed), (":path", "/3/devices/abc", .badPath),
    (":path", "/3/device/", .missingDeviceToken), (":path", "/3/device/abc", .badDeviceToken),
    (":path", "/3/device/" + String(repeating: "a", count: 64), .badDeviceToken),
    ("authorization", "", .missingProviderToken),
    ("authorization", "basic x", .missingProviderToken),
    ("authorization", "bearer x.y", .invalidProviderToken),
    ("apns-topic", "", .missingTopic), ("apns-topic", "org.example.nobody", .topicDisallowed),
    ("apns-topic", "org example", .badTopic), ("apns-topic", Sender.topic + ".voip", .badTopic),
    ("apns-topic", "org.example.other", .deviceTokenNotForTopic),
    ("apns-push-type", "silent", .invalidPushType), ("apns-priority", "7", .badPriority),
    ("apns-priority", "10", .badPriority), ("apns-priority", "high", .badPriority),
    ("apns-expiration", "tomorrow", .badExpirationDate),
    ("apns-expiration", "-1", .badExpirationDate),
    ("apns-id", "17", .badMessageID),
    ("apns-collapse-id", String(repeating: "c", count: 65), .badCollapseID),
  ]

  @Test("each fault of a field has its reason", arguments: faults)
  func field(name: String, value: String, reason: PushReason) {
    var sender = Sender()
    let verdict = sender.send([name: value])
    #expect(verdict.reason == reason)
    #expect(verdict.status == reason.status)
    #expect(sender.endpoint.tally.refused(reason) == 1 && sender.endpoint.tally.accepted == 0)
  }

  @Test("a repeated field is refused")
  func duplicates() {
    var sender = Sender()
    #expect(sender.send(more: [("apns-priority", "5")]).reason == .duplicateHeaders)
  }

  @Test("payloads are limited in size by their type, and not empty")
  func payloads() {
    var sender = Sender()
    #expect(sender.send(body: "").reason == .payloadEmpty)
    #expect(sender.send(body: String(repeating: " ", count: 4_096)).push != nil)
    #expect(sender.send(body: String(repeating: " ", count: 4_097)).reason == .payloadTooLarge)
    #expect(sender.send(body: "", isTooLong: true).reason == .payloadTooLarge)
    let call = ["apns-push-type": "voip", "apns-topic": Sender.topic + ".voip"]
    #expect(sender.send(call, body: String(repeating: " ", count: 5_120)).push?.type == .voip)
    #expect(sender.send(call, body: String(repeating: " ", count: 5_121)).status == 413)
  }

  @Test("a location push has its own topic")
  func location() {
    var sender = Sender()
    let wrong = ["apns-push-type": "location", "apns-priority": "10"]
    #expect(sender.send(wrong).reason == .badTopic)
    var right = wrong
    right["apns-topic"] = Sender.topic + ".location-query"
    #expect(sender.send(right).push?.type == .location)
  }

  @Test("the first fault in the provider's order is the one that is named")
  func order() {
    var sender = Sender()
    let all = [
      ":method": "GET", "apns-topic": "", "apns-priority": "7", "authorization": "",
      ":path": "/3/device/abc",
    ]
    #expect(sender.send(all, body: "").reason == .methodNotAllowed)
    #expect(sender.send(["apns-topic": "", "authorization": ""]).reason == .missingTopic)
    #expect(
      sender.send([":path": "/3/device/abc", "authorization": ""]).reason == .missingProviderToken)
  }

  @Test("statuses and bodies are the provider's")
  func answers() {
    #expect(PushReason.allCases.allSatisfy { (400...503).contains($0.status) })
    #expect(Set(PushReason.allCases.map(\.index)).count == PushReason.allCases.count)
    #expect(PushAnswerText.body(.badTopic, since: nil) == #"{"reason":"BadTopic"}"#)
    #expect(
      PushAnswerText.body(.unregistered, since: 1_000)
        == #"{"reason":"Unregistered","timestamp":1000}"#)
    var names: Set<String> = []
    for number in 0..<100 as Range<UInt64> {
      var bytes = [UInt8](repeating: 0, count: 36)
      bytes.withUnsafeMutableBytes { PushAnswerText.writeID(seed: 1, number, into: $0) }
      #expect(bytes.withUnsafeBytes { $0.isUUID })
      names.insert(String(decoding: bytes, as: UTF8.self))
    }
    #expect(names.count == 100 && names.allSatisfy { $0.dropFirst(14).first == "4" })
  }

  static let payloadTexts: [(String, PushPayload)] = [
    (#"{"aps":{"alert":"x","content-available" : 1}}"#, .asksToRun),
    ("{\"aps\":{\"content-available\":\n  1}}", .asksToRun),
    (#"{"aps":{"content-available":1.0}}"#, .asksToRun),
    (#"{"aps":{"content\u002davailable":1}}"#, .asksToRun),
    (#"{"aps":{"content-available":0}}"#, .asksNothing(why: "content-available is 0")),
    (#"{"aps":{"content-available":10}}"#, .asksNothing(why: "content-available is 10")),
    (#"{"aps":{"content-available":"1"}}"#, .asksNothing(why: #"content-available is "1""#)),
    (#"{"aps":{"content-available":true}}"#, .asksNothing(why: "content-available is true")),
    (
      #"{"aps":{"alert":"x"},"content-available":1}"#,
      .asksNothing(why: "content-available is outside aps")
    ),
    (
      #"{"aps":{"alert":"\"content-available\":1"}}"#,
      .asksNothing(why: "content-available is missing")
    ),
    ("{}", .asksNothing(why: "content-available is missing")),
    (#""content-available""#, .notJSON), (#"{"content-available":"#, .notJSON), ("", .notJSON),
    ("[1]", .notJSON), ("content-available=1", .notJSON), ("{'aps':{}}", .notJSON),
    (String(repeating: "[", count: 600), .notJSON),
  ]

  @Test(
    "a payload is read as JSON: only the number 1 in aps requests time to run",
    arguments: payloadTexts)
  func readPayload(text: String, expected: PushPayload) {
    #expect(Array(text.utf8).withUnsafeBytes { PushPayload($0) } == expected)
  }

  @Test("invalid JSON, and a payload without effect, are among the faults, with details")
  func payloadFaults() throws {
    var sender = Sender()
    #expect(sender.send(body: "hello").push?.asksToRun == false)
    #expect(sender.send(body: #"{"aps":{},"content-available":1}"#).push?.asksToRun == false)
    let alert = ["apns-push-type": "alert", "apns-priority": "10"]
    #expect(sender.send(alert, body: #"{"aps":{"alert":"x"}}"#).push != nil)
    #expect(sender.send(alert, body: "hello").push != nil)
    #expect(sender.send().push?.asksToRun == true)
    #expect(sender.send().push?.asksToRun == true, "the same again")
    let faults = sender.endpoint.tally.faults
    #expect(faults.count(.notJSON) == 2 && faults.count(.asksNothing) == 1)
    let example = try #require(faults.all.first { $0.fault == .asksNothing }).example
    #expect(example.hasPrefix("phone 3, token "))
    #expect(example.hasSuffix(": content-available is outside aps"))
  }
}
