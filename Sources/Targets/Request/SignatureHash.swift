internal import COpenSSL

extension SignatureRule.Hash {
  /// Returns the HMAC of a message (RFC 2104).
  func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    let function =
      switch self {
      case .sha1: EVP_sha1()
      case .sha256: EVP_sha256()
      case .sha384: EVP_sha384()
      case .sha512: EVP_sha512()
      }
    return [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { code, count in
      var length: UInt32 = 0
      let isDone = HMAC(
        function, key, Int32(key.count), message, message.count, code.baseAddress, &length)
      // An HMAC fails only without memory.
      guard isDone != nil else { fatalError("OpenSSL: no memory for an HMAC") }
      count = Int(length)
    }
  }
}
