internal import CMosquitto
internal import COpenSSL
internal import CMosquittoGuard
internal import Core
internal import Foundation

struct MosquittoStatus {
  let code: Int32
  /// The value of errno after the call, meaningful for MOSQ_ERR_ERRNO.
  let systemError: Int32

  init(_ code: Int32) {
    systemError = errno
    self.code = code
  }

  private init(lost: Void) { (code, systemError) = (MOSQ_ERR_CONN_LOST.rawValue, 0) }

  static let lost = MosquittoStatus(lost: ())

  var isFine: Bool { code == MOSQ_ERR_SUCCESS.rawValue }
  var text: String { String(cString: mosquitto_strerror(code)) }
}

/// Owns one libmosquitto client for one connection. libmosquitto calls back during `read`, `write`
/// and `publish`, and the callbacks must not free the handle.
struct MosquittoHandle: ~Copyable {
  private let raw: OpaquePointer

  /// The result of libmosquitto's initialisation, which is thread-safe and happens once.
  private static let library = mosquitto_lib_init()

  /// Returns nil without memory or for an invalid client name. `connection` must own the handle.
  init?(_ login: MQTTLogin, _ settings: MQTTSettings, _ connection: MQTTConnection) {
    precondition(Self.library == MOSQ_ERR_SUCCESS.rawValue, "libmosquitto failed to initialise")
    let owner = Unmanaged.passUnretained(connection).toOpaque()
    flotilla_refuse_socket_pairs(1)
    defer { flotilla_refuse_socket_pairs(0) }
    let made =
      login.client.isEmpty
      ? mosquitto_new(nil, true, owner) : mosquitto_new(login.client, settings.isClean, owner)
    guard let made else { return nil }
    raw = made
    setCallbacks()
    let version = settings.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
    mosquitto_int_option(raw, MOSQ_OPT_PROTOCOL_VERSION, version)
    mosquitto_int_option(raw, MOSQ_OPT_TCP_NODELAY, 1)
    if let user = login.user { mosquitto_username_pw_set(raw, user, login.password) }
    if let will = login.will {
      _ = will.body.withUnsafeBytes { body in
        mosquitto_will_set(
          raw, will.topic, Int32(body.count), body.baseAddress, Int32(will.qos), will.isRetained)
      }
    }
    if settings.version == .v5 { setProperties(settings) }
  }

  deinit { mosquitto_destroy(raw) }

  private func setCallbacks() {
    mosquitto_connect_v5_callback_set(raw) { _, owner, code, _, _ in
      MQTTConnection.behind(owner).acknowledged(code: code)
    }
    mosquitto_publish_v5_callback_set(raw) { _, owner, message, code, _ in
      MQTTConnection.behind(owner).acknowledged(message: message, code: code)
    }
    mosquitto_disconnect_v5_callback_set(raw) { _, owner, code, _ in
      MQTTConnection.behind(owner).noteLeave(code: code)
    }
  }

