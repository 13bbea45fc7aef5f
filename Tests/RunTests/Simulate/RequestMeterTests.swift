import Capacity
import Core
import Figures
import Foundation
import TestSupport
import Testing

@testable import Run
@testable import Scenarios
@testable import Uploads
@testable import Targets
@testable import RunSupport

@Suite("The demand of a fleet on a target", .quick)
struct RequestMeterTests {
  private static func demand(
    fixes: Int, _ more: String = "", url: String = "http://127.0.0.1:8080/base", lived: Int = 200
  ) throws -> (plain: DemandRun.Outcome, target: TargetDemand) {
    let points = fixes > 1 ? ", points: { each: fix, n: 0 }" : ""
    return try demand(
      """
      name: acme
      description: A test's.
      client: { name: Acme, version: "1", source: "made up" }
      protocol: http
      url: \(url)
      identity: { id: "a" }
      upload: { path: /fixes, fixes: \(fixes), message: { id: $id\(points) } }
      answer: [ { when: { status: 200 }, is: stored } ]
      \(more)
      """, lived: lived)
  }

  private static func demand(
    _ text: String, from path: String = "acme.yaml", lived: Int = 200,
    _ change: (inout Scenario) -> Void = { _ in }
  ) throws -> (plain: DemandRun.Outcome, target: TargetDemand) {
    let target = try TargetReader.read(text: text, from: path)
    let plan = RunPlan.twoHours(change)
    let run = DemandRun(plan, lived: lived, requests: try RequestMeter(target, plan.scenario))
    let outcome = try #require(run.run(progress: { _ in }, shouldStop: { false }))
    return (outcome, try #require(outcome.target))
  }

  /// Two hours except the ramp of five minutes.
  private static let seconds = 6_900.0

  private static func isNear(_ found: Double, _ wanted: Double) -> Bool {
    wanted > 0 && abs(found / wanted - 1) < 0.02
  }

  @Test("identities and secrets of files count with their length, and not as masks")
  func identities() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "m-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func bytes(_ length: Int) throws -> Double {
      let id = String(repeating: "x", count: length)
      try Data("id\n\(id)\n\(id)\n".utf8).write(to: folder.appending(path: "ids.csv"))
      try Data(id.utf8).write(to: folder.appending(path: "token"))
      return try Self.demand(
        """
        name: acme
        description: A test's.
        client: { name: Acme, version: "1", source: "made up" }
        protocol: http
        url: http://127.0.0.1:8080
        identity: { id: { csv: ids.csv, column: id }, token: { file: token } }
        upload: { path: /, headers: { A: "{token}" }, message: { id: $id } }
        answer: [ { when: { status: 200 }, is: stored } ]
        """, from: folder.appending(path: "acme.yaml").path
      ).target.bytesPerRequest
    }
    // Both are in it, and three more digits in Content-Length.
    #expect(abs(try bytes(1_000) - bytes(100) - 1_801) <= 2)
  }

  @Test("a request a batch, a request a fix, and every request with its actual head")
  func requests() throws {
    let batches = try Self.demand(fixes: 5_000)
    let plain = batches.plain.demand
    // A batch in flight at the begin or the end is counted by one of them.
    let count = Double(plain.curve.batches)
    #expect(Self.isNear(batches.target.requests.mean * Self.seconds, count))
    let each = try Self.demand(fixes: 1)
    #expect(Self.isNear(each.target.requests.mean * Self.seconds, count * plain.fixesPerBatch))
    let request =
      "POST /base/fixes HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: */*\r\n"
      + "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{\"id\":\"a\"}"
    #expect(abs(each.target.bytesPerRequest - Double(request.utf8.count)) < 1e-6)
    #expect(
      Self.isNear(each.target.bytes.mean, each.target.requests.mean * each.target.bytesPerRequest))
    #expect(each.target.requests.busiestMinute >= each.target.requests.mean)
  }

  @Test("messages to viewers are a curve, whose sum is the rate of the target's demand")
  func messages() throws {
    func demand(_ view: String, lived: Int = 200) throws -> (ViewDemand?, TargetDemand.Rates?) {
      let (plain, target) = try Self.demand(
        """
        name: acme
        description: A test's.
        client: { name: Acme, version: "1", source: "made up" }
        protocol: mqtt
        url: mqtt://127.0.0.1
        identity: { id: "a{phone}" }
        upload: { topic: "t/{id}", fixes: newest, message: { id: $id } }
        answer: [ { when: { status: 0 }, is: stored } ]
        \(view)
        """, lived: lived
      ) {
        $0.viewers = ViewerSettings()
        $0.viewers?.share = 1
        $0.viewers?.sees = nil
        $0.fleet.phone.sessionsPerDay = 500
      }
      return (plain.demand.views, target.views)
    }
    let view = #"view: { topic: "t/{id}", time: /t, latitude: /a, longitude: /o }"#
    let (found, rates) = try demand(view)
    let (views, rate) = (try #require(found), try #require(rates))
    #expect(views.areMessages && views.total > 1_000)
    #expect(Self.isNear(rate.mean * Self.seconds, views.total))
    #expect(Self.isNear(rate.busiestMinute, views.peakMinute))
    let sample = try #require(try demand(view, lived: 100).0)
    #expect(abs(sample.total / views.total - 1) < 0.3, "all viewers get the messages of all phones")
    let none = try demand("")
    #expect(none.0 == nil && none.1 == nil)
  }

  @Test("a sample represents all phones")
  func scaled() throws {
    let whole = try Self.demand(fixes: 5_000)
    let sample = try Self.demand(fixes: 5_000, lived: 100)
    #expect(sample.plain.demand.scale == 2)
    #expect(
      Self.isNear(
        sample.target.requests.mean * Self.seconds, Double(sample.plain.demand.curve.batches)))
    #expect(abs(sample.target.requests.mean / whole.target.requests.mean - 1) < 0.3)
  }

  @Test("connections and handshakes are those of its app")
  func connections() throws {
    func per(_ mode: String, _ url: String = "https://127.0.0.1") throws -> TargetDemand {
      try Self.demand(
        fixes: 5_000, "connections: { \(mode) }\ntls: { resume: 75% }", url: url
      ).target
    }
    let each = try per("per: upload")
    #expect(each.connections == each.requests)
    let again = each.handshakesResumed.mean
    #expect(abs(each.handshakesFull.mean + again - each.connections.mean) < 1e-9)
    // All but the first of a phone could resume, and three in four do.
    let phone = try per("per: phone, keepalive: 1d")
    #expect(abs(again - 0.75 * (each.connections.mean - phone.connections.mean)) < 1e-9)
    #expect(phone.handshakesFull == phone.connections && phone.handshakesResumed.mean == 0)
    #expect(phone.connections.mean * Self.seconds <= 200)
    let clear = try per("per: upload", "http://127.0.0.1")
    #expect(clear.handshakesFull.mean == 0 && clear.handshakesResumed.mean == 0)
  }

  @Test("over MQTT a message is counted with its head, and a connection with its first packets")
  func overMQTT() throws {
    let demand = try Self.demand(
      """
      name: acme
      description: A test's.
      client: { name: Acme, version: "1", source: "made up" }
      protocol: mqtt
      url: mqtt://127.0.0.1
      identity: { id: "a" }
      connections: { per: phone, keepalive: 1d }
      mqtt: { client: a, clean: yes }
      upload: { topic: t/a, qos: 2, message: { id: $id } }
      answer: [ { when: { status: 0 }, is: stored } ]
      """
    ).target
    // PUBLISH: head, topic, number, body; PUBREL; CONNECT, once a phone.
    let bytes = demand.requests.mean * (2 + 5 + 2 + 10 + 4) + demand.connections.mean * 15
    #expect(abs(demand.bytes.mean / bytes - 1) < 1e-9)
    #expect(demand.connections.mean * Self.seconds <= 200)
  }

  @Test("over gRPC later requests are smaller than the first of a connection", .needs(.protoc))
  func overGRPC() throws {
    let targets = Machine.root.appendingPathComponent("scenarios/targets")
    let path = targets.appendingPathComponent("grpc-example.yaml").path
    let text = try String(contentsOfFile: path, encoding: .utf8)
    func per(_ mode: String) throws -> TargetDemand {
      let line = "connections: { per: phone }"
      return try Self.demand(
        text.replacing(line, with: "connections: { per: \(mode) }"), from: path
      ).target
    }
    let (kept, fresh) = (try per("phone, keepalive: 1d"), try per("upload"))
    #expect(kept.requests == fresh.requests && kept.registrations == fresh.registrations)
    // The first frames of a connection, and header fields that it does not have yet.
    let more = fresh.bytesPerRequest - kept.bytesPerRequest
    #expect(more > 100 && more < 400, "\(more)")
    let asking = text.replacing("{ proto: grpc-example.proto }", with: "{ reflection: yes }")
    let error = #expect(throws: TargetError.self) { try Self.demand(asking, from: path) }
    #expect(error?.description.contains("command sends nothing; write schema") == true)
  }

  @Test("a phone registers once, or whenever its app was launched")
  func registrations() throws {
    func once(_ occasion: String) throws -> TargetDemand {
      try Self.demand(
        fixes: 5_000,
        """
        connections: { per: phone, keepalive: 1d }
        register:
          once: \(occasion)
          path: /devices
          message: { id: $id }
          answer: [ { when: { status: 201 }, is: stored } ]
        """
      ).target
    }
    let phone = try once("phone")
    #expect(phone.registrations.mean * Self.seconds <= 200.5)
    #expect(phone.registrations.mean >= phone.connections.mean - 1e-9)
    let launch = try once("launch")
    #expect(launch.registrations.mean > phone.registrations.mean)
    #expect(launch.registrations.mean <= launch.requests.mean)
    #expect(launch.requests == phone.requests)
  }

  @Test("each attempt to send an event is a request to a target that takes events")
  func events() throws {
    func demand(_ more: String) throws -> (plain: DemandRun.Outcome, target: TargetDemand) {
      try Self.demand(
        """
        name: acme
        description: A test's.
        client: { name: Acme, version: "1", source: "made up" }
        protocol: http
        url: http://127.0.0.1:8080
        identity: { id: "a" }
        upload: { path: /fixes, fixes: newest, message: { id: $id } }
        answer: [ { when: { status: 200 }, is: stored } ]
        connections: { per: upload }
        \(more)
        """
      ) {
        $0.phases.ramp = .zero
        $0.policies[0].settings.events.kinds = [.motion, .opened]
      }
    }
    let (plain, target) = try demand("events: { path: /events, message: { at: $time.s } }")
    let sent = try #require(target.events).mean * 7_200
    let (record, ledger) = (plain.run.record, try #require(plain.run.record.ledger.events))
    let figures = try #require(record.events)
    let attempts = ledger.acknowledged + figures.failed + figures.unanswered
    #expect(attempts > 100 && abs(sent - Double(attempts)) <= 3, "\(sent) of \(attempts)")
    let none = try demand("").target
    #expect(none.events == nil && none.requests == target.requests)
    #expect(target.bytes.mean > none.bytes.mean)
    let more = (target.connections.mean - none.connections.mean) * 7_200
    #expect(abs(more - sent) < 0.5, "\(more) connections")
    #expect(target.lines.joined().contains(" events"))
  }
}
