internal import COpenSSL

/// A 2,048-bit RSA key that signs and checks tokens of a service account (RS256, RFC 7518, 3.3).
/// `@unchecked Sendable`: the key is immutable, and several threads may use an OpenSSL key.
package final class RSAKey: @unchecked Sendable {
  private let pointer: OpaquePointer

  /// Generates a key, which takes some tenths of a second.
  package init() throws(TLSSetupError) {
    guard let key = flotilla_make_key(1) else { throw .library("cannot make a key") }
    pointer = key
  }

  deinit { EVP_PKEY_free(pointer) }

  package func verifies(
    _ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer
  ) -> Bool {
    let isTrue = flotilla_verify_rs256(
      pointer, message.baseAddress, message.count, signature.baseAddress, signature.count)
    ERR_clear_error()
    return isTrue == 1
  }

  package func sign(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
    var signature = [UInt8](repeating: 0, count: 256)
    let isDone = flotilla_sign_rs256(
      pointer, message.baseAddress, message.count, &signature, signature.count)
    ERR_clear_error()
    return isDone == 1 ? signature : nil
  }

  /// The private key as PKCS #8 in PEM, as in a service account's file.
  package var privatePEM: String {
    pemText { _ = PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
  }
}
