internal import COpenSSL

/// Owns one `SSL` and the `BIO` for its stream's bytes.
struct TLSHandle: ~Copyable {
  let ssl: OpaquePointer

  init?(_ context: TLSContext) {
    guard let ssl = SSL_new(context.pointer) else { return nil }
    self.ssl = ssl
  }

  deinit { flotilla_free(ssl) }

  /// Ties the handle to its owner `stream`, which is therefore alive in OpenSSL's callbacks.
  func attach(to stream: TLSStream) -> Bool {
    guard let bio = BIO_new(Self.method) else { return false }
    let data = Unmanaged.passUnretained(stream).toOpaque()
    BIO_set_data(bio, data)
    BIO_set_init(bio, 1)
    // The `SSL` takes one reference to the `BIO` for both directions.
    SSL_set_bio(ssl, bio, bio)
    SSL_set_ex_data(ssl, 0, data)
    return true
  }

  /// The `BIO` method of all streams, never freed. `nonisolated(unsafe)`: the method is initialised
  /// once, under the runtime's lock, and then only read.
  private nonisolated(unsafe) static let method: OpaquePointer? = {
    let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "flotilla stream")
    BIO_meth_set_read(method) { bio, bytes, count in
      guard let bio, let bytes, count > 0, let data = BIO_get_data(bio) else { return -1 }
      let stream = Unmanaged<TLSStream>.fromOpaque(data).takeUnretainedValue()
      let taken = stream.takeInput(UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
      if taken > 0 { return Int32(taken) }
      flotilla_retry_read(bio)
      return -1
    }
    BIO_meth_set_write(method) { bio, bytes, count in
      guard let bytes, let data = BIO_get_data(bio) else { return -1 }
      Unmanaged<TLSStream>.fromOpaque(data).takeUnretainedValue()
        .addOutput(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      return count
    }
    // Flush is the only command that OpenSSL needs, and has nothing to do.
    BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    return method
  }()
}
