internal import Core
internal import Foundation
internal import TestSupport
internal import Testing
@testable internal import Targets

/// What `target show` prints.
@Suite("Display of requests", .quick)
struct RequestPreviewTests {
  private let now: Int64 = 1_772_436_660_000_000

  private func preview(
    _ target: Target, fixes: Int = 1, calls: MessageCalls? = nil
  ) throws -> String {
    let identities = try target.shownIdentities(of: PhoneID(rawValue: 17))
    return try #require(
      RequestPreview(
        of: target, phone: PhoneID(rawValue: 17), fixes: fixes, identities: identities, now: now,
        calls: calls)
    ).text
  }

  @Test("HTTP is shown as text, hex and a curl command that a shell reads back")
  func http() throws {
    let shown = try preview(try shippedTargets.load("traccar"))
    #expect(shown.hasPrefix("# upload, fixes: 1, body: 113 bytes\nPOST http://127.0.0.1:5055/\n"))
    #expect(shown.contains("Content-Type: application/x-www-form-urlencoded\n"))
    #expect(shown.contains("\nid=000017&lat=52.521538&lon=13.404954&timestamp=1772436660&"))
    #expect(
      shown.contains("000000  69 64 3d 30 30 30 30 31 37 26 6c 61 74 3d 35 32  id=000017&lat=52"))
    #expect(
      shown.hasSuffix(
        "curl -sS -i -X POST -H 'Content-Type: application/x-www-form-urlencoded' --data-binary "
          + "'id=000017&lat=52.521538&lon=13.404954&timestamp=1772436660&accuracy=12&speed=2.72"
          + "&bearing=90&batt=83&charge=false' http://127.0.0.1:5055/"))
  }

  @Test("a viewer over MQTT is shown as a subscription and a command")
  func subscription() throws {
    let shown = try preview(try shippedTargets.load("owntracks-mqtt"))
    #expect(
      shown.hasSuffix(
        """
        # view, by a viewer
        SUBSCRIBE owntracks/user000017/phone, QoS 1

        mosquitto_sub -h 127.0.0.1 -p 8883 -V mqttv311 --tls-use-os-certs -u user000017 -P '***' \
        -q 1 -t owntracks/user000017/phone
        """), "\(shown)")
  }

  @Test("registration, upload and backlog are shown; for `newest` one fix")
  func parts() throws {
    let shown = try preview(try shippedTargets.load("homeassistant"), fixes: 9)
    #expect(shown.contains("# register, body: "))
    #expect(shown.contains(#""app_version":"1.0","#))
    #expect(shown.contains("/api/webhook/WEBHOOK\n"))
    #expect(shown.contains("# upload, fixes: 1, "))
    #expect(
      shown.hasSuffix(
        "\n\n# the server pushes, as webhook\nPOST http://127.0.0.1:18199/push"))
    let overland = try preview(try shippedTargets.load("overland"), fixes: 250)
    #expect(overland.contains("# upload, fixes: 200, "))
    #expect(overland.contains("# backlog, while more than 200 wait, fixes: 200, "))
  }

  @Test("a gRPC message whose schema is known is shown as the bytes that are sent", .needs(.protoc))
  func messageBytes() throws {
    let target = try grpcTarget("device_id: $id")
    let calls = try MessageCalls(
      target, TargetPrograms(masked: target).names, schema: try Strange.schema())
    let shown = try preview(target, calls: calls)
    #expect(shown.hasPrefix("# upload, fixes: 1, body: 10 bytes\n"), "\(shown)")
    // Field 1, a text of eight letters.
    #expect(shown.contains("000000  0a 08 61 30 30 30 30 30 31 37"), "\(shown)")
    let unknown = try preview(target)
    #expect(unknown.hasPrefix("# upload, fixes: 1, body: encoded with the schema\n"))
    #expect(!unknown.contains("000000  "))
  }

  @Test("gRPC is shown as a grpcurl command, MQTT as a mosquitto_pub command")
  func otherCarriers() throws {
    let grpc = try preview(try shippedTargets.load("grpc-example"))
    #expect(grpc.contains("/harbor.telemetry.v2.Beacon/Deliver at 127.0.0.1:50051"))
    #expect(
      grpc.contains("grpcurl -plaintext -import-path . -proto grpc-example.proto -H 'auth"))
    #expect(grpc.hasSuffix("127.0.0.1:50051 harbor.telemetry.v2.Beacon/Deliver"))
    let mqtt = try preview(try shippedTargets.load("owntracks-mqtt"))
    #expect(mqtt.contains("PUBLISH owntracks/user000017/phone, QoS 1, retained\n"))
    #expect(
      mqtt.contains(
        "mosquitto_pub -h 127.0.0.1 -p 8883 -V mqttv311 --tls-use-os-certs -i user000017phone "
          + "-u user000017 -P '***' -c -q 1 -t owntracks/user000017/phone -r -m '{"))
  }

  @Test("no secret is shown: not of a file, of the environment, of a CSV, nor as Basic")
  func secrets() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "flotilla-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let rows = "id,jwt\n" + (0..<20).map { "device-\($0),tops3cret-\($0)" }.joined(separator: "\n")
    try rows.write(
      to: folder.appendingPathComponent("ids.csv"), atomically: true, encoding: .utf8)
    try "tops3cret-file\n".write(
      to: folder.appendingPathComponent("key"), atomically: true, encoding: .utf8)
    let target = try TargetReader.read(
      text: """
        name: test
        protocol: http
        url: http://127.0.0.1:1
        identity:
          id: { csv: ids.csv, column: id, secret: no }
          jwt: { csv: ids.csv, column: jwt }
          key: { file: key }
          home: { env: PATH }
        upload:
          path: /{id}
          headers: { A: "{jwt}", B: "{key}", C: "{home}" }
          basic: { user: "{id}", password: "{key}" }
          message: { k: $key, j: $jwt, i: $id }
        answer: [{ is: stored }]
        """, from: "\(folder.path)/test.yaml")
    let shown = try preview(target)
    #expect(!shown.contains("tops3cret") && !shown.contains("/bin"))
    #expect(!shown.contains(Data("device-17:".utf8).base64EncodedString().prefix(10)))
    #expect(shown.contains("POST http://127.0.0.1:1/device-17\nA: ***\nB: ***\nC: ***\n"))
    #expect(shown.contains(#"{"k":"***","j":"***","i":"device-17"}"#))
    // Sent requests have them.
    let files = TargetFiles(of: target)
    let programs = try TargetPrograms(target, secrets: files)
    let identities = try files.identities(programs.names.columns)
    #expect(identities.phones == 20)
    let sent = text {
      programs.upload.write(body: context([fix()], columns: identities.row(of: 17)), into: &$0)
    }
    #expect(sent == #"{"k":"tops3cret-file","j":"tops3cret-17","i":"device-17"}"#)
    #expect(target.missingFiles.isEmpty)
  }

  @Test("words are quoted for a POSIX shell")
  func quotes() {
    #expect(Shell.line(["a", "b c", "it's", "", "$x"]) == #"a 'b c' 'it'\''s' '' '$x'"#)
  }
}
