import Core
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import Push

@Suite("Firebase Cloud Messaging to Android phones", .quick)
struct AndroidMessageTests {
  /// A server whose phones 5 to 9 have Android, and which has signed in.
  private func server(_ change: (inout EndpointRules) -> Void = { _ in }) throws -> Server {
    var server = Server {
      $0.kinds = ProviderKinds([(5, .apns), (5, .fcm)])
      $0.project = "p"
      change(&$0)
    }
    try server.signIn()
    return server
  }

  private func message(_ server: Server, _ members: String..., to phone: UInt32 = 7) -> String {
    "{" + ([#""token":"\#(server.token(phone))""#] + members).joined(separator: ",") + "}"
  }

  @Test("AFC13: a message becomes a push: its kind, priority, time to live and collapse key")
  func push() throws {
    var server = try server()
    func push(_ members: String...) throws -> AcceptedPush {
      let all = [#""token":"\#(server.token(7))""#] + members
      return try #require(server.send("{" + all.joined(separator: ",") + "}").push)
    }
    let plain = try push(#""data":{"a":"b"}"#)
    #expect(plain.phone.rawValue == 7 && plain.type == .background && plain.asksToRun)
    #expect(plain.priority == 5 && !plain.collapses && plain.number == 1)
    #expect(plain.expiration == 1_802_419_200, "28 days, the most, is the default")
    let urgent = try push(
      #""android":{"priority":"HIGH","ttl":"3.9s","collapse_key":"k","data":{"a":"b"}}"#)
    #expect(urgent.priority == 10 && urgent.type == .background && urgent.collapses)
    #expect(urgent.expiration == 1_800_000_003, "fractions are rounded down")
    for priority in [#""high""#, "1"] {
      #expect(try push(#""android":{"priority":\#(priority)}"#).priority == 10)
    }
    #expect(try push(#""android":{"priority":"normal"}"#).priority == 5)
    for now in ["0s", "0.9s"] {
      #expect(try push(#""android":{"ttl":"\#(now)"}"#).expiration == 0, "now or never")
    }
    #expect(try push(#""android":{"ttl":"2419200s","collapseKey":"k"}"#).collapses)
    #expect(try !push(#""android":{"collapse_key":""}"#).collapses)
    for shown in [
      #""notification":{"title":"a"}"#, #""android":{"notification":{"body":"b"}}"#,
      #""notification":{"title":"a"},"data":{"a":"b"},"android":{"priority":"HIGH"}"#,
    ] {
      let push = try push(shown)
      #expect(push.type == .alert && !push.asksToRun, "\(shown)")
    }
    // Apple's block has no effect here, whatever Apple would say of it.
    let apple = #""apns":{"headers":{"apns-priority":"10","apns-push-type":"background"}}"#
    #expect(try push(apple).priority == 5)
  }

  @Test("an FCM token is opaque, and only its issuer can read its owner from it")
  func tokens() throws {
    let tokens = DeviceTokens(seed: 42, kinds: ProviderKinds([(1_000, .fcm)]), project: "p")
    func read(_ tokens: DeviceTokens, _ text: String) -> DeviceTokens.Registration? {
      Array(text.utf8).withUnsafeBytes(tokens.registration)
    }
    var texts: Set<String> = []
    for phone in 0..<1_000 as Range<UInt32> {
      let owner = DeviceTokens.Owner(PhoneID(rawValue: phone), installation: phone % 3)
      let text = tokens.text(of: owner)
      #expect((140...180).contains(text.utf8.count) && text.contains(":"))
      #expect(read(tokens, text) == .init(owner: owner, isOfProject: true))
      #expect(read(DeviceTokens(seed: 43, kinds: tokens.kinds, project: "p"), text) == nil)
      #expect(read(DeviceTokens(seed: 42, project: "p"), text) == nil, "no Android phone")
      texts.insert(text)
    }
    #expect(texts.count == 1_000)
    let text = tokens.text(of: .init(PhoneID(rawValue: 5)))
    let other = DeviceTokens(seed: 42, kinds: tokens.kinds, project: "q")
    #expect(
      read(other, text)?.isOfProject == false && other.text(of: .init(.init(rawValue: 5))) != text)
    for place in text.indices {
      let digit = text[place] == "B" ? "C" : "B"
      let changed = text.replacingCharacters(in: place...place, with: digit)
      #expect(read(tokens, changed) == nil && read(other, changed) == nil, "\(changed)")
    }
    #expect(read(tokens, "") == nil && read(tokens, text + "A") == nil)
    #expect(read(tokens, String(text.dropLast())) == nil)
  }

  @Test("Apple refuses an FCM token as a bad one, and FCM a token of Apple's of an Android phone")
  func wrongService() throws {
    var sender = Sender { $0.kinds = ProviderKinds([(5, .apns), (5, .fcm)]) }
    #expect(sender.send(to: 7).reason == .badDeviceToken && sender.send(to: 4).push != nil)
    let hexadecimal = DeviceTokens(seed: 42).text(of: .init(PhoneID(rawValue: 7)))
    #expect(sender.send([":path": "/3/device/" + hexadecimal]).reason == .badDeviceToken)
    var server = try server()
    let answer = server.send(#"{"token":"\#(hexadecimal)"}"#)
    #expect(answer.status == 400)
    #expect(answer.body.contains("not a valid FCM registration token"))
  }

  @Test("each fault has FCM's status and code, and nothing of Apple's")
  func faults() throws {
    var server = try server()
    func check(_ answer: GatewayAnswer, _ status: Int, _ texts: String...) {
      #expect(answer.status == status && answer.push == nil, "\(answer.body)")
      for text in texts { #expect(answer.body.contains(text), "\(answer.body)") }
      #expect(!answer.body.contains("Apns") && !answer.body.contains("THIRD_PARTY"))
    }
    server.endpoint.unregister(PhoneID(rawValue: 8), at: 1)
    check(
      server.send(message(server, to: 8)), 404, #""errorCode":"UNREGISTERED""#,
      #""status":"NOT_FOUND""#)
    let old = message(server, to: 6)
    _ = server.endpoint.reinstall(PhoneID(rawValue: 6), at: 1)
    check(server.send(old), 404, "UNREGISTERED")
    #expect(server.send(message(server, to: 6)).status == 200)
    let elsewhere = DeviceTokens(seed: 42, kinds: server.endpoint.rules.kinds, project: "q")
    let foreign = elsewhere.text(of: .init(PhoneID(rawValue: 7)))
    check(server.send(#"{"token":"\#(foreign)"}"#), 403, #""errorCode":"SENDER_ID_MISMATCH""#)
    let unknown = server.endpoint.tokens.text(of: .init(PhoneID(rawValue: 7), installation: 2))
    check(server.send(#"{"token":"\#(unknown)"}"#), 400, "not a valid FCM registration token")
    server.endpoint = ProviderEndpoint(
      {
        var rules = server.endpoint.rules
        rules.busy = 1
        return rules
      }(), phones: 10)
    check(server.send(message(server)), 503, #""errorCode":"UNAVAILABLE""#)
  }

  @Test("restricted_package_name must be the app's package, on Android phones only")
  func package() throws {
    var server = try server()
    func block(_ package: String) -> String {
      #""android":{"restricted_package_name":"\#(package)"}"#
    }
    #expect(server.send(message(server, block(Sender.topic))).status == 200)
    let answer = server.send(message(server, block("org.example.other")))
    #expect(answer.status == 400)
    #expect(answer.body.contains(#""field":"message.android.restricted_package_name""#))
    #expect(server.send(message(server, block("org.example.other"), to: 4)).status == 200)
    var any = try self.server { $0.topics = [] }
    #expect(any.send(message(any, block("org.example.other"))).status == 200)
  }

  @Test("android.data replaces the message's, its notification adds: 4,096 bytes in all")
  func size() throws {
    var server = try server()
    func data(_ count: Int) -> String {
      #""data":{"key":"\#(String(repeating: "é", count: (count - 3) / 2))"}"#
    }
    func notification(_ name: String, _ count: Int) -> String {
      #""notification":{"\#(name)":"\#(String(repeating: "x", count: count - name.utf8.count))"}"#
    }
    for (members, status) in [
      ([data(4_095)], 200), ([data(4_097)], 400), ([#""android":{\#(data(4_097))}"#], 400),
      ([data(3_001), #""android":{\#(data(3_001))}"#], 200),
      ([data(3_001), #""android":{"data":{}}"#, notification("title", 1_096)], 400),
      ([data(3_001), notification("title", 1_095)], 200),
      ([notification("title", 2_048), #""android":{\#(notification("body", 2_048))}"#], 200),
      ([notification("title", 2_048), #""android":{\#(notification("body", 2_049))}"#], 400),
      ([notification("title", 4_000), #""android":{\#(notification("title", 100))}"#], 200),
    ] {
      let all = [#""token":"\#(server.token(7))""#] + members
      let answer = server.send("{" + all.joined(separator: ",") + "}")
      #expect(answer.status == status, "\(answer.body)")
      #expect(status == 200 || answer.body.contains("Android message is too big"))
    }
  }

  @Test("AFC10: beyond 240 messages a minute or 5,000 an hour to one phone the quota is exceeded")
  func quota() throws {
    var server = try server()
    server.now = 1_800_000_000_000 + 30_500
    for _ in 0..<240 { #expect(server.send(message(server)).status == 200) }
    server.now += 59_000
    let answer = server.send(message(server))
    #expect(answer.status == 429 && answer.asksToWait)
    #expect(answer.body.contains(#""errorCode":"QUOTA_EXCEEDED""#))
    #expect(server.endpoint.tally.faults.count(.burst) == 1)
    #expect(server.send(message(server, to: 8)).status == 200, "another phone")
    server.now += 1_000
    #expect(server.send(message(server)).status == 200, "the minute is over")
    var left = 5_000 - 241
    while left > 0 {
      server.now += 60_000
      for _ in 0..<min(left, 240) { #expect(server.send(message(server)).status == 200) }
      left -= 240
    }
    server.now += 60_000
    #expect(server.send(message(server)).status == 429)
    server.now = 1_800_003_600_000
    try server.signIn()
    #expect(server.send(message(server)).status == 200, "the hour is over")
    var none = try self.server { $0.perPhoneAndSecond = 0 }
    for _ in 0..<250 { #expect(none.send(message(none)).status == 200) }
  }

  @Test("a validated message is not sent, and its block is checked")
  func validated() throws {
    var server = try server()
    func ask(_ message: String) -> GatewayAnswer {
      server.ask(
        "/v1/projects/p/messages:send", #"{"validate_only":true,"message":\#(message)}"#)
    }
    let good = ask(message(server, #""android":{"priority":"HIGH"}"#))
    #expect(good.status == 200 && good.push == nil && server.endpoint.tally.requests == 0)
    #expect(ask(message(server, #""android":{"ttl":"-1s"}"#)).status == 400)
  }

  @Test("Home Assistant's notifications to an Android phone are data, urgent if they say so")
  func webhook() throws {
    var endpoint = try server().endpoint
    var webhook = WebhookEndpoint()
    let token = try #require(endpoint.token(of: PhoneID(rawValue: 7)))
    func post(_ members: String) -> GatewayAnswer {
      Array("POST".utf8).withUnsafeBytes { method in
        Array(#"{"push_token":"\#(token)",\#(members)}"#.utf8).withUnsafeBytes {
          webhook.answer(
            GatewayHead(method: method, path: nil, authorization: nil), body: $0,
            isTooLong: false, to: &endpoint, at: Sender.now)
        }
      }
    }
    let command = try #require(post(#""message":"request_location_update""#).push)
    #expect(command.type == .background && command.priority == 5 && command.asksToRun)
    let text = try #require(post(#""message":"Hello","data":{"priority":"high"}"#).push)
    #expect(text.type == .background && text.priority == 10 && text.asksToRun)
  }

  // MARK: random blocks

  /// A field of the android block with a value, and what the value means.
  private struct Choice: Sendable {
    var text: String
    var isValid = true
    var effect: @Sendable (inout AcceptedPush) -> Void = { _ in }
  }

  private static let choices: [[Choice]] =
    [
      [#""HIGH""#, #""high""#, "1"].map {
        Choice(text: #""priority":\#($0)"#) { $0.priority = 10 }
      } + [#""NORMAL""#, #""normal""#, "0", "null"].map { Choice(text: #""priority":\#($0)"#) }
        + [#""URGENT""#, #""""#, "2", "true", "{}"].map {
          Choice(text: #""priority":\#($0)"#, isValid: false)
        },
      [("0s", 0), ("0.999s", 0), ("1s", 1), ("3.5s", 3), ("2419200s", 2_419_200)].map {
        text, seconds in
        Choice(text: #""ttl":"\#(text)""#) {
          $0.expiration = seconds == 0 ? 0 : Sender.now / 1_000 + seconds
        }
      }
        + [#""2419200.5s""#, #""-1s""#, #""1""#, #""s""#, #""1 s""#, #""1e3s""#, "60", "[]"].map {
          Choice(text: #""ttl":\#($0)"#, isValid: false)
        },
      ["collapse_key", "collapseKey"].map {
        Choice(text: #""\#($0)":"k""#) { $0.collapses = true }
      } + [
        Choice(text: #""collapse_key":"""#), Choice(text: #""collapse_key":7"#, isValid: false),
      ],
      [
        Choice(text: #""notification":{"title":"a"}"#) {
          ($0.type, $0.asksToRun) = (.alert, false)
        },
        Choice(text: #""notification":null"#),
        Choice(text: #""notification":{"sticky":1}"#, isValid: false),
        Choice(text: #""notification":{"titel":"a"}"#, isValid: false),
      ],
      [
        Choice(text: #""data":{"a":"b"}"#), Choice(text: #""data":{"a":1}"#, isValid: false),
        Choice(text: #""data":{"google.a":"b"}"#, isValid: false),
      ],
      [
        Choice(text: #""restricted_package_name":"\#(Sender.topic)""#),
        Choice(text: #""restrictedPackageName":"org.example.other""#, isValid: false),
      ],
    ]
    + ["direct_boot_ok", "bandwidthConstrainedOk", "restricted_satellite_ok"].map { name in
      ["true", "false", #""true""#].map { Choice(text: #""\#(name)":\#($0)"#) }
        + ["1", #""yes""#].map { Choice(text: #""\#(name)":\#($0)"#, isValid: false) }
    }
    + [
      [
        Choice(text: #""fcm_options":{"analytics_label":"a"}"#),
        Choice(text: #""fcmOptions":{"label":"a"}"#, isValid: false),
      ],
      [Choice(text: #""prority":"HIGH""#, isValid: false)],
    ]

  @Test("of random blocks those with valid fields alone become the push that they describe")
  func random() throws {
    var server = try server { $0.perPhoneAndSecond = 0 }
    var draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 900), 0)
    var accepted = 0
    for number in 0..<4_000 {
      let fields = Self.choices.filter { _ in draw.chance(0.3) }.map { choices in
        choices[Int(draw.next() % UInt64(choices.count))]
      }
      let block = #""android":{\#(fields.map(\.text).joined(separator: ","))}"#
      let answer = server.send(message(server, block))
      guard fields.allSatisfy(\.isValid) else {
        #expect(answer.status == 400 && answer.push == nil, "\(number): \(block)")
        #expect(answer.body.contains(#""errorCode":"INVALID_ARGUMENT""#))
        #expect(answer.body.contains(#""field":"message.android"#), "\(answer.body)")
        continue
      }
      accepted += 1
      var push = AcceptedPush(
        phone: PhoneID(rawValue: 7), number: UInt32(accepted), type: .background, priority: 5,
        expiration: Sender.now / 1_000 + 2_419_200, asksToRun: true, isWithheld: false)
      for field in fields { field.effect(&push) }
      #expect(answer.push == push, "\(number): \(block)")
    }
    #expect((400...2_400).contains(accepted), "both happen")
  }
}
