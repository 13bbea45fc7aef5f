/// Whether a signature is a key's: the machine of the endpoint knows no cryptography.
package protocol SignatureChecker: Sendable {
  /// Returns whether `signature`, two numbers of 32 bytes, is this key's for `message`.
  func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool
}

/// Who may push: any sender with a token that can be read, or those with one of some keys.
package enum ProviderKeys: Sendable {
  /// Signatures are not checked; a report has to say so.
  case any
  case known([Key])

  /// One key that a team has registered.
  package struct Key: Sendable {
    /// Names the environments in which a key may be used.
    package enum Scope: String, CaseIterable, Sendable { case both, production, sandbox }
    /// Is the team's ten characters; empty: any team.
    package var team: String
    /// Is the key's ten characters; empty: any name.
    package var id: String
    /// Says where it may be used.
    package var scope: Scope
    /// Checks signatures by it.
    package var checker: any SignatureChecker

    /// Makes the key of a team.
    package init(
      team: String, id: String, scope: Scope = .both, checker: any SignatureChecker
    ) {
      self.team = team
      self.id = id
      self.scope = scope
      self.checker = checker
    }
  }

  /// Returns what is wrong with a token, its age aside; nil: nothing.
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
