/// The service account by which a user's server sends through Firebase Cloud Messaging.
package struct MessagingAccount: Sendable {
  /// Is the project of the phones' app.
  package var project: String
  /// Names the account.
  package var email: String
  /// Names its key.
  package var keyID: String
  /// Checks signatures by its key: RS256.
  package var checker: any SignatureChecker
  /// Messages of the project within a minute before QUOTA_EXCEEDED; FCM's own limit is 600,000.
  package var perMinute = 600_000

  /// Makes the account from its parts.
  package init(project: String, email: String, keyID: String, checker: any SignatureChecker) {
    self.project = project
    self.email = email
    self.keyID = keyID
    self.checker = checker
  }
}

/// What an endpoint has answered in the place of Firebase Cloud Messaging.
package struct MessagingTally: Equatable, Sendable {
  /// Counts the messages that were accepted.
  package internal(set) var accepted = 0
  /// Counts the messages that were only validated.
  package internal(set) var validated = 0
  /// Counts the access tokens that were given.
  package internal(set) var tokens = 0
  /// Counts the requests for one that were refused.
  package private(set) var tokensRefused = 0
  /// Counts those by what was wrong.
  package private(set) var tokenFaults: [String: Int] = [:]
  /// The cause of the first refusal for each reason.
  package private(set) var examples: [MessagingReason: String] = [:]
  private var refused = [Int](repeating: 0, count: MessagingReason.allCases.count)

  /// Returns how many messages were refused for a reason.
  package func refused(_ reason: MessagingReason) -> Int {
    MessagingReason.allCases.firstIndex(of: reason).map { refused[$0] } ?? 0
  }

  /// Lists the reasons that were given, with how often each was.
  package var reasons: [(reason: MessagingReason, count: Int)] {
    zip(MessagingReason.allCases, refused).filter { $0.1 > 0 }.map { ($0.0, $0.1) }
  }

  mutating func note(_ reason: MessagingReason, _ description: String) {
    if let place = MessagingReason.allCases.firstIndex(of: reason) { refused[place] += 1 }
    if examples[reason] == nil { examples[reason] = description }
  }

  /// - Parameter fault: one of a few texts of this room.
  mutating func noteTokenRefused(_ fault: String) {
    tokensRefused += 1
    tokenFaults[fault, default: 0] += 1
  }
}

/// What is answered to a request that does not speak to the push provider itself.
package struct GatewayAnswer: Equatable, Sendable {
  /// Is the status of HTTP.
  package var status: Int
  /// Is JSON.
  package var body: String
  /// The sender is asked to come again later.
  package var asksToWait = false
  /// What was accepted with it, and is to be delivered.
  package var push: AcceptedPush?

  /// Makes an answer from its parts.
  package init(
    status: Int, body: String, asksToWait: Bool = false, push: AcceptedPush? = nil
  ) {
    self.status = status
    self.body = body
    self.asksToWait = asksToWait
    self.push = push
  }
}
