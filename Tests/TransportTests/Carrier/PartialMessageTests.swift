import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("Assembling a call's request message", .quick)
struct PartialMessageTests {
  /// A message after its prefix, in two parts cut after `first` bytes.
  private func parts(_ body: [UInt8], flag: UInt8 = 0, first: Int) -> [[UInt8]] {
    let bytes = [flag, 0, 0, 0, UInt8(body.count)] + body
    return [Array(bytes[..<first]), Array(bytes[first...])]
  }

  private func take(_ parts: [[UInt8]], most: Int = 100) throws(MessageError) -> [UInt8] {
    let partial = PartialMessage(messageBytesMax: most)
    var message: [UInt8] = []
    for (number, part) in parts.enumerated() {
      let taken: Result<[UInt8], MessageError> = part.withUnsafeBytes { bytes in
        do throws(MessageError) {
          let isLast = number == parts.count - 1
          return .success(
            Array(try partial.take(bytes, isLast: isLast) ?? .init(start: nil, count: 0)))
        } catch { return .failure(error) }
      }
      message += try taken.get()
      partial.assembler.end()
    }
    return message
  }

  @Test("parts make the message, wherever they are cut", arguments: [1, 4, 5, 6, 7])
  func whole(first: Int) throws {
    #expect(try take(parts([7, 8, 9], first: first)) == [7, 8, 9])
  }

  @Test("a request that ends within its message, or continues after it, is refused as such")
  func ends() {
    #expect(throws: MessageError.cutShort) { try take([parts([7, 8, 9], first: 6)[0]]) }
    #expect(throws: MessageError.goesOn) { try take([parts([7, 8, 9], first: 8)[0], [1]]) }
    #expect(MessageError.cutShort.status.code == .internal)
    #expect(MessageError.goesOn.status.code == .internal)
  }

  @Test("a message that is compressed or too long is refused with the codec's reason")
  func refused() {
    #expect(throws: MessageError.refused(.compressedMessage(flag: 1))) {
      try take(parts([7], flag: 1, first: 5))
    }
    let tooLong = MessageError.refused(.messageTooLarge(bytes: 9, limit: 8))
    #expect(throws: tooLong) { try take(parts([UInt8](repeating: 1, count: 9), first: 7), most: 8) }
    #expect(tooLong.isTooLarge && tooLong.status.code == .resourceExhausted)
    #expect(!MessageError.refused(.compressedMessage(flag: 1)).isTooLarge)
  }
}
