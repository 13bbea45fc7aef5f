internal import COpenSSL
internal import Foundation

/// Session ticket keys: the first encrypts, and all decrypt. `@unchecked Sendable`: immutable keys.
final class TicketKeys: @unchecked Sendable {
  /// The size of a key: 16 bytes of name, 32 for HMAC-SHA-256 and 32 for AES-256.
  static let keyBytes = MemoryLayout<flotilla_ticket_key>.size
  private let keys: UnsafeMutableBufferPointer<flotilla_ticket_key>
  /// The cipher, fetched once, since a lookup by name would cost a search per ticket.
  private let cipher: OpaquePointer?

  private init(_ bytes: [UInt8]) {
    let keys = UnsafeMutableBufferPointer<flotilla_ticket_key>.allocate(
      capacity: bytes.count / Self.keyBytes)
    bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(keys).copyMemory(from: $0) }
    self.keys = keys
    cipher = EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
  }

  deinit {
    OPENSSL_cleanse(keys.baseAddress, keys.count * Self.keyBytes)
    keys.deallocate()
    EVP_CIPHER_free(cipher)
  }

  /// Returns a random key, so that no ticket outlives this process.
  static func fresh() -> TicketKeys {
    var bytes = [UInt8](repeating: 0, count: keyBytes)
    // The call fails only without randomness, and then no handshake works either.
    RAND_bytes(&bytes, Int32(bytes.count))
    return TicketKeys(bytes)
  }

  /// Reads the keys of a file. The first key in the file is the key that encrypts.
  static func read(_ path: String) throws(TLSSetupError) -> TicketKeys {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .cannotRead(path: path, reason: "no such file, or not permitted")
    }
    guard !data.isEmpty, data.count.isMultiple(of: keyBytes) else {
      throw .badTicketKeys(path: path, bytes: data.count)
    }
    return TicketKeys(Array(data))
  }

  /// Handles OpenSSL's ticket callback. Returns -1 on error, 0 for an unknown key, 1 on success, or
  /// 2 on success with a new ticket due. `isUsedOnce` renews at each use (RFC 8446, C.4).
  func prepare(
    _ name: UnsafeMutablePointer<UInt8>, _ vector: UnsafeMutablePointer<UInt8>,
    _ context: OpaquePointer?, _ mac: OpaquePointer?, seals: Bool, isUsedOnce: Bool
  ) -> Int32 {
    guard seals else {
      let answer = open(name, vector, context, mac)
      return answer == 1 && isUsedOnce ? 2 : answer
    }
    guard let first = keys.baseAddress, RAND_bytes(vector, EVP_MAX_IV_LENGTH) == 1 else {
      return -1
    }
    withUnsafeBytes(of: first.pointee.name) {
      UnsafeMutableRawPointer(name).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
    }
    return flotilla_use_ticket_key(first, cipher, vector, context, mac, 1) == 1 ? 1 : -1
  }

  private func open(
    _ name: UnsafeMutablePointer<UInt8>, _ vector: UnsafeMutablePointer<UInt8>,
    _ context: OpaquePointer?, _ mac: OpaquePointer?
  ) -> Int32 {
    for index in keys.indices {
      let isNamed = withUnsafeBytes(of: keys[index].name) {
        $0.elementsEqual(UnsafeRawBufferPointer(start: name, count: $0.count))
      }
      guard isNamed else { continue }
      let key = keys.baseAddress.map { $0 + index }
      guard flotilla_use_ticket_key(key, cipher, vector, context, mac, 0) == 1 else { return -1 }
      return index == 0 ? 1 : 2
    }
    return 0
  }
}
