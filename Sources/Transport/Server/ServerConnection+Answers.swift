internal import SimulationCore
internal import Wire

/// Frames out: answers, streams and the window that they need.
extension ServerConnection {
  func reply(_ stream: UInt32, _ status: CallStatus, message: UnsafeRawBufferPointer) {
    guard let state = streams[stream], state.call != nil else { return }
    if status.code == .ok, !state.method.isServerStreaming {
      enqueue(dataBytes: FrameEncoder.dataBytes(ofMessage: message.count)) {
        FrameEncoder.message(stream: stream, message, endOfStream: true, into: &$0)
      }
      server.count {
        $0.statuses[Int(status.code.rawValue)] += 1
        $0.countEnd(of: state.method, status.code)
      }
      _ = remove(stream)
      closeIfDone()
    } else {
      finish(stream, status)
    }
  }

  func send(_ stream: UInt32, message: UnsafeRawBufferPointer) -> StreamSend {
    guard streams[stream]?.call != nil else { return .gone }
    guard bytesUnread + message.count <= server.limits.writeQueueBytesMax else {
      server.count { $0.writeQueueBytesMaxHits += 1 }
      return .full
    }
    enqueue(dataBytes: FrameEncoder.dataBytes(ofMessage: message.count)) {
      FrameEncoder.message(stream: stream, message, endOfStream: false, into: &$0)
    }
    return .queued
  }

  /// Ends an open stream with a status.
  func finish(_ stream: UInt32, _ status: CallStatus) {
    guard let state = remove(stream) else { return }
    answer(stream, status, to: state.method)
    closeIfDone()
  }

  func answer(_ stream: UInt32, _ status: CallStatus, to method: CollectorMethod?) {
    server.count {
      $0.statuses[Int(status.code.rawValue)] += 1
      $0.countEnd(of: method, status.code)
    }
    enqueue(dataBytes: 0) { FrameEncoder.status(stream: stream, status, into: &$0) }
  }

  func enqueue(dataBytes: Int, _ encode: (inout ByteBuffer) -> Void) {
    if stalled.isEmpty, sendWindow > 0 || dataBytes == 0 {
      sendWindow -= dataBytes
      write(encode)
    } else {
      var buffer = ByteBuffer()
      encode(&buffer)
      stalled.append(buffer.copyBytes(), dataBytes: dataBytes)
    }
    // Streams were asked before; answers to a reader that takes none end here.
    if bytesUnread > 2 * server.limits.writeQueueBytesMax {
      server.count { $0.writeQueueBytesMaxHits += 1 }
      link.end(.closedHere, reset: true)
    } else if link.bytesQueued > bytesUnreadMax {
      link.pauseReading()
    }
  }

  /// Who leaves so many bytes of answers unread gets no more calls in: 256 KiB, a thousand acks.
  var bytesUnreadMax: Int { server.limits.writeQueueBytesMax / 32 }

  /// Answers that the reader has not taken.
  var bytesUnread: Int { link.bytesQueued + stalled.bytes }

  func write(_ encode: (inout ByteBuffer) -> Void) {
    guard !link.isClosing else { return }
    if !hasSentSettings {
      hasSentSettings = true
      var settings = CarrierSettings()
      settings.windowBytes = server.limits.windowBytes
      settings.streamsMax = server.limits.streamsMax
      settings.messageBytesMax = server.limits.messageBytesMax
      settings.dictionary = server.limits.dictionary
      // A client knows the defaults; only a server that differs has something to say.
      if settings != CarrierSettings() { FrameEncoder.settings(settings, into: &link.output) }
    }
    link.write(encode)
    link.flushLater()
  }

  func remove(_ stream: UInt32) -> ServerStream? {
    guard let state = streams.removeValue(forKey: stream) else { return nil }
    server.count {
      $0.streams -= 1
      $0.inFlightBytes -= state.inFlightBytes
    }
    if state.call == nil { halfOpen -= 1 }
    credit(state.dataBytes)
    return state
  }

  /// Gives window back once half of it has been used up; a connection of one upload never needs.
  func credit(_ bytes: Int) {
    consumed += bytes
    guard consumed >= server.limits.windowBytes / 2 else { return }
    let grant = exchange(&consumed, with: 0)
    receiveWindow += grant
    write { FrameEncoder.window(grant, into: &$0) }
  }
}
