import Core
import TestSupport
import Testing

@testable import Wire

@Suite("Upload template", .quick)
struct UploadTemplateTests {
  @Test(
    "a batch under another name equals the encoder's output for that name", arguments: [1, 20, 200])
  func sameAsEncoder(count: Int) throws {
    let fixes = BatchCodecTests.walk(count, seed: 3)
    let template = try UploadTemplate(fixes)
    for (phone, sequence) in [(1, 1), (70_000, 3), (.max, .max)] as [(UInt32, UInt32)] {
      let id = BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: sequence)
      let encoder = BatchEncoder()
      let message = template.message(id)
      #expect(message.bytes == (try encoder.encode(id, fixes)))
      #expect(message.check == encoder.check)
    }
  }
}
