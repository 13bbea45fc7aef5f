/// The header fields of a request to a push provider, as views of the request's bytes. The bytes
/// must stay in memory until the request is decided. No field is allocated.
package struct PushHead {
  private(set) var method = UnsafeRawBufferPointer(start: nil, count: 0)
  private(set) var path = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The field `authorization`; nil if absent, like the fields below.
  private(set) var authorization: UnsafeRawBufferPointer?
  private(set) var topic: UnsafeRawBufferPointer?
  private(set) var type: UnsafeRawBufferPointer?
  /// The sender's id of the push; nil if absent.
  package private(set) var id: UnsafeRawBufferPointer?
  private(set) var expiration: UnsafeRawBufferPointer?
  private(set) var priority: UnsafeRawBufferPointer?
  private(set) var collapseID: UnsafeRawBufferPointer?
  /// Whether a field that must be unique came twice.
  private(set) var hasDuplicates = false

  package init() {}

  package mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    switch name.count {
    case 5 where name.isText(":path"): path = value
    case 7 where name.isText(":method"): method = value
    case 7 where name.isText("apns-id"): set(\.id, value)
    case 10 where name.isText("apns-topic"): set(\.topic, value)
    case 13 where name.isText("authorization"): set(\.authorization, value)
    case 13 where name.isText("apns-priority"): set(\.priority, value)
    case 14 where name.isText("apns-push-type"): set(\.type, value)
    case 15 where name.isText("apns-expiration"): set(\.expiration, value)
    case 16 where name.isText("apns-collapse-id"): set(\.collapseID, value)
    default: break
    }
  }

  private mutating func set(
    _ field: WritableKeyPath<PushHead, UnsafeRawBufferPointer?>, _ value: UnsafeRawBufferPointer
  ) {
    if self[keyPath: field] != nil { hasDuplicates = true }
    self[keyPath: field] = value
  }

  /// The path after `/3/device/`; nil for other paths.
  var deviceToken: UnsafeRawBufferPointer? { path.behind("/3/device/") }
}
