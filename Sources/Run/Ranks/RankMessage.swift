internal import Foundation

/// The messages between the processes of a run. All send to the first, which answers.
enum RankMessage: Codable, Equatable, Sendable {
  /// The value of an exchange; the first answers with those of all, nil for one that has ended.
  case gives(Data)
  case given([Data?])
  /// The interval of a second; nil once there are no more.
  case saw(Data?)
  case ends(Data)
  case stops
  /// A sign of life.
  case lives
  /// The request for the first's clock, and its answer; in microseconds.
  case asksTime
  case time(Int64)
  /// The first process leaves, so that the others may.
  case leaves
  case parcel(Data)

  var bytes: [UInt8] {
    do { return Array(try JSONEncoder().encode(self)) } catch {
      preconditionFailure("bytes and numbers can be written: \(error)")
    }
  }

  init?(_ bytes: [UInt8]) {
    guard let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = read
  }
}
