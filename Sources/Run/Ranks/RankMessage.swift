internal import Foundation

/// The messages between the first process of a run and each of the other processes.
enum RankMessage: Codable, Equatable, Sendable {
  /// A process's value for an exchange. The answer `given` has all values, nil for ended processes.
  case gives(Data)
  case given([Data?])
  /// A process's interval of one second; nil after its last interval.
  case saw(Data?)
  case ends(Data)
  case stops
  /// A heartbeat.
  case lives
  /// The request for the first process's wall-clock time; the answer is in microseconds.
  case asksTime
  case time(Int64)
  /// The first process leaves, after which the other processes may leave.
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
