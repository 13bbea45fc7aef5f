import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Errors of gRPC targets", .quick)
struct TargetCheckTests {
  @Test(
    "target check reports each error with line, column and the closest field",
    .needs(.protoc))
  func mistakes() async throws {
    let folder = try TemporaryFolder()
    let proto = Program.root.appendingPathComponent("Tests/LiveTests/Python/strange.proto").path
    let text = """
      name: strange
      protocol: grpc
      url: grpc://127.0.0.1:1
      schema: { proto: \(proto) }
      identity: { id: "a{phone:07}", token: { env: TOKEN } }
      upload:
        call: /strange.v1.Ingest/Upload
        metadata: { authorization: "Bearer {token}" }
        message:
          device: $id
          points: { each: fix, latitud: $latitude, accuracy: 5000000000 }
          user: a
          key: b
          activity: ON_FOTO
          kinds: [7]
      answer:
        - { when: { status: OK, field: { /accepted: true, /session/id: s-1 } }, is: stored }

      """
    let target = folder["strange.yaml"].path
    try Data(text.utf8).write(to: folder["strange.yaml"])
    let ended = await flotilla(["target", "check", target])
    #expect(ended.code == 65)
    let found = ended.errorOutput.split(separator: "\n").map(String.init)
    for (place, sentence) in [
      ("10:5", "'strange.v1.Upload' has no field 'device'; it has device_id, "),
      ("11:26", "Did you mean 'latitude'?"),
      ("11:56", "5000000000 is out of the range of 'accuracy', a uint32: 0 … 4294967295."),
      ("13:5", "'key' and 'user' are of the oneof 'who', of which a message has one."),
      ("14:15", "'strange.v1.Activity' has no value 'ON_FOTO'; it has ACTIVITY_UNKNOWN, STILL, "),
      ("15:13", "'strange.v1.Activity' has no value '7'; it has ACTIVITY_UNKNOWN, STILL, "),
    ] {
      #expect(
        found.count { $0.hasPrefix("\(target):\(place): ") && $0.contains(sentence) } == 1,
        "\(place) \(sentence): \(ended.errorOutput)")
    }
    #expect(found.count == 6, "\(ended.errorOutput)")
  }
}
