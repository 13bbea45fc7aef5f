/// The meaning of a push provider's status for the push and its phone.
package enum PushAnswer: Equatable, Sendable, BitwiseCopyable {
  case accepted
  /// The token is dead until the phone registers anew.
  case tokenIsDead
  /// The provider is busy: the push may be retried, and the phone's state is unknown.
  case busy
  /// The same push would be refused again; the phone's state is unknown.
  case refused

  /// The status is that of HTTP whatever the provider.
  package init(status: Int) {
    self =
      switch status {
      case 200: .accepted
      case 400, 410: .tokenIsDead
      case 429, 500, 503: .busy
      default: .refused
      }
  }
}
