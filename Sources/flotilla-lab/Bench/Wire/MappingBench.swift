package import Core
internal import Foundation
internal import Uploads
internal import Targets

/// The cost of messages of a user's schema, which has six fields for every fix.
package struct MappingBench: Benchmark {
  package let name = "wire"
  private let batches: WireBatches
  private let program: MessageProgram
  private let writer = MessageWriter()

  private static let passes = 4

  package init(_ batches: WireBatches) {
    self.batches = batches
    do {
      let schema = try MessageSchema(
        descriptorSet: Array(Data(base64Encoded: Self.descriptorSet) ?? Data()))
      let target = try TargetReader.read(text: Self.target, from: "bench.yaml")
      guard let mapping = target.upload.request.message,
        let message = schema.message(named: "bench.v1.Upload")
      else { preconditionFailure("the target of the benchmark has no message") }
      program = try MessageProgram(
        mapping, as: message, of: schema, TargetPrograms(masked: target).names)
    } catch {
      preconditionFailure("the mapping of the benchmark does not match its schema: \(error)")
    }
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("codec", .word("mapping")), ("movement", .word(batches.kind.rawValue)),
      ("fixes", .count(batches.fixesPerBatch)), ("batches", .word("generated")),
    ]
  }

  /// The bars, which apply only to batches of 20 fixes.
  package var bars: [BenchBar] {
    batches.fixesPerBatch == BatchPool.fixesPerBatch
      ? [BenchBar("encodeNanoseconds", .atMost(2_000))] : []
  }

  /// Returns nanoseconds per batch and bytes per fix.
  package mutating func round(_ clock: () -> WallInstant) -> BenchSamples {
    var written: [Double] = []
    var bytes = 0
    for _ in 0..<Self.passes {
      bytes = 0
      let began = clock()
      for number in 0..<batches.count {
        let first = number * batches.fixesPerBatch
        let id = BatchID(phone: PhoneID(rawValue: UInt32(number)), epoch: 1, sequence: 200)
        let context = UploadContext(
          id, fixes: batches.fixes[first..<first + batches.fixesPerBatch])
        bytes += writer.write(program, context).count
      }
      written.append(Double((clock() - began).microseconds) * 1_000 / Double(batches.count))
    }
    return [
      ("encodeNanoseconds", written),
      ("bytesPerFix", [Double(bytes) / Double(batches.fixes.count)]),
    ]
  }

  private static let target = """
    name: bench
    protocol: grpc
    url: grpc://127.0.0.1:1
    identity: { id: "a{phone:07}" }
    upload:
      call: /bench.v1.Ingest/Upload
      message:
        device_id: $id
        seq: $sequence
        points:
          each: fix
          lat_e7: $latitude.e7
          lon_e7: $longitude.e7
          at: $time.timestamp
          accuracy: $accuracy
          speed: { is: $speed, omit: unknown }
          course: { is: $course, omit: unknown }
    answer:
      - { when: { status: OK }, is: stored }

    """

  /// The output of `protoc` for these messages:
  ///
  ///     message Point {
  ///       sint32 lat_e7 = 1; sint32 lon_e7 = 2; google.protobuf.Timestamp at = 3;
  ///       uint32 accuracy = 4; optional float speed = 5; optional uint32 course = 6;
  ///     }
  ///     message Upload { string device_id = 1; uint64 seq = 2; repeated Point points = 3; }
  private static let descriptorSet = [
    "CmcKH2dvb2dsZS9wcm90b2J1Zi90aW1lc3RhbXAucHJvdG8SD2dvb2dsZS5wcm90b2J1ZiIrCglUaW1lc3RhbXAS",
    "DwoHc2Vjb25kcxgBIAEoAxINCgVuYW5vcxgCIAEoBWIGcHJvdG8zCq0CCgtiZW5jaC5wcm90bxIIYmVuY2gudjEa",
    "H2dvb2dsZS9wcm90b2J1Zi90aW1lc3RhbXAucHJvdG8inwEKBVBvaW50Eg4KBmxhdF9lNxgBIAEoERIOCgZsb25f",
    "ZTcYAiABKBESJgoCYXQYAyABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wEhAKCGFjY3VyYWN5GAQgASgN",
    "EhIKBXNwZWVkGAUgASgCSACIAQESEwoGY291cnNlGAYgASgNSAGIAQFCCAoGX3NwZWVkQgkKB19jb3Vyc2UiSQoG",
    "VXBsb2FkEhEKCWRldmljZV9pZBgBIAEoCRILCgNzZXEYAiABKAQSHwoGcG9pbnRzGAMgAygLMg8uYmVuY2gudjEu",
    "UG9pbnRiBnByb3RvMw==",
  ].joined()
}
