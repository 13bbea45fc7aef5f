package enum TLSSetupError: Error, Equatable, Sendable {
  case cannotRead(path: String, reason: String)
  case otherKey(certificate: String, key: String)
  /// The name to certify is empty or too long.
  case badName(String, bytesMax: Int)
  /// The file's size is zero or not a multiple of a key's size.
  case badTicketKeys(path: String, bytes: Int)
  case cannotWrite(path: String, reason: String)
  /// OpenSSL failed for a reason other than the input.
  case library(String)
}

extension TLSSetupError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .cannotRead(let path, let reason):
      "\(path): cannot be used: \(reason); give a PEM file that this process can read"
    case .otherKey(let certificate, let key):
      "\(key): is not the key of \(certificate); give a matching pair"
    case .badName(let name, let most):
      "the common name '\(name)' of a certificate must have 1 to \(most) bytes"
    case .badTicketKeys(let path, let bytes):
      "\(path): has \(bytes) bytes; ticket keys are \(TicketKeys.keyBytes) random bytes each, "
        + "make one with 'openssl rand \(TicketKeys.keyBytes)'"
    case .cannotWrite(let path, let reason):
      "\(path): cannot be written: \(reason); choose another folder"
    case .library(let reason): "OpenSSL: \(reason)"
    }
  }
}
