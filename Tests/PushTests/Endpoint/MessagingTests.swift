import Core
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import Push

@Suite("Firebase Cloud Messaging in front of a push provider", .quick)
struct MessagingTests {
  @Test("an account's assertion gives a token for an hour, which survives a restart")
  func access() throws {
    var server = Server()
    #expect(server.send("{}").status == 401)
    try server.signIn()
    let good = server.message(#"{"apns-push-type":"background","apns-priority":"5"}"#)
    #expect(server.send(good).status == 200)
    var restarted = Server()
    restarted.access = server.access
    #expect(restarted.send(good).status == 200)
    restarted.now += 3_600_000
    #expect(restarted.send(good).status == 401)
    restarted.access = server.access.replacingOccurrences(of: "flotilla-0", with: "flotilla-1")
    #expect(restarted.send(good).status == 401)
    #expect(server.messaging.tally.tokens == 1)
  }

  @Test("an invalid assertion is refused as in OAuth 2")
  func assertions() {
    var server = Server()
    let refused: [(String, String)] = [
      (server.assertion(mark: 8), "Invalid JWT Signature"),
      (server.assertion(["iss": "b@p.example"]), "account not found"),
      (server.assertion(kid: "k2"), "account not found"),
      (server.assertion(["aud": "https://elsewhere.example/x"]), "audience"),
      (server.assertion(["exp": server.now / 1_000]), "60 minutes at most"),
      (server.assertion(["exp": server.now / 1_000 + 9_000]), "60 minutes at most"),
      (server.assertion(["iat": server.now / 1_000 + 900]), "60 minutes at most"),
      (server.assertion(["scope": "https://www.googleapis.com/auth/drive"]), "scope"),
      ("a.b", "not a JWT"),
    ]
    for (assertion, text) in refused {
      let answer = server.grant(assertion)
      #expect(answer.status == 400 && answer.body.contains(text), "\(answer.body)")
    }
    #expect(server.ask("/token", "grant_type=password").body.contains("unsupported_grant_type"))
    #expect(server.messaging.tally.tokensRefused == refused.count + 1)
  }

  @Test("the apns block becomes the provider's request, and the rest is mapped as by FCM")
  func block() throws {
    var server = Server()
    try server.signIn()
    let push = try #require(
      server.send(
        server.message(
          #"{"apns-push-type":"background","apns-priority":"1","apns-expiration":"1800003600"}"#)
      ).push)
    #expect(push.phone.rawValue == 3 && push.type == .background && push.priority == 1)
    #expect(push.expiration == 1_800_003_600 && push.asksToRun)
    let alert = server.send(
      #"{"token":"\#(server.token())","notification":{"title":"a","body":"b"}}"#)
    #expect(alert.push?.type == .alert && alert.push?.priority == 10)
    let data = server.send(#"{"token":"\#(server.token())","data":{"a":"b"}}"#)
    #expect(data.push?.type == .background && data.push?.priority == 5)
    #expect(data.body.contains(#""name":"projects/p/messages/"#))
    let location = server.send(
      server.message(#"{"apns-push-type":"location","apns-priority":"5"}"#))
    #expect(location.push?.type == .location)
    #expect(server.messaging.tally.accepted == 4 && server.endpoint.tally.accepted == 4)
  }

  @Test("each fault has FCM's status and code, and the provider's reason")
  func faults() throws {
    var server = Server { $0.perPhoneAndSecond = 1 }
    try server.signIn()
    server.endpoint.unregister(PhoneID(rawValue: 5), at: 1)
    func check(
      _ answer: GatewayAnswer, _ status: Int, _ texts: [String],
      _ place: SourceLocation = #_sourceLocation
    ) {
      #expect(answer.status == status, "\(answer.body)", sourceLocation: place)
      for text in texts {
        #expect(answer.body.contains(text), "\(answer.body)", sourceLocation: place)
      }
    }
    let argument = #""errorCode":"INVALID_ARGUMENT""#
    check(
      server.send(server.message(#"{"apns-push-type":"background","apns-priority":"10"}"#)), 400,
      [argument, "ApnsError", #""reason":"BadPriority""#, #""statusCode":400"#])
    let large = #"{"aps":{},"a":"\#(String(repeating: "b", count: 5_000))"}"#
    check(server.send(server.message("{}", large)), 400, [argument, "PayloadTooLarge"])
    check(
      server.send(#"{"token":"odd"}"#), 400, [argument, "not a valid FCM registration token"])
    check(
      server.send(#"{"token":"\#(server.token(5))"}"#), 404,
      [#""errorCode":"UNREGISTERED""#, #""status":"NOT_FOUND""#])
    check(
      server.send(server.message(#"{"apns-topic":"org.example.other"}"#)), 403,
      ["SENDER_ID_MISMATCH"])
    check(
      server.send(server.message(#"{"apns-topic":"org.example.nobody"}"#)), 401,
      ["THIRD_PARTY_AUTH_ERROR", "TopicDisallowed"])
    check(server.send(#"{"topic":"all"}"#), 400, [argument, #""field":"message.topic""#])
    check(
      server.send(#"{"token":"a","data":{"a":1}}"#), 400, ["message.data[0].value"])
    check(server.send(#"{"token":"a","data":{"from":"b"}}"#), 400, ["Invalid data payload key"])
    check(server.send(#"{"token":"a","apns":{"headers":{"a":1}}}"#), 400, ["apns.headers"])
    check(server.ask("/v1/projects/p/messages:send", "{"), 400, ["Invalid JSON"])
    check(server.send("{}", project: "q"), 403, [#""status":"PERMISSION_DENIED""#])
    check(server.ask("/v1/projects/p/messages", "{}"), 404, [#""status":"NOT_FOUND""#])
    let good = server.message(#"{"apns-push-type":"background"}"#)
    check(server.send(good), 200, [])
    let second = server.send(good)
    check(second, 429, ["QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED"])
    #expect(second.asksToWait && server.messaging.tally.refused(.quotaExceeded) == 1)
  }

  static let fields: [(String, String, String)] = [
    (
      #""priority":"high""#, "message", #"Unknown name "priority" at 'message': Cannot find field."#
    ),
    (#""apns":{"header":{}}"#, "message.apns", #"Unknown name "header" at 'message.apns'"#),
    (#""android":{"data":{"a":"b","n":1}}"#, "message.android.data[1].value", "(TYPE_STRING), 1"),
    (#""android":{"priority":"urgent"}"#, "message.android.priority", "AndroidMessagePriority"),
    (#""android":{"ttl":3600}"#, "message.android.ttl", "google.protobuf.Duration), 3600"),
    (#""android":{"ttl":"3600"}"#, "message.android.ttl", "google.protobuf.Duration"),
    (#""android":{"ttl":"2419201s"}"#, "message.android.ttl", "at most 2419200s"),
    (#""android":{"collapse_key":7}"#, "message.android.collapse_key", "(TYPE_STRING), 7"),
    (#""android":{"direct_boot_ok":1}"#, "message.android.direct_boot_ok", "(TYPE_BOOL), 1"),
    (#""android":{"data":{"from":"x"}}"#, "message.android.data", "Invalid data payload key"),
    (
      #""android":{"notification":{"notification_count":1.5}}"#,
      "message.android.notification.notification_count", "(TYPE_INT32), 1.5"
    ),
    (#""apns":{"payload":"x"}"#, "message.apns.payload", "google.protobuf.Struct"),
    (#""notification":{"title":1}"#, "message.notification.title", "(TYPE_STRING), 1"),
    (#""data":{"a":true}"#, "message.data[0].value", "(TYPE_STRING), true"),
    (#""webpush":[]"#, "message.webpush", "Invalid value at 'message.webpush'"),
  ]

  @Test(
    "a field unknown to FCM, or of another type, is refused as by FCM",
    arguments: fields, [ProviderKind.apns, .fcm])
  func unknownField(_ wrong: (member: String, field: String, text: String), kind: ProviderKind)
    throws
  {
    let (member, field, text) = wrong
    var server = Server { $0.kinds = ProviderKinds([(10, kind)]) }
    try server.signIn()
    let answer = server.send(#"{"token":"\#(server.token())",\#(member)}"#)
    #expect(answer.status == 400 && answer.push == nil)
    let content = try JSONSerialization.jsonObject(with: Data(answer.body.utf8))
    let error = try #require((content as? [String: Any])?["error"] as? [String: Any])
    let message = try #require(error["message"] as? String)
    #expect(message.contains(text), "\(message)")
    let details = try #require(error["details"] as? [[String: Any]])
    let violations = details.compactMap { $0["fieldViolations"] as? [[String: String]] }
    #expect(violations.first?.first?["field"] == field)
    #expect(server.messaging.tally.examples[.invalidArgument] == message)
  }

  @Test(
    "valid FCM input is accepted: both ways to write a name, null, and each of Android's fields")
  func knownFields() throws {
    var server = Server { $0.perPhoneAndSecond = 0 }
    try server.signIn()
    for member in [
      #""android":{"collapseKey":"a","ttl":"3.5s","priority":"high","directBootOk":true}"#,
      #""android":{"priority":"NORMAL","notification":{"body_loc_args":["a"],"sticky":"true"}}"#,
      #""android":null,"data":null,"apns":{"headers":null,"payload":{"a":null}}"#,
      #""fcm_options":{"analytics_label":"a"},"name":"n","webpush":{"notification":{"x":1}}"#,
      #""android":{"notification":{"light_settings":{"color":{"red":1},"lightOnDuration":"1s"}}}"#,
    ] {
      let answer = server.send(#"{"token":"\#(server.token())",\#(member)}"#)
      #expect(answer.status == 200, "\(answer.body)")
    }
    let wrong = server.ask("/v1/projects/p/messages:send", #"{"message":{},"dry_run":true}"#)
    #expect(wrong.status == 400 && wrong.body.contains("Unknown name"))
  }

  @Test("refusals of access tokens are counted by reason")
  func refusedTokens() {
    var server = Server()
    _ = server.grant(server.assertion(mark: 8))
    _ = server.grant(server.assertion(mark: 8))
    _ = server.grant("a.b")
    #expect(
      server.messaging.tally.tokenFaults == [
        "invalid_grant: Invalid JWT Signature.": 2, "invalid_grant: The assertion is not a JWT.": 1,
      ])
  }

  @Test("a project's minute and a busy provider are named, and a validated message is not sent")
  func moods() throws {
    var server = Server(perMinute: 2)
    try server.signIn()
    let good = server.message(#"{"apns-push-type":"background"}"#)
    let validated = server.ask(
      "/v1/projects/p/messages:send", #"{"validate_only":true,"message":\#(good)}"#)
    #expect(validated.status == 200 && validated.push == nil)
    #expect(server.send(good).push != nil)
    #expect(server.send(good).status == 429)
    server.now += 60_000
    #expect(server.send(good).status == 200)
    var busy = Server { $0.busy = 1 }
    try busy.signIn()
    let answer = busy.send(good)
    #expect(answer.status == 503 && answer.asksToWait)
    #expect(answer.body.contains(#""status":"UNAVAILABLE""#))
  }
}

@Suite("Home Assistant's notifications in front of a push provider", .quick)
struct WebhookTests {
  private func post(
    _ webhook: inout WebhookEndpoint, _ endpoint: inout ProviderEndpoint, _ body: String,
    at now: Int64 = Sender.now
  ) -> GatewayAnswer {
    let method = Array("POST".utf8)
    return method.withUnsafeBytes { method in
      Array(body.utf8).withUnsafeBytes {
        webhook.answer(
          GatewayHead(method: method, path: nil, authorization: nil), body: $0, isTooLong: false,
          to: &endpoint, at: now)
      }
    }
  }

  @Test("commands are background pushes, visible messages alerts; a day has a limit")
  func day() throws {
    var endpoint = ProviderEndpoint(
      EndpointRules(topics: [Sender.topic], keys: .any), phones: 10)
    var webhook = WebhookEndpoint(perDay: 2)
    let token = try #require(endpoint.token(of: PhoneID(rawValue: 3)))
    func body(_ message: String) -> String {
      #"{"message":"\#(message)","push_token":"\#(token)","registration_info":{}}"#
    }
    let first = post(&webhook, &endpoint, body("request_location_update"))
    #expect(first.status == 201 && first.push?.type == .background && first.push?.priority == 5)
    #expect(first.push?.asksToRun == true && first.body.contains(#""remaining":1"#))
    let second = post(&webhook, &endpoint, body("Hello"))
    #expect(second.push?.type == .alert && second.push?.asksToRun == false)
    let third = post(&webhook, &endpoint, body("Hello"))
    #expect(third.status == 429 && third.push == nil && third.asksToWait)
    #expect(third.body.contains(#""successful":2"#))
    // 1,800,000,000 s is in the morning of 15 January 2027.
    #expect(third.body.contains(#""resetsAt":"2027-01-16T00:00:00Z""#), "\(third.body)")
    #expect(post(&webhook, &endpoint, body("Hello"), at: Sender.now + 86_400_000).status == 201)
    endpoint.unregister(PhoneID(rawValue: 3), at: 1)
    let gone = post(&webhook, &endpoint, body("Hello"), at: Sender.now + 86_401_000)
    #expect(gone.status == 500 && gone.body.contains("Unregistered"))
    #expect(webhook.tally == .init(accepted: 3, limited: 1, refused: 1))
  }

  @Test("an invalid notification is refused in JSON", arguments: ["", "[]", "{}", "null"])
  func wrong(body: String) {
    var endpoint = ProviderEndpoint(
      EndpointRules(topics: [Sender.topic], keys: .any), phones: 1)
    var webhook = WebhookEndpoint()
    let answer = post(&webhook, &endpoint, body)
    #expect([400, 403].contains(answer.status) && answer.body.contains("errorMessage"))
  }
}
