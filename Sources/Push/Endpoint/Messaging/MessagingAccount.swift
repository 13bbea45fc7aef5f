package struct MessagingAccount: Sendable {
  package var project: String
  package var email: String
  package var keyID: String
  package var checker: any SignatureChecker
  /// The project's limit of messages per minute before QUOTA_EXCEEDED, by default that of FCM.
  package var perMinute = 600_000

  package init(project: String, email: String, keyID: String, checker: any SignatureChecker) {
    self.project = project
    self.email = email
    self.keyID = keyID
    self.checker = checker
  }
}

package struct MessagingTally: Equatable, Sendable {
  package internal(set) var accepted = 0
  package internal(set) var validated = 0
  package internal(set) var tokens = 0
  package private(set) var tokensRefused = 0
  /// The numbers of refused token requests by fault.
  package private(set) var tokenFaults: [String: Int] = [:]
  /// The cause of the first refusal for each reason.
  package private(set) var examples: [MessagingReason: String] = [:]
  private var refused: [MessagingReason: Int] = [:]

  package func refused(_ reason: MessagingReason) -> Int { refused[reason] ?? 0 }

  package var reasons: [(reason: MessagingReason, count: Int)] {
    MessagingReason.allCases.compactMap { reason in refused[reason].map { (reason, $0) } }
  }

  mutating func note(_ reason: MessagingReason, _ description: String) {
    refused[reason, default: 0] += 1
    if examples[reason] == nil { examples[reason] = description }
  }

  /// - Parameter fault: one of a few fixed texts, so that `tokenFaults` stays small.
  mutating func noteTokenRefused(_ fault: String) {
    tokensRefused += 1
    tokenFaults[fault, default: 0] += 1
  }
}

package struct GatewayAnswer: Equatable, Sendable {
  package var status: Int
  /// The body, as JSON.
  package var body: String
  /// Whether the sender should retry later.
  package var asksToWait = false
  package var push: AcceptedPush?

  package init(
    status: Int, body: String, asksToWait: Bool = false, push: AcceptedPush? = nil
  ) {
    self.status = status
    self.body = body
    self.asksToWait = asksToWait
    self.push = push
  }
}
