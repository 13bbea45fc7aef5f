internal import Core
internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Keys of a run", .quick)
struct RunKeysTests {
  private static func set(_ settings: String...) throws -> RunSettings {
    try read(smallest, settings: settings).run
  }

  @Test("each key is read")
  func values() throws {
    let run = try Self.set(
      "run.startAt=2026-03-02T08:05:00Z", "run.cache=/c", "run.capture=/f", "run.proof=false",
      "run.withParent=true", "run.via=[::1]:7071", "run.carrier=grpc", "run.dictionary=/d",
      "encoding=columns", "run.tokenFile=/t", "run.twin=true", "run.webToken=0123456789-._~Ab")
    #expect(run.startAt?.timeIntervalSince1970 == 1_772_438_700)
    #expect([run.cache, run.capture, run.dictionary, run.tokenFile] == ["/c", "/f", "/d", "/t"])
    #expect(!run.readsStore && run.endsWithParent && run.carrier == .grpc)
    #expect(run.hasTwin && run.webToken == "0123456789-._~Ab")
    #expect(run.via == Endpoint(host: "::1", port: 7_071))
    #expect(try Self.set("run.cache=off").cache == "off")
    let other = try Self.set("run.state=/s", "run.threads=3", "run.rateLimit=30000/min")
    #expect(other.state == "/s" && other.threads == 3 && other.rateLimit?.perSecond == 500)
  }

  @Test("a key of TLS, or an empty map, turns it on")
  func security() throws {
    #expect(try Self.set().tls == nil)
    #expect(try Self.set("tls={}").tls == TLSKeys())
    let tls = try Self.set("tls.ca=/a", "tls.certificate=/c", "tls.key=/k", "tls.resume=80%").tls
    #expect([tls?.authorities, tls?.certificate, tls?.key] == ["/a", "/c", "/k"])
    #expect(tls?.resumedShare == 0.8)
  }

  @Test("each key of the push endpoint is read")
  func pushEndpoint() throws {
    let push = try Self.set(
      "pushEndpoint.listen=127.0.0.1:2197", "pushEndpoint.auth=T:K:/a.p8:sandbox,/b.p8",
      "pushEndpoint.topic=org.example.app", "pushEndpoint.tokens=/t", "pushEndpoint.ca=/c",
      "pushEndpoint.fcmAccount=/f", "pushEndpoint.webhook=true", "pushEndpoint.withhold=5%",
      "pushEndpoint.alone=true"
    ).pushEndpoint
    #expect(push.listen == Endpoint(host: "127.0.0.1", port: 2_197))
    #expect(push.auth == "T:K:/a.p8:sandbox,/b.p8" && push.topic == "org.example.app")
    #expect([push.tokensOut, push.authorityOut, push.accountOut] == ["/t", "/c", "/f"])
    #expect(push.hasWebhook && push.isNotCompared && push.withhold == 0.05)
    #expect(try Self.set("pushEndpoint.clear=true").pushEndpoint.isInTheClear)
    #expect(try Self.set("pushEndpoint.auth=any").pushEndpoint == PushEndpointKeys())
  }

  @Test("each key of metrics is read, and no record has the URL's password")
  func metrics() throws {
    let run = try Self.set(
      "metrics.listen=[::1]:9100", "metrics.otlp=http://a:b@h:4318", "metrics.remoteWrite=http://h",
      "run.state=/s", "run.threads=3", "run.rateLimit=5/s", "run.webToken=0123456789abcdef")
    #expect(run.metrics.listen == Endpoint(host: "::1", port: 9_100))
    #expect([run.metrics.otlp, run.metrics.remoteWrite] == ["http://a:b@h:4318", "http://h"])
    #expect(run.recorded == RunSettings())
  }

