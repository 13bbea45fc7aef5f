internal import Core

extension CarrierKind {
  func makeClient(
    on link: Link, authority: String,
    metadata: [(key: String, value: [UInt8])], tag: Int, compresses: Bool,
    owner: any ClientCarrierOwner
  ) -> any ClientCarrier {
    switch self {
    case .flotilla:
      FlotillaClientCarrier(
        on: link, metadata: metadata, tag: tag, compresses: compresses, owner: owner)
    case .grpc:
      GRPCClientCarrier(
        on: link, authority: authority, metadata: metadata, tag: tag, compresses: compresses,
        owner: owner)
    }
  }

  func makeServer(
    on link: Link, of connection: ServerConnection
  ) -> any ServerCarrier {
    switch self {
    case .flotilla: FlotillaServerCarrier(on: link, of: connection)
    case .grpc: GRPCServerCarrier(on: link, of: connection)
    }
  }
}

extension EventLoop {
  /// Begins to connect. Calls may be opened at once. The connection is plaintext if `dial` is nil.
  func openCarrier(
    _ kind: CarrierKind, to address: Address, from source: Address? = nil, noDelay: Bool = true,
    dial: TLSDial? = nil, metadata: [(key: String, value: [UInt8])], tag: Int,
    compresses: Bool = false, owner: any ClientCarrierOwner
  ) throws(ConnectError) -> any ClientCarrier {
    let stream = try connect(to: address, from: source, noDelay: noDelay, dial: dial)
    let link = Link(stream, on: self, isConnected: false)
    return kind.makeClient(
      on: link, authority: address.authority, metadata: metadata, tag: tag,
      compresses: compresses, owner: owner)
  }
}
