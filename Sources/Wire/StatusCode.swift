/// gRPC's canonical status codes. PROTOCOL.md, section 6, says when the server sends each.
package enum StatusCode: UInt8, CaseIterable, Sendable {
  case ok = 0
  case cancelled, unknown, invalidArgument, deadlineExceeded, notFound, alreadyExists
  case permissionDenied, resourceExhausted, failedPrecondition, aborted, outOfRange
  case unimplemented, `internal`, unavailable, dataLoss, unauthenticated

  /// Whether a client may retry the call, since the server may not have acted on it.
  package var isRetriable: Bool {
    switch self {
    case .unavailable, .resourceExhausted, .dataLoss: true
    case .ok, .cancelled, .unknown, .invalidArgument, .deadlineExceeded, .notFound,
      .alreadyExists, .permissionDenied, .failedPrecondition, .aborted, .outOfRange,
      .unimplemented, .internal, .unauthenticated:
      false
    }
  }
}

extension StatusCode: CustomStringConvertible {
  /// The canonical upper-case name, as in `RESOURCE_EXHAUSTED`.
  package var description: String {
    switch self {
    case .ok: "OK"
    case .cancelled: "CANCELLED"
    case .unknown: "UNKNOWN"
    case .invalidArgument: "INVALID_ARGUMENT"
    case .deadlineExceeded: "DEADLINE_EXCEEDED"
    case .notFound: "NOT_FOUND"
    case .alreadyExists: "ALREADY_EXISTS"
    case .permissionDenied: "PERMISSION_DENIED"
    case .resourceExhausted: "RESOURCE_EXHAUSTED"
    case .failedPrecondition: "FAILED_PRECONDITION"
    case .aborted: "ABORTED"
    case .outOfRange: "OUT_OF_RANGE"
    case .unimplemented: "UNIMPLEMENTED"
    case .internal: "INTERNAL"
    case .unavailable: "UNAVAILABLE"
    case .dataLoss: "DATA_LOSS"
    case .unauthenticated: "UNAUTHENTICATED"
    }
  }
}

/// The methods of `flotilla.v1.Collector`, by the names in collector.proto.
package enum CollectorMethod: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case openRun, register, upload, pushes, pushResult, snapshot, restore, holdings, health, ask

  package var path: StaticString {
    switch self {
    case .openRun: "/flotilla.v1.Collector/OpenRun"
    case .register: "/flotilla.v1.Collector/Register"
    case .upload: "/flotilla.v1.Collector/Upload"
    case .pushes: "/flotilla.v1.Collector/Pushes"
    case .pushResult: "/flotilla.v1.Collector/PushResult"
    case .snapshot: "/flotilla.v1.Collector/Snapshot"
    case .restore: "/flotilla.v1.Collector/Restore"
    case .holdings: "/flotilla.v1.Collector/Holdings"
    case .health: "/flotilla.v1.Collector/Health"
    case .ask: "/flotilla.v1.Collector/Ask"
    }
  }

  package var isServerStreaming: Bool { self == .pushes }

  /// Creates a method by its path; nil for an unknown path, which gets the answer UNIMPLEMENTED.
  package init?(path bytes: UnsafeRawBufferPointer) {
    for method in Self.allInCallOrder where bytes.equals(method.path) {
      self = method
      return
    }
    return nil
  }

  /// All methods, the most frequent first.
  private static let allInCallOrder: [Self] = [
    .upload, .register, .pushResult, .snapshot, .health, .openRun, .pushes, .restore, .holdings,
    .ask,
  ]
}
