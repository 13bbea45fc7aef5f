internal import Core
internal import Foundation
internal import Push
internal import Scenarios
internal import Transport

/// A service account for a sender through Firebase Cloud Messaging, with a new key and a file.
struct PushEndpointAccount {
  let account: MessagingAccount
  private let key: RSAKey

  /// Returns nil if FCM is not requested.
  init?(_ options: PushEndpointOptions) throws {
    guard options.keys.accountOut != nil else { return nil }
    key = try RSAKey()
    var account = MessagingAccount(
      project: options.project,
      email: "flotilla@\(options.project).iam.gserviceaccount.com",
      keyID: UUID().uuidString.lowercased().filter { $0 != "-" }, checker: key)
    account.perMinute = options.messagesPerMinute
    self.account = account
  }

  /// Returns the account's file, with access tokens from the endpoint at `url`.
  func json(at url: String) -> String {
    let content = [
      "type": "service_account", "project_id": account.project,
      "private_key_id": account.keyID, "private_key": key.privatePEM,
      "client_email": account.email, "client_id": "100000000000000000001",
      "auth_uri": "\(url)/auth", "token_uri": url + MessagingEndpoint.tokenPath,
      "universe_domain": "googleapis.com",
    ]
    // The content has only strings, so encoding cannot fail.
    return ((try? content.jsonText(isPretty: true)) ?? "") + "\n"
  }
}
