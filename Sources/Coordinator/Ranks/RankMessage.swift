internal import Foundation

/// What the processes of a run send each other. All speak with the first; it answers.
enum RankMessage: Codable, Equatable, Sendable {
  /// A process gives its value of an exchange. The first answers with those of all; nil stands for
  /// one that has ended.
  case gives(Data)
  case given([Data?])
  /// What a process saw of a second; nil once there is no more.
  case saw(Data?)
  /// What a process leaves at its end.
  case ends(Data)
  /// All shall end early.
  case stops
  /// The sender is there.
  case lives
  /// Asks for the first's clock, and the answer to it; in microseconds.
  case asksTime
  case time(Int64)
  /// The first process leaves, so that the others may.
  case leaves
  /// What one process of the run has for another.
  case parcel(Data)

  /// The message as it travels.
  var bytes: [UInt8] {
    do { return Array(try JSONEncoder().encode(self)) } catch {
      preconditionFailure("bytes and numbers can be written: \(error)")
    }
  }

  /// nil: no process of this program sent it.
  init?(_ bytes: [UInt8]) {
    guard let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = read
  }
}
