/// Why certificates, keys or CAs that were named cannot be used.
package enum TLSSetupError: Error, Equatable, Sendable {
  case cannotRead(path: String, reason: String)
  /// The key is not the one whose public half stands in the certificate.
  case otherKey(certificate: String, key: String)
  /// No certificate can be signed for this name: it has none, or too many bytes.
  case badName(String, bytesMax: Int)
  /// Not a whole number of keys, or none.
  case badTicketKeys(path: String, bytes: Int)
  case cannotWrite(path: String, reason: String)
  /// The library could not do what needs nothing but memory and randomness.
  case library(String)
}

extension TLSSetupError: CustomStringConvertible {
  /// States the error as one sentence without a period, with what to do about it.
  package var description: String {
    switch self {
    case .cannotRead(let path, let reason):
      "\(path): cannot be used: \(reason); it has to be a PEM file that this process can read"
    case .otherKey(let certificate, let key):
      "\(key): is not the key of \(certificate); name the pair that was made together"
    case .badName(let name, let most):
      "the common name '\(name)' of a certificate has to have 1 to \(most) bytes"
    case .badTicketKeys(let path, let bytes):
      "\(path): holds \(bytes) bytes; ticket keys are \(TicketKeys.keyBytes) random bytes each, "
        + "such as 'openssl rand \(TicketKeys.keyBytes)' writes"
    case .cannotWrite(let path, let reason):
      "\(path): cannot be written: \(reason); choose another folder"
    case .library(let reason): "OpenSSL: \(reason)"
    }
  }
}
