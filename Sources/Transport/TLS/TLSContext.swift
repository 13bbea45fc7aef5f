internal import Core
internal import COpenSSL

/// Owns one `SSL_CTX`, shared by many connections. `@unchecked Sendable`: the context is immutable,
/// and OpenSSL's reference counts are atomic.
final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer
  /// The ticket keys, retained here since OpenSSL's callback does not retain them.
  private let keys: TicketKeys?
  let isServer: Bool

  private init(isServer: Bool, keys: TicketKeys?) throws(TLSSetupError) {
    guard let pointer = flotilla_context_make(isServer ? 1 : 0) else {
      throw .library(TLSContext.takeReason())
    }
    self.pointer = pointer
    self.keys = keys
    self.isServer = isServer
  }

  deinit { SSL_CTX_free(pointer) }

  /// - Parameter protocols: the protocols accepted by ALPN. A client without a match gets none.
  static func server(
    _ files: TLSServerFiles, keys: TicketKeys, protocols: [ApplicationProtocol]
  ) throws(TLSSetupError) -> TLSContext {
    let context = try TLSContext(isServer: true, keys: keys)
    try context.present(certificate: files.certificate, key: files.key)
    if let authorities = files.clientAuthorities {
      try context.trust(authorities)
      SSL_CTX_set_client_CA_list(context.pointer, SSL_load_client_CA_file(authorities))
      SSL_CTX_set_verify(
        context.pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }
    SSL_CTX_set_ex_data(context.pointer, 0, Unmanaged.passUnretained(keys).toOpaque())
    SSL_CTX_set_tlsext_ticket_key_evp_cb(context.pointer) { ssl, name, vector, cipher, mac, seals in
      guard let data = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0), let name, let vector else {
        return -1
      }
      return Unmanaged<TicketKeys>.fromOpaque(data).takeUnretainedValue()
        .prepare(
          name, vector, cipher, mac, seals: seals == 1,
          isUsedOnce: SSL_version(ssl) == TLS1_3_VERSION)
    }
    // A C callback captures nothing, so each set of protocols has its own function.
    if protocols.contains(.h2) {
      SSL_CTX_set_alpn_select_cb(
        context.pointer,
        { _, chosen, length, offered, count, _ in
          ApplicationProtocol.h2.choose(chosen, length, offered, count)
        }, nil)
    }
    return context
  }

  /// - Parameter protocols: the protocols offered by ALPN.
  /// - Parameter onSession: takes a resumable session. Returns 1 to keep the reference, or 0.
  static func client(
    _ files: TLSClientFiles, protocols: [ApplicationProtocol],
    onSession: @escaping @convention(c) (OpaquePointer?, OpaquePointer?) -> Int32
  ) throws(TLSSetupError) -> TLSContext {
    let context = try TLSContext(isServer: false, keys: nil)
    SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
    if let authorities = files.authorities {
      try context.trust(authorities)
    } else {
      // The call fails only without memory.
      SSL_CTX_set_default_verify_paths(context.pointer)
    }
    if let certificate = files.certificate, let key = files.key {
      try context.present(certificate: certificate, key: key)
    }
    let offer = protocols.flatMap { [UInt8($0.rawValue.utf8.count)] + Array($0.rawValue.utf8) }
    if !offer.isEmpty { SSL_CTX_set_alpn_protos(context.pointer, offer, UInt32(offer.count)) }
    SSL_CTX_sess_set_new_cb(context.pointer, onSession)
    return context
  }

  private func present(certificate: String, key: String) throws(TLSSetupError) {
    guard SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
      throw .cannotRead(path: certificate, reason: Self.takeReason())
    }
    guard SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1 else {
      let reason = Self.takeReason()
      if reason == "key values mismatch" { throw .otherKey(certificate: certificate, key: key) }
      throw .cannotRead(path: key, reason: reason)
    }
    guard SSL_CTX_check_private_key(pointer) == 1 else {
      ERR_clear_error()
      throw .otherKey(certificate: certificate, key: key)
    }
  }

  private func trust(_ path: String) throws(TLSSetupError) {
    guard SSL_CTX_load_verify_locations(pointer, path, nil) == 1 else {
      throw .cannotRead(path: path, reason: Self.takeReason())
    }
  }

  private static func takeReason() -> String {
    var text = [CChar](repeating: 0, count: 120)
    _ = flotilla_take_error(&text, text.count)
    let words = String(
      decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return words.isEmpty ? "no reason given" : words
  }
}

extension CarrierKind {
  /// The protocols that a client offers by ALPN. Without ALPN the first bytes identify the carrier.
  package var applicationProtocols: [ApplicationProtocol] {
    switch self {
    case .flotilla: []
    case .grpc: [.h2]
    }
  }
}

/// Protocols above TLS (ALPN, RFC 7301).
package enum ApplicationProtocol: String, CaseIterable, Sendable {
  case h2

  /// Selects the protocol if the client offers it. OpenSSL calls `choose` at a server.
  fileprivate func choose(
    _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32
  ) -> Int32 {
    let list = UnsafeBufferPointer(start: offered, count: Int(count))
    var place = 0
    while place < list.count {
      let end = min(place + 1 + Int(list[place]), list.count)
      if list[(place + 1)..<end].elementsEqual(rawValue.utf8) {
        chosen?.pointee = offered.map { $0 + place + 1 }
        length?.pointee = list[place]
        return SSL_TLSEXT_ERR_OK
      }
      place = end
    }
    return SSL_TLSEXT_ERR_NOACK
  }
}
