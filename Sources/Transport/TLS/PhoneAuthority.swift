internal import COpenSSL
internal import Foundation
internal import Synchronization

/// A user's CA that signs a certificate for each phone, in about 100 µs. `@unchecked Sendable`:
/// threads only read the CA's certificate and key, and the other state is synchronized.
package final class PhoneAuthority: @unchecked Sendable {
  private let certificate: OpaquePointer
  private let key: OpaquePointer
  private let known = Mutex<[UInt32: HTTPIdentity]>([:])

  /// The X.520 limit of a common name (ub-common-name).
  private static let nameMax = 64
  /// The limit of kept identities, 150 MB. Other phones get a new certificate for each connection.
  private static let knownMax = 100_000

  package init(certificate path: String, key keyPath: String) throws(TLSSetupError) {
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw .cannotRead(path: path, reason: String(cString: strerror(errno)))
    }
    guard let keyBytes = FileManager.default.contents(atPath: keyPath) else {
      throw .cannotRead(path: keyPath, reason: String(cString: strerror(errno)))
    }
    let found = bytes.withUnsafeBytes { bytes in
      let text = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
      defer { BIO_free(text) }
      return PEM_read_bio_X509(text, nil, nil, nil)
    }
    guard let found else {
      ERR_clear_error()
      throw .cannotRead(path: path, reason: "contains no PEM certificate")
    }
    let ownKey = keyBytes.withUnsafeBytes {
      flotilla_read_key($0.baseAddress, Int32(clamping: $0.count))
    }
    guard let ownKey, X509_check_private_key(found, ownKey) == 1 else {
      ERR_clear_error()
      X509_free(found)
      if ownKey == nil { throw .cannotRead(path: keyPath, reason: "contains no PEM key") }
      EVP_PKEY_free(ownKey)
      throw .otherKey(certificate: path, key: keyPath)
    }
    certificate = found
    key = ownKey
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  /// Returns a phone's certificate and key. Calls `name` only to sign a new certificate.
  package func identity(
    of phone: UInt32, name: () -> String
  ) throws(TLSSetupError) -> HTTPIdentity {
    if let known = known.withLock({ $0[phone] }) { return known }
    let name = name()
    guard !name.isEmpty, name.utf8.count <= Self.nameMax else {
      throw .badName(name, bytesMax: Self.nameMax)
    }
    let identity = try SelfMadeCertificate.client(name, by: certificate, key)
    known.withLock { if $0.count < Self.knownMax { $0[phone] = identity } }
    return identity
  }
}

extension SelfMadeCertificate {
  fileprivate static func client(
    _ name: String, by authority: OpaquePointer, _ authorityKey: OpaquePointer
  ) throws(TLSSetupError) -> HTTPIdentity {
    let key = try Key(.p256)
    let certificate = try Certificate(Subject(name), key)
    X509_set_issuer_name(certificate.pointer, X509_get_subject_name(authority))
    for (kind, value) in [
      (NID_basic_constraints, "CA:FALSE"), (NID_ext_key_usage, "clientAuth"),
    ] where flotilla_extend(authority, certificate.pointer, kind, value) != 1 {
      ERR_clear_error()
      throw .library("cannot put '\(value)' into a certificate")
    }
    guard X509_sign(certificate.pointer, authorityKey, EVP_sha256()) > 0 else {
      ERR_clear_error()
      throw .library("cannot sign a certificate")
    }
    return HTTPIdentity(
      certificate: Array(pem(of: certificate)), key: Array(pem(of: key)))
  }
}
