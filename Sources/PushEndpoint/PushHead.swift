/// What the header fields of a request to a push provider say, as they come.
///
/// Holds views of the request's own bytes, which have to stay where they are until it is decided:
/// no field costs an allocation.
package struct PushHead {
  private(set) var method = UnsafeRawBufferPointer(start: nil, count: 0)
  private(set) var path = UnsafeRawBufferPointer(start: nil, count: 0)
  /// nil: absent; so are the ones below.
  private(set) var authorization: UnsafeRawBufferPointer?
  private(set) var topic: UnsafeRawBufferPointer?
  private(set) var type: UnsafeRawBufferPointer?
  /// Is what the sender calls the push, where it says so.
  package private(set) var id: UnsafeRawBufferPointer?
  private(set) var expiration: UnsafeRawBufferPointer?
  private(set) var priority: UnsafeRawBufferPointer?
  private(set) var collapseID: UnsafeRawBufferPointer?
  /// A field that may stand once stood twice.
  private(set) var hasDuplicates = false

  /// Makes a head without a field.
  package init() {}

  /// Takes a field; its name is in lower case.
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

  /// What stands behind `/3/device/`; nil: the path is another.
  var deviceToken: UnsafeRawBufferPointer? { path.behind("/3/device/") }
}
