internal import Core
internal import Foundation
internal import Push
internal import Uploads

/// The messages about outside pushes between the processes of a live run.
///
///     first process: endpoint ──pushes──▶ the process of the phone
///     first process: endpoint ◀──expired tokens, reinstalled apps── the others
struct PushParcel: Codable, Equatable, Sendable {
  /// A token that is invalid from a scenario instant on.
  struct Ending: Codable, Equatable, Sendable {
    var phone: UInt32
    var microseconds: Int64
  }

  /// A reinstalled app that registers; the epoch identifies the installation.
  struct Installation: Codable, Equatable, Sendable {
    var phone: UInt32
    var epoch: UInt32
  }

  var pushes: [AcceptedPush] = []
  /// The time of the push by the sender's clock, in milliseconds since 1970.
  var unix: Int64 = 0
  var endings: [Ending] = []
  var installations: [Installation] = []

  init() {}

  init?(_ data: Data) {
    guard let read = try? JSONDecoder().decode(PushParcel.self, from: data) else { return nil }
    self = read
  }

  var data: Data {
    do { return try JSONEncoder().encode(self) } catch {
      preconditionFailure("numbers and strings can be encoded: \(error)")
    }
  }
}

extension SharePlace {
  func process(of phone: PhoneID, of phones: Int) -> Int {
    let number = Int(phone.rawValue)
    // Ranges differ by at most one phone in length, so the guess is off by at most one process.
    let guess = min(count - 1, number * count / max(1, phones))
    for candidate in [guess, guess + 1, guess - 1] where (0..<count).contains(candidate) {
      if range(of: phones, at: candidate).contains(number) { return candidate }
    }
    return guess
  }
}
