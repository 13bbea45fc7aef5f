/// Checks a key's signatures, so that the endpoint needs no cryptography.
package protocol SignatureChecker: Sendable {
  /// - Parameter signature: for ES256, two numbers of 32 bytes each.
  func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool
}

/// The keys of the senders that may push.
package enum ProviderKeys: Sendable {
  /// Any sender may push, since signatures are not checked. A report must state the missing check.
  case any
  case known([Key])

  package struct Key: Sendable {
    package enum Scope: String, CaseIterable, Sendable { case both, production, sandbox }
    /// The team id, ten characters; empty for any team.
    package var team: String
    /// The key id, ten characters; empty for any key.
    package var id: String
    package var scope: Scope
    package var checker: any SignatureChecker

    package init(
      team: String, id: String, scope: Scope = .both, checker: any SignatureChecker
    ) {
      self.team = team
      self.id = id
      self.scope = scope
      self.checker = checker
    }
  }

  func refusal(of token: ProviderToken, isSandbox: Bool) -> ProviderTokenError? {
    switch self {
    case .any: return nil
    case .known(let keys):
      let named = keys.filter { key in
        (key.id.isEmpty || key.id == token.keyID) && (key.team.isEmpty || key.team == token.team)
      }
      let name = "kid \(JSONText.shown(token.keyID)), iss \(JSONText.shown(token.team))"
      if named.isEmpty { return ProviderTokenError(.invalidProviderToken, .unknownKey, name) }
      let key = named.first { $0.checker.isSignature(token.signature, of: token.signed) }
      guard let key else { return ProviderTokenError(.invalidProviderToken, .wrongSignature, name) }
      let isHere = key.scope == .both || (key.scope == .sandbox) == isSandbox
      return isHere ? nil : ProviderTokenError(.badEnvironmentKeyID, .wrongEnvironment, name)
    }
  }
}
