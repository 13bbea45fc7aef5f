internal import CNghttp2
internal import Wire

/// Owns one `nghttp2_session`. Callbacks come only during `receive` and `nextOutput`. A callback
/// may submit frames, but must call neither `receive` nor `nextOutput` (nghttp2's programmers'
/// guide).
///
/// A session's output must be taken completely before another session of the loop is asked, since
/// all sessions pack frames into one buffer (CNghttp2/shim.h). A client's preface is taken at once.
struct HTTP2Session: ~Copyable {
  let raw: OpaquePointer

  enum Role { case client, server }

  init(_ role: Role, _ context: HTTP2Context) {
    context.memory.pointee.is_making = 1
    defer { context.memory.pointee.is_making = 0 }
    var made: OpaquePointer?
    let memory = flotilla_h2_functions(context.memory)
    let code =
      switch role {
      case .client:
        nghttp2_session_client_new3(&made, context.callbacks, nil, context.clientOptions, memory)
      case .server:
        nghttp2_session_server_new3(&made, context.callbacks, nil, context.serverOptions, memory)
      }
    guard code == 0, let made else { fatalError("nghttp2: no memory for a session") }
    raw = made
  }

  deinit { nghttp2_session_del(raw) }

  /// Sets the target of the callbacks, which is not retained.
  func setOwner(_ owner: HTTP2Connection) {
    nghttp2_session_set_user_data(raw, Unmanaged.passUnretained(owner).toOpaque())
  }

  /// Takes input. Throws if a violation ends the session at once. Other violations cause a GOAWAY.
  func receive(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
    let taken = nghttp2_session_mem_recv(
      raw, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    guard taken >= 0 else { throw Self.error(Int32(taken)) }
  }

  /// Returns the next bytes to write, which are valid until the next call, or nil without output.
  func nextOutput() throws(WireError) -> UnsafeRawBufferPointer? {
    var bytes: UnsafePointer<UInt8>?
    let count = nghttp2_session_mem_send(raw, &bytes)
    guard count >= 0 else { throw Self.error(Int32(count)) }
    return count == 0 ? nil : UnsafeRawBufferPointer(start: bytes, count: count)
  }

  var wantsOutput: Bool { nghttp2_session_want_write(raw) != 0 }
  var isOver: Bool {
    nghttp2_session_want_read(raw) == 0 && nghttp2_session_want_write(raw) == 0
  }

  private static func error(_ code: Int32) -> WireError {
    .brokenHTTP2(reason: String(cString: nghttp2_strerror(code)))
  }
}

/// Constant header fields in stable memory, which nghttp2 need not copy.
struct HeaderBlock: ~Copyable {
  let fields: UnsafeMutablePointer<nghttp2_nv>
  let count: Int

  /// - Parameter spare: the number of fields at the end that the caller sets for each call.
  init(_ fields: [(StaticString, StaticString)], spare: Int = 0) {
    self.fields = .allocate(capacity: fields.count + spare)
    count = fields.count
    for (place, (name, value)) in fields.enumerated() {
      (self.fields + place).initialize(to: Self.field(name, value))
    }
    for place in fields.count..<fields.count + spare {
      (self.fields + place).initialize(to: nghttp2_nv())
    }
  }

  deinit { fields.deallocate() }

  static func field(_ name: StaticString, _ value: StaticString) -> nghttp2_nv {
    let flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
    return field(name.bytes, value.bytes, flags: UInt8(flags))
  }

  /// - Parameter value: the value's bytes, which nghttp2 copies.
  static func field(_ name: StaticString, _ value: UnsafeRawBufferPointer) -> nghttp2_nv {
    field(name.bytes, value, flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue))
  }

  /// - Parameter flags: which of the bytes nghttp2 need not copy.
  static func field(
    _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, flags: UInt8 = 0
  ) -> nghttp2_nv {
    // nghttp2 does not write to its input.
    func bytes(_ text: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
      UnsafeMutablePointer(mutating: text.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
    return nghttp2_nv(
      name: bytes(name), value: bytes(value), namelen: name.count, valuelen: value.count,
      flags: flags)
  }

  static func withFields<Value>(
    _ fields: [(name: String, value: [UInt8])],
    _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Value
  ) -> Value {
    var bytes: [UInt8] = []
    var lengths: [(name: Int, value: Int)] = []
    for (name, value) in fields {
      bytes += Array(name.utf8) + value
      lengths.append((name.utf8.count, value.count))
    }
    return bytes.withUnsafeBytes { bytes in
      var start = 0
      let views = lengths.map { length in
        let middle = start + length.name
        let end = middle + length.value
        defer { start = end }
        return field(
          UnsafeRawBufferPointer(rebasing: bytes[start..<middle]),
          UnsafeRawBufferPointer(rebasing: bytes[middle..<end]))
      }
      return views.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
    }
  }
}
