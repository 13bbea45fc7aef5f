import Core
import Foundation
import TestSupport
import Testing
import Transport

@testable import Targets
@testable import Uploads

@Suite("Protobuf answers over HTTP", .quick, .needs(.protoc))
struct ProtobufAnswerTests {
  private struct Rig {
    let target: Target
    let http: TargetHTTP

    init() throws {
      let folder = Machine.root.appendingPathComponent("Tests/LiveTests/Python").path
      target = try TargetReader.read(
        text: """
          name: test
          protocol: http
          url: http://127.0.0.1:1
          schema: { proto: strange.proto }
          register:
            path: /
            message: { a: 1 }
            answerProto: strange.v1.Reply
            keep: { session: /session/id }
          upload: { path: /, message: { lat: $latitude }, answerProto: strange.v1.Reply }
          answer:
            - { when: { status: 200, field: { accepted: true, stored: $count } }, is: stored }
            - { when: { status: 200, body: empty }, is: retry }
          readback:
            method: GET
            path: /
            answerProto: strange.v1.Reply
            rows: /points
            next: /session/id
            time: at
            latitude: /lat_e7/1e7
            longitude: /lon_e7/1e7

          """, from: "\(folder)/test.yaml")
      let names = TargetPrograms(masked: target).names
      http = try TargetHTTP(target, try SchemaLoader(target).loadCalls(names))
    }

    func judged(_ body: [UInt8], _ kind: RequestKind = .upload) -> TargetExchange {
      http.judge(
        HTTPExchange(.success(HTTPAnswer(status: 200, body: body))), kind,
        by: kind == .registration ? target.registerAnswers : target.uploadAnswers, count: 2, now: 0)
    }

    func outcome(_ body: [UInt8], _ kind: RequestKind = .upload) -> (Answer.Outcome, [String?])? {
      guard case .answered(let answer, "200", let kept) = judged(body, kind).result else {
        return nil
      }
      return (answer.outcome, kept)
    }
  }

  /// Accepted, two stored, and the session "s1".
  private static let good: [UInt8] = [0x08, 1, 0x10, 2, 0x1A, 4, 0x0A, 2, 0x73, 0x31]

  @Test("rules compare fields, a registration keeps them, and other answers match no rule")
  func rules() throws {
    let rig = try Rig()
    #expect(rig.outcome(Self.good)?.0 == .stored)
    #expect(rig.outcome([0x08, 1, 0x10, 1])?.0 == .failed)
    #expect(rig.outcome([])?.0 == .retry(after: nil))
    #expect(rig.outcome(Array(#"{"accepted":true,"stored":2}"#.utf8))?.0 == .failed)
    let registered = rig.outcome(Self.good, .registration)
    #expect(registered?.0 == .stored && registered?.1 == ["s1"])
    #expect(rig.outcome([0x08, 1, 0x10, 2, 0x1A], .registration)?.1 == [nil])
  }

  @Test("the rows of a read-back are messages, and a field has the next page")
  func rows() throws {
    let rig = try Rig()
    let point: [UInt8] = [
      0x08, 0x14, 0x15, 30, 0, 0, 0, 0x1A, 6, 0x08, 0x80, 0xC0, 0xF7, 0xB0, 0x06,
    ]
    let body = Self.good + [0x22, UInt8(point.count)] + point + [0x22, 0]
    let rows = try rig.judged(body, .readback).readRows()
    #expect(rows.rows.count == 1 && rows.unreadable == 1 && rows.next == "s1")
    #expect(rows.rows.first?.latitude == 10 / 1e7 && rows.rows.first?.longitude == 30 / 1e7)
    #expect(try rig.judged([], .readback).readRows().next == nil)
    let error = #expect(throws: ReadbackError.self) {
      try rig.judged([0x0F], .readback).readRows()
    }
    #expect(error?.description == "an answer that does not decode")
  }

  @Test("any bytes are judged, and never trap")
  func hostile() throws {
    let rig = try Rig()
    var draw = Draw(seed: 5, phone: 0, Purpose(rawValue: 904), 0)
    var stored = 0
    for _ in 0..<4_000 {
      var bytes = Array((Self.good + Self.good).prefix(Int(draw.next() % 21)))
      for _ in 0..<(draw.next() % 3) where !bytes.isEmpty {
        bytes[Int(draw.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: draw.next())
      }
      if rig.outcome(bytes)?.0 == .stored { stored += 1 }
      _ = rig.outcome(bytes, .registration)
      _ = try? rig.judged(bytes, .readback).readRows()
    }
    #expect(stored > 20 && stored < 3_900)
  }
}