  @Test(
    "a wrong value is one line with its place",
    arguments: [
      ("run: { startAt: noon }", "7: run.startAt: 'noon' is not a date and time"),
      ("run: { cache: [] }", "7: run.cache: there is a list; write a folder, standard or off."),
      ("run: { capture: {} }", "7: run.capture: there is a map; write the path of a file"),
      ("run: { proof: maybe }", "7: run.proof: 'maybe' is unknown; write one of true, false."),
      ("run: { withParent: 1 }", "7: run.withParent: '1' is unknown"),
      ("run: { via: nowhere }", "7: run.via: 'nowhere' is not an address; write HOST:PORT"),
      ("run: { carrier: pigeon }", "7: run.carrier: 'pigeon' is unknown; write one of flotilla"),
      ("run: { dictionary: [a] }", "7: run.dictionary: there is a list"),
      ("run: { dictionary: a }", "7: 'run.dictionary' needs columns, but 'encoding' is 'packed'"),
      ("run: { tokenFile: [a] }", "7: run.tokenFile: there is a list"),
      ("run: { twin: 2 }", "7: run.twin: '2' is unknown"),
      ("run: { webToken: short }", "7: run.webToken: this is no such token; write 16 to 128"),
      ("run: { webToken: '0123456789abcdef;' }", "7: run.webToken: this is no such token"),
      ("run: { state: [] }", "7: run.state: there is a list; write a folder"),
      ("run: { threads: -1 }", "7: run.threads: -1 is out of range; write a whole number"),
      ("run: { rateLimit: many }", "7: run.rateLimit: 'many'"),
      ("run: { token: a }", "7: unknown key 'token' in run"),
      ("tls: true", "7: tls: there is 'true'; write a map with ca, certificate, key, resume."),
      ("tls: { ca: [] }", "7: tls.ca: there is a list"),
      ("tls: { certificate: a }", "7: tls: 'certificate' and 'key' need each other; write both."),
      ("tls: { key: a }", "7: tls: 'certificate' and 'key' need each other; write both."),
      ("tls: { resume: 120% }", "7: tls.resume: '120%' is out of range"),
      ("pushEndpoint: { listen: here }", "7: pushEndpoint.listen: 'here' is not an address"),
      ("pushEndpoint: { auth: 'T:K' }", "7: pushEndpoint.auth: 'T:K' is not a key; write any, or"),
      ("pushEndpoint: { topic: [] }", "7: pushEndpoint.topic: there is a list; write a topic"),
      ("pushEndpoint: { tokens: [] }", "7: pushEndpoint.tokens: there is a list"),
      ("pushEndpoint: { ca: a, clear: true }", "7: pushEndpoint: 'ca' has no effect with 'clear'"),
      ("pushEndpoint: { ca: [] }", "7: pushEndpoint.ca: there is a list"),
      ("pushEndpoint: { clear: 2 }", "7: pushEndpoint.clear: '2' is unknown"),
      ("pushEndpoint: { fcmAccount: {} }", "7: pushEndpoint.fcmAccount: there is a map"),
      ("pushEndpoint: { webhook: x }", "7: pushEndpoint.webhook: 'x' is unknown"),
      ("pushEndpoint: { withhold: -1% }", "7: pushEndpoint.withhold: '-1%' is out of range"),
      ("pushEndpoint: { alone: x }", "7: pushEndpoint.alone: 'x' is unknown"),
      ("metrics: { listen: here }", "7: metrics.listen: 'here' is not an address"),
      ("metrics: { otlp: [] }", "7: metrics.otlp: there is a list; write a URL"),
      ("metrics: { remoteWrite: {} }", "7: metrics.remoteWrite: there is a map; write a URL"),
    ])
  func mistakes(line: String, message: String) throws {
    let found = diagnostics(in: smallest.trimmingCharacters(in: .newlines) + "\n" + line)
    #expect(found.count == 1)
    let text = try #require(found.first)
    let parts = text.split(separator: ":", maxSplits: 3).map(String.init)
    #expect(parts[0] == "test.yaml" && Int(parts[2]) != nil)
    #expect("\(parts[1]):\(parts[3])".hasPrefix(message), "\(text)")
  }

  @Test("a path is relative to its file, on the command line to the working directory")
  func paths() throws {
    let here = FileManager.default.currentDirectoryPath
    #expect(try Self.set("run.capture=a/f").capture == "\(here)/a/f")
    #expect(try Self.set("pushEndpoint.auth=T:K:a.p8").pushEndpoint.auth == "T:K:\(here)/a.p8")
    var parser = YAMLParser("run: { tokenFile: t }\n") { .file("/x/y.yaml", line: $0, column: $1) }
    let node = try #require(try parser.document()?.value(of: "run")?.value(of: "tokenFile"))
    var reading = Reading()
    #expect(Shape<String>.path().read(node, &reading) == "/x/t")
  }

  @Test("they are not part of a scenario's hash, and read back")
  func identity() throws {
    let plain = try read(smallest)
    let settings = [
      "run.cache=off", "run.startAt=2026-03-02T08:05:00Z", "run.via=[::1]:7071", "tls={}",
      "tls.ca=ca.pem", "pushEndpoint.auth=/a.p8", "run.threads=2", "run.rateLimit=0.5/s",
      "metrics.otlp=http://a:b@h:4318/x?y=1",
    ]
    let other = try read(smallest, settings: settings)
    #expect(other.hash == plain.hash && other.text != plain.text)
    for key in RunSchema.names { #expect(!plain.text.contains("\n\(key):")) }
    #expect(try read(other.text).run == other.run)
    #expect(try read(other.text) == other)
  }
}
