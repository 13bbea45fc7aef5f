internal import CProtobufC

/// Memory for one protobuf-c message at a time, freed at once by `reset`. The hard capacity bounds
/// what a hostile message can allocate; pages become resident only when used.
package final class Arena {
  private let state: UnsafeMutablePointer<State>
  let allocator: UnsafeMutablePointer<ProtobufCAllocator>

  private struct State {
    var base: UnsafeMutableRawPointer
    var capacity: Int
    var used: Int

    mutating func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
      guard size <= capacity - used else { return nil }
      let place = base + used
      used = min((used + size + 15) & ~15, capacity)
      return place
    }
  }

  /// Creates an empty arena of `capacity` bytes, rounded down to a multiple of 16.
  package init(capacity: Int) {
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(
        base: .allocate(byteCount: capacity, alignment: 16), capacity: capacity & ~15, used: 0))
    allocator = .allocate(capacity: 1)
    allocator.initialize(
      to: ProtobufCAllocator(
        alloc: { data, size in
          // `allocator_data` is the state that this arena owns.
          data?.assumingMemoryBound(to: State.self).pointee.allocate(size)
        },
        free: { _, _ in },
        allocator_data: UnsafeMutableRawPointer(state)))
  }

  deinit {
    state.pointee.base.deallocate()
    state.deallocate()
    allocator.deallocate()
  }

  package func reset() { state.pointee.used = 0 }

  func allocate<Element>(
    _ type: Element.Type, count: Int
  ) throws(WireError) -> UnsafeMutablePointer<Element> {
    guard let place = state.pointee.allocate(count * MemoryLayout<Element>.stride) else {
      throw .messageTooLarge(
        bytes: state.pointee.used + count * MemoryLayout<Element>.stride,
        limit: state.pointee.capacity)
    }
    return place.bindMemory(to: Element.self, capacity: count)
  }

  func make<Message>(
    _ initialize: (UnsafeMutablePointer<Message>?) -> Void
  ) throws(WireError) -> UnsafeMutablePointer<Message> {
    let message = try allocate(Message.self, count: 1)
    initialize(message)
    return message
  }

  func copy<Element: BitwiseCopyable>(
    _ elements: [Element]
  ) throws(WireError) -> UnsafeMutablePointer<Element> {
    let place = try allocate(Element.self, count: elements.count)
    elements.withUnsafeBufferPointer { source in
      if let base = source.baseAddress { place.initialize(from: base, count: source.count) }
    }
    return place
  }

  /// Returns a NUL-terminated copy; a NUL inside the string ends the copy.
  func string(_ string: String) throws(WireError) -> UnsafeMutablePointer<CChar> {
    try copy(string.utf8.map { CChar(bitPattern: $0) } + [0])
  }

  func messages<Value, Message>(
    _ values: [Value], _ build: (Value) throws(WireError) -> UnsafeMutablePointer<Message>
  ) throws(WireError) -> UnsafeMutablePointer<UnsafeMutablePointer<Message>?> {
    let place = try allocate(UnsafeMutablePointer<Message>?.self, count: values.count)
    for (index, value) in values.enumerated() {
      (place + index).initialize(to: try build(value))
    }
    return place
  }

  func unpack<Message>(
    _ bytes: UnsafeRawBufferPointer, _ name: String,
    _ unpack: (
      UnsafeMutablePointer<ProtobufCAllocator>?, Int, UnsafePointer<UInt8>?
    ) -> UnsafeMutablePointer<Message>?
  ) throws(WireError) -> UnsafeMutablePointer<Message> {
    reset()
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard let message = unpack(allocator, bytes.count, start) else {
      throw .malformedMessage(name)
    }
    return message
  }
}

func pack(_ message: UnsafeMutableRawPointer, into buffer: inout ByteBuffer) {
  let message = message.assumingMemoryBound(to: ProtobufCMessage.self)
  let size = protobuf_c_message_get_packed_size(message)
  let place = buffer.reserve(size)
  buffer.commit(
    protobuf_c_message_pack(message, place.baseAddress?.assumingMemoryBound(to: UInt8.self)))
}
