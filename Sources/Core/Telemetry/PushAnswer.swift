/// The meaning of a push provider's status for the push and its phone.
package enum PushAnswer: Equatable, Sendable, BitwiseCopyable {
  case accepted
  /// The token is invalid until the phone registers again.
  case tokenIsDead
  /// The provider was too busy. The push may be retried; the phone's state is unknown.
  case busy
  /// The same push would be refused again; the phone's state is unknown.
  case refused

  /// Creates the answer from an HTTP status, whose meaning is the same for all providers.
  package init(status: Int) {
    self =
      switch status {
      case 200: .accepted
      case 400, 404, 410: .tokenIsDead
      case 429, 500, 503: .busy
      default: .refused
      }
  }
}
