import Capacity
import Measure
@testable import Scenarios
import Targets
import Testing

@testable import Coordinator

@Suite("The demand of a fleet on a target", .timeLimit(.minutes(5)))
struct RequestMeterTests {
  private static func demand(
    fixes: Int, _ more: String = "", url: String = "http://127.0.0.1:8080/base", lived: Int = 200
  ) throws -> (plain: DemandRun.Outcome, target: TargetDemand) {
    let text = """
      name: acme
      description: A test's.
      client: { name: Acme, version: "1", source: "made up" }
      protocol: http
      url: \(url)
      identity: { id: "a" }
      upload: { path: /fixes, fixes: \(fixes), message: { id: $id } }
      answer: [ { when: { status: 200 }, is: stored } ]
      \(more)
      """
    let target = try TargetReader.read(text: text, from: "acme.yaml")
    var plan = RunPlan.twoHours()
    plan.link = SingleProcess()
    let run = DemandRun(plan, lived: lived, requests: try RequestMeter(target, plan))
    let outcome = try #require(run.run(progress: { _ in }, shouldStop: { false }))
    return (outcome, try #require(outcome.target))
  }

  /// Two hours but for the ramp of five minutes.
  private static let seconds = 6_900.0

  private static func isNear(_ found: Double, _ wanted: Double) -> Bool {
    wanted > 0 && abs(found / wanted - 1) < 0.02
  }

  @Test("a request a batch, a request a fix, and every request with its head as it is written")
  func requests() throws {
    let batches = try Self.demand(fixes: 5_000)
    let plain = batches.plain.demand
    // What is on its way at the begin or the end is counted by one of them.
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

  @Test("a sample stands for all phones")
  func scaled() throws {
    let whole = try Self.demand(fixes: 5_000)
    let sample = try Self.demand(fixes: 5_000, lived: 100)
    #expect(sample.plain.demand.scale == 2)
    #expect(
      Self.isNear(
        sample.target.requests.mean * Self.seconds, Double(sample.plain.demand.curve.batches)))
    #expect(abs(sample.target.requests.mean / whole.target.requests.mean - 1) < 0.3)
  }

  @Test("connections and handshakes are as its app makes them")
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
}
