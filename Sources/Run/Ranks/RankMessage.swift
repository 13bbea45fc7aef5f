internal import Foundation

/// The messages between the processes of a run. All others send to the first, which answers.
enum RankMessage: Codable, Equatable, Sendable {
  /// A process's value of an exchange. `given` is the answer: all values; nil for an ended process.
  case gives(Data)
  case given([Data?])
  /// The interval of a second; nil after the last interval.
  case saw(Data?)
  case ends(Data)
  case stops
  /// A heartbeat.
  case lives
  /// The request for the first process's wall-clock time; the answer is in microseconds.
  case asksTime
  case time(Int64)
  /// The first process leaves; the others may follow.
  case leaves
  case parcel(Data)

  var bytes: [UInt8] {
    do { return Array(try JSONEncoder().encode(self)) } catch {
      preconditionFailure("bytes and numbers can be encoded: \(error)")
    }
  }

  init?(_ bytes: [UInt8]) {
    guard let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = read
  }
}
