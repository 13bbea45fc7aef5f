internal import Commands
internal import Run
internal import Scenarios
internal import Uploads

enum ShardWord: Equatable {
  /// A shard's number, from 1.
  case numbered(Int, of: Int)
  /// The number comes from variables of the batch system, and so does the count if `of` is nil.
  case byEnvironment(of: Int?)

  /// Parses `2/4`, `auto/4`, or `auto`.
  init?(_ text: String) {
    let words = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if words == ["auto"] {
      self = .byEnvironment(of: nil)
      return
    }
    guard words.count == 2, let count = Int(words[1]), (1...100_000).contains(count) else {
      return nil
    }
    if words[0] == "auto" {
      self = .byEnvironment(of: count)
      return
    }
    guard let number = Int(words[0]), (1...count).contains(number) else { return nil }
    self = .numbered(number, of: count)
  }

  /// Reads the variables of the batch system. Throws if the task's number is missing.
  func place(in environment: [String: String]) throws -> SharePlace {
    func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
    switch self {
    case .numbered(let number, let count): return SharePlace(number: number - 1, of: count)
    case .byEnvironment(let count):
      let index = number("JOB_COMPLETION_INDEX") ?? number("SLURM_PROCID")
      guard let index, let count = count ?? number("SLURM_NTASKS") else {
        throw CommandError(
          exit: .usage,
          message: "--shard auto: neither JOB_COMPLETION_INDEX nor SLURM_PROCID with SLURM_NTASKS "
            + "is set; write --shard auto/N if only N is missing, or --shard I/N.")
      }
      guard (0..<count).contains(index) else {
        throw CommandError(
          exit: .usage,
          message: "--shard auto: this is task \(index) of \(count), counted from 0; "
            + "write --shard auto/N with the number of all tasks.")
      }
      return SharePlace(number: index, of: count)
    }
  }
}

extension Option {
  static func shard(_ path: WritableKeyPath<Options, RunOptions>) -> Option {
    Option(
      "--shard", "I/N",
      "Run part I of N of the fleet; merge with 'report --merge'. auto or auto/N: from\n"
        + "    SLURM_PROCID, SLURM_NTASKS or JOB_COMPLETION_INDEX.",
      wanted: "I/N from 1/N to N/N, auto/N, or auto", { ShardWord($0) },
      set: { $1[keyPath: path.appending(path: \.shard)] = $0 })
  }
}

extension RunOptions {
  func checkShard(_ words: [(String, Bool)], startsTogether: Bool = false) throws {
    let isRank = Ranks.number != nil
    if shard == nil { try Ranks.checkAlone() }
    guard shard != nil || isRank else { return }
    // Every process of a job finds this error; only one prints it.
    func refuse(_ message: String) throws {
      if let number = Ranks.number, number > 0 { throw SilentEndError(exit: .usage) }
      throw CommandError(exit: .usage, message: message)
    }
    if isRank, shard != nil {
      try refuse("--shard cannot be combined with mpirun; remove one.")
    }
    if isRank, startsTogether {
      try refuse("run.startAt cannot be combined with mpirun; remove it.")
    }
    guard let word = words.first(where: \.1)?.0 else { return }
    try refuse(
      "\(word) requires a single process; remove it, or \(isRank ? "mpirun" : "--shard").")
  }

  func place(_ plan: inout RunPlan, _ environment: [String: String]) throws {
    guard let shard else { return }
    let place = try shard.place(in: environment)
    try Self.check(place, phones: plan.scenario.fleet.phones)
    plan.shard = RunPart(place)
  }

  static func check(_ place: SharePlace, phones: Int) throws {
    guard place.count > phones else { return }
    throw CommandError(
      exit: .usage,
      message: "\(place.count) processes for \(phones) phones: start fewer processes.")
  }
}
