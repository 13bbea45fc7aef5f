internal import COpenSSL
internal import Foundation

/// A P-256 key that signs and checks JSON web tokens (ES256, RFC 7518, section 3.4). `@unchecked
/// Sendable`: the key is immutable, and several threads may use an OpenSSL key.
package final class P256Key: @unchecked Sendable {
  private let pointer: OpaquePointer

  /// Reads a PEM file with a public key or a private key, such as a `.p8`.
  package init(file path: String) throws(TLSSetupError) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .cannotRead(path: path, reason: String(cString: strerror(errno)))
    }
    let key = data.withUnsafeBytes { flotilla_read_key($0.baseAddress, Int32(clamping: $0.count)) }
    guard let key else {
      ERR_clear_error()
      throw .cannotRead(path: path, reason: "contains no PEM key")
    }
    pointer = key
    guard flotilla_is_p256(key) == 1 else {
      throw .cannotRead(path: path, reason: "contains a key that is not P-256")
    }
  }

  package init() throws(TLSSetupError) {
    guard let key = flotilla_make_key(0) else { throw .library("cannot make a key") }
    pointer = key
  }

  deinit { EVP_PKEY_free(pointer) }

  /// Returns whether `signature`, two numbers of 32 bytes, is the key's signature of `message`.
  package func verifies(
    _ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer
  ) -> Bool {
    guard signature.count == 64 else { return false }
    let isTrue = flotilla_verify_es256(
      pointer, message.baseAddress, message.count, signature.baseAddress)
    ERR_clear_error()
    return isTrue == 1
  }

  /// Returns the signature of `message`, two numbers of 32 bytes, or nil for a public key.
  package func sign(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
    var signature = [UInt8](repeating: 0, count: 64)
    let isDone = flotilla_sign_es256(pointer, message.baseAddress, message.count, &signature)
    ERR_clear_error()
    return isDone == 1 ? signature : nil
  }

  package var publicPEM: String { pemText { _ = PEM_write_bio_PUBKEY($0, pointer) } }
}

func pemText(_ write: (OpaquePointer?) -> Void) -> String {
  let memory = BIO_new(BIO_s_mem())
  defer { BIO_free(memory) }
  write(memory)
  var bytes: UnsafeMutablePointer<CChar>?
  let count = flotilla_memory(memory, &bytes)
  guard let bytes else { return "" }
  // swift-format-ignore: PEM is ASCII.
  return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
}
