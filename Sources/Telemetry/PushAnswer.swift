/// What the status that a push provider answers says of the push and of its phone.
package enum PushAnswer: Equatable, Sendable, BitwiseCopyable {
  /// The provider has taken the push.
  case accepted
  /// The token is dead until the phone registers anew.
  case tokenIsDead
  /// The push may be asked for again: the provider is busy, and says nothing of the phone.
  case busy
  /// The same push would be refused again; the status says nothing of the phone.
  case refused

  /// Reads a status, which is that of HTTP whatever the provider.
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
