internal import Foundation

/// What the processes of a run send each other. All speak with the first; it answers.
enum RankMessage: Equatable, Sendable {
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

  // MARK: As it travels: a byte for the kind, then the content

  var bytes: [UInt8] {
    switch self {
    case .gives(let data): return [1] + data
    case .given(let list):
      var bytes: [UInt8] = [2]
      for data in list {
        bytes += Self.bytes(Int64(data?.count ?? -1))
        if let data { bytes += data }
      }
      return bytes
    case .saw(let data): return data.map { [3] + $0 } ?? [4]
    case .ends(let data): return [5] + data
    case .stops: return [6]
    case .lives: return [7]
    case .asksTime: return [8]
    case .time(let time): return [9] + Self.bytes(time)
    case .leaves: return [10]
    case .parcel(let data): return [11] + data
    }
  }

  /// nil: no process of this program sent it.
  init?(_ bytes: [UInt8]) {
    let content = bytes.dropFirst()
    switch bytes.first {
    case 1: self = .gives(Data(content))
    case 2:
      guard let list = Self.list(content) else { return nil }
      self = .given(list)
    case 3: self = .saw(Data(content))
    case 4: self = .saw(nil)
    case 5: self = .ends(Data(content))
    case 6: self = .stops
    case 7: self = .lives
    case 8: self = .asksTime
    case 9:
      guard let time = Self.number(content) else { return nil }
      self = .time(time)
    case 10: self = .leaves
    case 11: self = .parcel(Data(content))
    case _: return nil
    }
  }

  private static func list(_ bytes: ArraySlice<UInt8>) -> [Data?]? {
    var rest = bytes
    var list: [Data?] = []
    while !rest.isEmpty {
      guard let count = number(rest), count >= -1, count <= Int64(rest.count - 8) else {
        return nil
      }
      rest = rest.dropFirst(8)
      list.append(count < 0 ? nil : Data(rest.prefix(Int(count))))
      rest = rest.dropFirst(max(0, Int(count)))
    }
    return list
  }

  /// Little-endian.
  private static func bytes(_ number: Int64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int64? {
    guard bytes.count >= 8 else { return nil }
    return bytes.prefix(8).reversed().reduce(0) { $0 << 8 | Int64($1) }
  }
}
