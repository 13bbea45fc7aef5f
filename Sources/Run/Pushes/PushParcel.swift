internal import Core
internal import Foundation
internal import Push
internal import Uploads

/// The messages about outside pushes between the processes of a live run.
///
///     first process: endpoint ──pushes──▶ the process that has the phone
///     first process: endpoint ◀──tokens that die, apps installed anew── the others
struct PushParcel: Codable, Equatable, Sendable {
  /// A token that is dead from a scenario instant on.
  struct Ending: Codable, Equatable, Sendable {
    var phone: UInt32
    var microseconds: Int64
  }

  /// An app that was installed anew and registers; the epoch identifies the installation.
  struct Installation: Codable, Equatable, Sendable {
    var phone: UInt32
    var epoch: UInt32
  }

  var pushes: [AcceptedPush] = []
  /// When that was by the sender's clock, in milliseconds since 1970.
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
      preconditionFailure("numbers and words can be written: \(error)")
    }
  }
}

extension SharePlace {
  func process(of phone: PhoneID, of phones: Int) -> Int {
    let number = Int(phone.rawValue)
    // The ranges are even but for one phone, so that the guess is at most one off.
    let guess = min(count - 1, number * count / max(1, phones))
    for candidate in [guess, guess + 1, guess - 1] where (0..<count).contains(candidate) {
      if range(of: phones, at: candidate).contains(number) { return candidate }
    }
    return guess
  }
}
