/// The purpose of a push (`apns-push-type`), with its topic suffix and payload limit (Apple,
/// "Sending notification requests to APNs").
package enum PushType: String, CaseIterable, Sendable, Codable, BitwiseCopyable {
  case alert, background, location, voip, complication, fileprovider, mdm, liveactivity
  case pushtotalk, widgets, controls

  init?(_ text: UnsafeRawBufferPointer) {
    for type in Self.allCases where text.elementsEqual(type.rawValue.utf8) {
      self = type
      return
    }
    return nil
  }

  /// The index of the case. An enumeration without payloads is stored as this index.
  package var index: Int { Int(unsafeBitCast(self, to: UInt8.self)) }

  /// The suffix of the topic, after the app's bundle id.
  var topicSuffix: StaticString {
    switch self {
    case .alert, .background, .mdm: ""
    case .location: ".location-query"
    case .voip: ".voip"
    case .complication: ".complication"
    case .fileprovider: ".pushkit.fileprovider"
    case .liveactivity: ".push-type.liveactivity"
    case .pushtotalk: ".voip-ptt"
    case .widgets: ".push-type.widgets"
    case .controls: ".push-type.controls"
    }
  }

  /// The size limit of the payload, in bytes.
  package var payloadMax: Int {
    switch self {
    case .voip: 5_120
    case .alert, .background, .location, .complication, .fileprovider, .mdm, .liveactivity,
      .pushtotalk, .widgets, .controls:
      4_096
    }
  }

  package static let payloadMost = 5_120
}
