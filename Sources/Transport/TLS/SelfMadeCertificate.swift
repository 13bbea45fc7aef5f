internal import COpenSSL
internal import Core
internal import Foundation

/// A CA and the certificates that it signs, for local collectors, benchmarks and tests.
package enum SelfMadeCertificate {
  package struct Subject: Sendable {
    package var name: String
    /// The host names or addresses that the certificate names.
    package var hosts = ["localhost", "127.0.0.1", "::1"]
    /// The start of the validity in seconds from now.
    package var validFrom = -3_600
    /// The end of the validity in seconds from now.
    package var validUntil = 30 * 86_400

    /// Creates a subject for this machine, valid from an hour ago for thirty days.
    package init(_ name: String) { self.name = name }
  }

  package enum KeyKind: String, CaseIterable, Sendable {
    case p256, rsa2048
  }

  struct Key: ~Copyable {
    let pointer: OpaquePointer
    init(_ kind: KeyKind) throws(TLSSetupError) {
      guard let pointer = flotilla_make_key(kind == .rsa2048 ? 1 : 0) else {
        throw .library("cannot make a key")
      }
      self.pointer = pointer
    }
    deinit { EVP_PKEY_free(pointer) }
  }

  struct Certificate: ~Copyable {
    let pointer: OpaquePointer
    init(_ subject: Subject, _ key: borrowing Key) throws(TLSSetupError) {
      guard let pointer = X509_new() else { throw .library("cannot make a certificate") }
      self.pointer = pointer
      X509_set_version(pointer, Int(X509_VERSION_3))
      var serial = Int64(0)
      withUnsafeMutableBytes(of: &serial) { bytes in
        _ = RAND_bytes(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), 8)
      }
      ASN1_INTEGER_set_int64(X509_get_serialNumber(pointer), serial & .max | 1)
      X509_gmtime_adj(X509_getm_notBefore(pointer), subject.validFrom)
      X509_gmtime_adj(X509_getm_notAfter(pointer), subject.validUntil)
      X509_set_pubkey(pointer, key.pointer)
      flotilla_name(X509_get_subject_name(pointer), subject.name)
    }
    deinit { X509_free(pointer) }
  }

  /// Generates a CA and a certificate signed by the CA, and discards the CA's key. Writes `ca.pem`,
  /// `NAME.pem` and `NAME.key` into `folder`. Only the owner may read `NAME.key`.
  package static func write(
    _ subject: Subject, kind: KeyKind = .p256, to folder: String
  ) throws(TLSSetupError) -> TLSServerFiles {
    let authorityKey = try Key(kind)
    // Two CAs with the same name would be confused, so each CA gets a random name.
    let root = Subject("Flotilla CA \(UUID().uuidString.prefix(8))")
    let authority = try Certificate(root, authorityKey)
    let key = try Key(kind)
    let certificate = try Certificate(subject, key)
    let names = subject.hosts.map { host in
      let isAddress = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
      return "\(isAddress ? "IP" : "DNS"):\(host)"
    }
    try sign(
      authority, as: authority, with: authorityKey,
      [(NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign")])
    try sign(
      certificate, as: authority, with: authorityKey,
      [
        (NID_basic_constraints, "CA:FALSE"),
        (NID_subject_alt_name, names.joined(separator: ",")),
      ])
    try write(pem(of: authority), to: "\(folder)/ca.pem")
    let files = TLSServerFiles(
      certificate: "\(folder)/\(subject.name).pem", key: "\(folder)/\(subject.name).key")
    try write(pem(of: certificate), to: files.certificate)
    try write(pem(of: key), to: files.key, for: .owner)
    return files
  }

  /// Writes one random session ticket key to a file that only its owner may read.
  package static func writeTicketKey(to path: String) throws(TLSSetupError) {
    var bytes = [UInt8](repeating: 0, count: TicketKeys.keyBytes)
    guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else {
      throw .library("no randomness")
    }
    try write(Data(bytes), to: path, for: .owner)
  }

  private static func sign(
    _ certificate: borrowing Certificate, as issuer: borrowing Certificate,
    with key: borrowing Key, _ extensions: [(kind: Int32, value: String)]
  ) throws(TLSSetupError) {
    X509_set_issuer_name(certificate.pointer, X509_get_subject_name(issuer.pointer))
    for (kind, value) in extensions
    where flotilla_extend(issuer.pointer, certificate.pointer, kind, value) != 1 {
      ERR_clear_error()
      throw .library("cannot put '\(value)' into a certificate")
    }
    guard X509_sign(certificate.pointer, key.pointer, EVP_sha256()) > 0 else {
      ERR_clear_error()
      throw .library("cannot sign a certificate")
    }
  }

  static func pem(of certificate: borrowing Certificate) -> Data {
    let pointer = certificate.pointer
    return text { PEM_write_bio_X509($0, pointer) }
  }

  static func pem(of key: borrowing Key) -> Data {
    let pointer = key.pointer
    return text { PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
  }

  private static func text(_ write: (OpaquePointer?) -> Int32) -> Data {
    let memory = BIO_new(BIO_s_mem())
    defer { BIO_free(memory) }
    _ = write(memory)
    var bytes: UnsafeMutablePointer<CChar>?
    let count = flotilla_memory(memory, &bytes)
    return bytes.map { Data(bytes: $0, count: count) } ?? Data()
  }

  private static func write(
    _ data: Data, to path: String, for readers: FileOutput.Readers = .all
  ) throws(TLSSetupError) {
    do throws(FileOutput.WriteError) {
      try FileOutput.write(bytes: [UInt8](data), to: path, for: readers)
    } catch {
      throw .cannotWrite(path: error.path, reason: error.reason)
    }
  }
}