  /// Sets MQTT 5 CONNECT properties. A persistent session never expires (3.1.2.11.2), and the
  /// broker's packets must be small, unless the client has subscriptions.
  private func setProperties(_ settings: MQTTSettings) {
    var list: OpaquePointer?
    if !settings.isClean {
      mosquitto_property_add_int32(
        &list, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), .max)
    }
    mosquitto_property_add_int32(
      &list, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), UInt32(settings.receivedBytesMax))
    _ = flotilla_set_connect_properties(raw, "", list)
    mosquitto_property_free_all(&list)
  }

  // MARK: The connection

  /// Secures the coming connection with a context that libmosquitto retains.
  func secure(_ context: OpaquePointer) {
    mosquitto_int_option(raw, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0)
    mosquitto_void_option(raw, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(context))
  }

  /// Records libmosquitto's error lines. `silence` ends the recording, since lines cost memory.
  func log() {
    mosquitto_log_callback_set(raw) { _, owner, level, text in
      guard level == MOSQ_LOG_ERR, let text else { return }
      MQTTConnection.behind(owner).note(error: text)
    }
  }

  func silence() { mosquitto_log_callback_set(raw, nil) }

  /// Begins to connect. `address` must be numeric, since resolving a name would block the loop; with
  /// port 0 it is the path of a local socket, which connects at once.
  func connect(to address: String, port: UInt16, keepalive: WallDuration) -> MosquittoStatus {
    flotilla_refuse_socket_pairs(1)
    defer { flotilla_refuse_socket_pairs(0) }
    return MosquittoStatus(
      mosquitto_connect_bind_async(
        raw, address, Int32(port), Self.seconds(keepalive), nil))
  }

  /// Returns a keep-alive interval that libmosquitto accepts: 0 (never), or 5 to 65,535.
  private static func seconds(_ duration: WallDuration) -> Int32 {
    guard duration > .zero else { return 0 }
    return Int32(min(65_535, max(5, duration.microseconds / 1_000_000)))
  }

  /// The socket's descriptor, or -1 without a socket.
  var socket: Int32 { mosquitto_socket(raw) }
  var wantsToWrite: Bool { mosquitto_want_write(raw) }
  /// The connection's `SSL`, or nil for plaintext or without a connection.
  var ssl: OpaquePointer? { mosquitto_ssl_get(raw).map { OpaquePointer($0) } }

  enum Start: Equatable {
    case nothing
    /// The input may begin an MQTT packet, or the stream has ended.
    case readable
    case strange(reason: String)
  }

  /// The kind of the unread input, which stays unread. libmosquitto would accept other packets
  /// before CONNACK, and would wait for the end of any input that begins like a packet.
  var start: Start {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count: Int
    let isNothing: Bool
    if let ssl {
      guard SSL_is_init_finished(ssl) == 1 else { return .readable }
      count = Int(SSL_peek(ssl, &bytes, Int32(bytes.count)))
      isNothing = count <= 0 && SSL_get_error(ssl, Int32(count)) == SSL_ERROR_WANT_READ
      ERR_clear_error()
    } else {
      count = recv(socket, &bytes, bytes.count, Int32(MSG_PEEK))
      isNothing = count < 0 && errno == EAGAIN
    }
    if isNothing { return .nothing }
    // 0x20 begins CONNACK, and 0xF0 begins AUTH of MQTT 5.
    guard count > 0, bytes[0] != 0x20, bytes[0] != 0xF0 else { return .readable }
    let isText = bytes.prefix(count).allSatisfy { $0 >= 0x20 && $0 < 0x7F || $0 == 13 || $0 == 10 }
    guard isText else { return .strange(reason: "it begins with the byte \(bytes[0])") }
    let line = bytes.prefix(count).prefix { $0 >= 0x20 }
    // swift-format-ignore: it is ASCII.
    return .strange(reason: "it begins with '\(String(decoding: line, as: UTF8.self))'")
  }

  /// Reads packets. A failed assertion of libmosquitto is an error, not the end of the program.
  func read() -> MosquittoStatus {
    MosquittoStatus(
      flotilla_guard_assertions(
        { flotilla_loop_read($0, $1) }, UnsafeMutableRawPointer(raw), 1,
        MOSQ_ERR_PROTOCOL.rawValue))
  }

  func write() -> MosquittoStatus { MosquittoStatus(mosquitto_loop_write(raw, 1)) }

  /// Sends a ping if due, and checks for the broker's answer. Must be called about once a second.
  func keepAlive() -> MosquittoStatus { MosquittoStatus(mosquitto_loop_misc(raw)) }

  /// Writes as much of a publish as the socket takes. `number` receives the packet identifier.
  func publish(_ message: MQTTMessage, number: inout Int32) -> MosquittoStatus {
    message.body.withUnsafeBytes { body in
      MosquittoStatus(
        mosquitto_publish_v5(
          raw, &number, message.topic, Int32(body.count), body.baseAddress, Int32(message.qos),
          message.isRetained, nil))
    }
  }

  /// Subscribes in one packet. Messages and the broker's answer are recorded from now on.
  func subscribe(to topics: [String], qos: Int) -> MosquittoStatus {
    mosquitto_subscribe_v5_callback_set(raw) { _, owner, _, count, codes, _ in
      MQTTConnection.behind(owner).noteGranted(
        Array(UnsafeBufferPointer(start: codes, count: Int(count))))
    }
    mosquitto_message_v5_callback_set(raw) { _, owner, message, _ in
      guard let message = message?.pointee, let topic = message.topic else { return }
      let body = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
      MQTTConnection.behind(owner).note(
        MQTTMessage(
          topic: String(cString: topic), body: Array(body), qos: Int(message.qos),
          isRetained: message.retain))
    }
    let texts = topics.map { strdup($0) }
    defer { for text in texts { free(text) } }
    return MosquittoStatus(
      mosquitto_subscribe_multiple(raw, nil, Int32(texts.count), texts, Int32(qos), 0, nil))
  }

  /// Disconnects, so that the broker publishes no will, and closes the socket.
  func disconnect() { mosquitto_disconnect(raw) }

  // MARK: Texts

  static func text(reason: Int) -> String {
    String(cString: mosquitto_reason_string(Int32(reason)))
  }

  static func text(connect code: Int) -> String {
    // Codes from 128 on are reason codes of MQTT 5.
    let text =
      code < 128 ? mosquitto_connack_string(Int32(code)) : mosquitto_reason_string(Int32(code))
    let words = text.map { String(cString: $0) } ?? "no reason given"
    let start = "Connection Refused: "
    return words.hasPrefix(start) ? String(words.dropFirst(start.count).dropLast()) : words
  }
}
