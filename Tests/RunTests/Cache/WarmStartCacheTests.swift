import Core
import Dispatch
import Figures
import Fleet
import Foundation
import Scenarios
import Synchronization
import TestSupport
import Testing
import Uploads
@testable import Run
@testable import RunSupport

/// A folder of saved warm starts that is deleted with the test.
final class CacheFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(
    path: "flotilla-cache-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: url) }

  func cache(limit: Int = .max, program: String = "a") -> WarmStartCache {
    WarmStartCache(folder: url, program: program, limit: limit, worth: 0, now: { 2_000_000_000 })
  }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }
}

@Suite("The cache of warm starts", .quick)
struct WarmStartCacheTests {
  private static func run(_ plan: RunPlan, compares: Bool = false) -> RunOutcome {
    Simulation(plan, compares: compares).run(progress: { _ in }, shouldStop: { false })
  }

  private static func plan(
    _ folder: CacheFolder, phones: Int = 200, threads: Int = 2,
    _ change: (inout Scenario) -> Void = { _ in }
  ) -> RunPlan {
    var plan = RunPlan.twoHours(threads: threads) {
      $0.fleet.phones = phones
      change(&$0)
    }
    plan.cache = folder.cache()
    return plan
  }

  @Test("gives a run the record of one without it, byte by byte, in other shards too")
  func sameRecord() throws {
    let folder = CacheFolder()
    var without = Self.plan(folder)
    without.cache = nil
    let lived = Self.run(without)
    let first = Self.run(Self.plan(folder))
    let second = Self.run(Self.plan(folder))
    let sharded = Self.run(Self.plan(folder, threads: 3))
    #expect(lived.record.timing.warmStartFromCache == false)
    #expect(first.record.timing.warmStartFromCache == false)
    #expect(second.record.timing.warmStartFromCache == true)
    #expect(sharded.record.timing.warmStartFromCache == true)
    for outcome in [first, second, sharded] {
      #expect(try outcome.recordText() == lived.recordText())
      #expect(outcome.account == lived.account)
      #expect(outcome.timeline == lived.timeline)
    }
    let file = try #require(folder.names.first)
    #expect(folder.names.count == 1)
    #expect(first.log.contains { $0.contains("cached in") && $0.contains(file) })
    #expect(second.log.contains { $0.contains("from the cache") && $0.contains(file) })
  }

  @Test("gives a comparison the stays that the server detected since birth")
  func sameTally() throws {
    let folder = CacheFolder()
    let first = Self.run(Self.plan(folder), compares: true)
    let second = Self.run(Self.plan(folder), compares: true)
    #expect(second.record.timing.warmStartFromCache == true)
    #expect(first.compared == second.compared)
    #expect(try first.recordText() == second.recordText())
    // Without stays it is another file.
    let alone = Self.run(Self.plan(folder))
    #expect(alone.record.timing.warmStartFromCache == false && folder.names.count == 2)
  }

  @Test("its key is everything that affects a warm start, and nothing else")
  func key() throws {
    let folder = CacheFolder()
    let plan = Self.plan(folder)
    let key = try #require(LifeKey(plan, hasStays: false))
    let changes: [(String, (inout RunPlan) -> Void)] = [
      ("build", { $0.cache = folder.cache(program: "b") }),
      ("seed", { $0.scenario.seed += 1 }),
      ("phones", { $0.scenario.fleet.phones += 1 }),
      ("warm start", { $0.scenario.warmStart += .hours(1) }),
      ("start", { $0.scenario.start += .hours(1) }),
      ("duration", { $0.scenario.duration += .hours(1) }),
      ("pushes", { $0.scenario.push.silentAfter += .minutes(1) }),
      ("encoding", { $0.scenario.encoding = .rows }),
      ("policy", { $0.scenario.policies[0].settings.send.maxFixes += 1 }),
      ("range", { $0.shard = RunPart(SharePlace(number: 0, of: 2)) }),
      ("other range", { $0.shard = RunPart(SharePlace(number: 1, of: 2)) }),
    ]
    var names = [key.fileName]
    for (what, change) in changes {
      var other = plan
      change(&other)
      let otherKey = try #require(LifeKey(other, hasStays: false))
      #expect(otherKey != key, "\(what) is not in the key")
      names.append(otherKey.fileName)
    }
    names.append(try #require(LifeKey(plan, hasStays: true)).fileName)
    #expect(Set(names).count == names.count)
    var same = plan
    (same.scenario.speed, same.scenario.question) = (7, "Another?")
    (same.threads, same.startedAt) = (5, "later")
    #expect(LifeKey(same, hasStays: false) == key)
    var unknown = plan
    unknown.cache?.program = ""
    #expect(LifeKey(unknown, hasStays: false) == nil)
  }

  @Test("finds a byte that is flipped, and one that is missing at the end")
  func damage() throws {
    let folder = CacheFolder()
    let plan = Self.plan(folder, phones: 12) { $0.warmStart = .hours(2) }
    _ = Self.run(plan)
    let key = try #require(LifeKey(plan, hasStays: false))
    let path = folder.cache().path(key)
    let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    func isBelieved() -> Bool {
      guard let reader = try? LifeReader(path), reader.head.key == key else { return false }
      return reader.pieces.indices.allSatisfy { (try? reader.bytes(ofPiece: $0)) != nil }
    }
    #expect(isBelieved())
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    func put(_ byte: UInt8, at place: Int) throws {
      try file.seek(toOffset: UInt64(place))
      try file.write(contentsOf: [byte])
    }
    // All of the head and of the end, and between them one in a few, or each in the large form.
    let step = Large.count(41, large: 1)
    let places = whole.indices.filter {
      $0 < 256 || $0 >= whole.count - 64 || $0 % step == 0
    }
    for place in places {
      try put(whole[place] ^ 1 << UInt8(place % 8), at: place)
      if isBelieved() { Issue.record("byte \(place) of \(whole.count)") }
      try put(whole[place], at: place)
    }
    #expect(isBelieved())
    for place in places.reversed() {
      try file.truncate(atOffset: UInt64(place))
      if isBelieved() { Issue.record("cut at \(place)") }
    }
  }

  @Test("simulates if a file is damaged, cut short or foreign, and says so in one line")
  func notBelieved() throws {
    let folder = CacheFolder()
    let lived = Self.run(Self.plan(folder))
    let name = try #require(folder.names.first)
    let file = folder.url.appending(path: name)
    let whole = try Data(contentsOf: file)
    var torn = whole
    torn[whole.count / 2] ^= 4
    let others: [(Data, String)] = [
      (torn, "damaged"), (whole.prefix(whole.count - 1), "damaged"), (Data(), "damaged"),
      (Data("SQLite format 3".utf8) + whole, "belongs to another fleet"),
    ]
    for (bytes, why) in others {
      try bytes.write(to: file)
      let outcome = Self.run(Self.plan(folder))
      #expect(outcome.record.timing.warmStartFromCache == false)
      #expect(try outcome.recordText() == lived.recordText())
      let lines = outcome.log.filter { $0.contains("simulated instead") }
      #expect(lines.count == 1 && lines[0].contains(why), "\(lines)")
      // The new simulation replaces it.
      #expect(try Data(contentsOf: file).count > 1_000)
    }
    // Another fleet's file under this one's name.
    let other = Self.plan(folder) { $0.seed += 1 }
    _ = Self.run(other)
    let otherKey = try #require(LifeKey(other, hasStays: false))
    try FileManager.default.removeItem(at: file)
    try FileManager.default.copyItem(
      at: folder.url.appending(path: otherKey.fileName), to: file)
    #expect(Self.run(Self.plan(folder)).record.timing.warmStartFromCache == false)
  }

  @Test("keeps within its bound: the least recently used is deleted first")
  func bound() throws {
    let folder = CacheFolder()
    func live(_ seed: UInt64, limit: Int) -> RunOutcome {
      var plan = Self.plan(folder, phones: 40) {
        $0.seed = seed
        $0.warmStart = .hours(2)
      }
      plan.cache = folder.cache(limit: limit)
      return Self.run(plan)
    }
    func isKept(_ seed: UInt64) -> Bool {
      live(seed, limit: .max).record.timing.warmStartFromCache == true
    }
    _ = live(1, limit: .max)
    let one = try #require(folder.names.first)
    let length = try Data(contentsOf: folder.url.appending(path: one)).count
    _ = live(2, limit: .max)
    // The first is used again, so that the second is the oldest.
    var old = timespec(tv_sec: 1_000, tv_nsec: 0)
    for name in folder.names {
      let times = [old, old]
      utimensat(AT_FDCWD, folder.url.appending(path: name).path, times, 0)
      old.tv_sec += 1
    }
    #expect(isKept(1))
    _ = live(3, limit: length * 5 / 2)
    #expect(folder.names.count == 2)
    let left = folder.names
    #expect(left.contains(one), "the one that was used again")
    let large = live(4, limit: length / 2)
    #expect(large.log.contains { $0.contains("is more than the cache's") })
    #expect(large.record.timing.warmStartFromCache == false && folder.names == left)
  }

  @Test("removes a killed process's files, and not those that another is writing")
  func unfinished() throws {
    let folder = CacheFolder()
    _ = Self.run(Self.plan(folder, phones: 20) { $0.warmStart = .hours(2) })
    // The first is of a process that was killed and not yet waited for: its pid is still in use.
    let (dead, alive) = (
      "\(LifeWriter.temporaryPrefix)\(getpid())-1", "\(LifeWriter.temporaryPrefix)a"
    )
    for name in [dead, alive] { try Data("FLOT".utf8).write(to: folder.url.appending(path: name)) }
    let writer = open(folder.url.appending(path: alive).path, O_WRONLY)
    defer { close(writer) }
    #expect(flock(writer, LOCK_EX) == 0)
    _ = Self.run(
      Self.plan(folder, phones: 21) { $0.warmStart = .hours(2) })
    #expect(!folder.names.contains(dead) && folder.names.contains(alive))
  }

  @Test("serves several runs at once")
  func atOnce() throws {
    let folder = CacheFolder()
    let lived = try Self.run(Self.plan(folder)).recordText()
    try FileManager.default.removeItem(at: folder.url)
    let texts = ThreadShares(4).run { _ in try? Self.run(Self.plan(folder)).recordText() }
    #expect(texts.count == 4 && texts.allSatisfy { $0 == lived })
    #expect(folder.names.count == 1)
  }

  @Test("gives processes of one run their ranges all together, or to none")
  func ranges() throws {
    let folders = [CacheFolder(), CacheFolder()]
    let run: @Sendable (ThreadLink) -> RunOutcome = { link in
      var plan = Self.plan(folders[link.place.number]) { $0.push.rate = Rate(perSecond: 1.0 / 60) }
      plan.link = link
      return Self.run(plan)
    }
    let first = ThreadShares(2).run(run)
    let second = ThreadShares(2).run(run)
    #expect(second.map(\.record.timing.warmStartFromCache) == [true, true])
    #expect(try second[0].recordText() == first[0].recordText())
    try FileManager.default.removeItem(at: folders[1].url)
    let third = ThreadShares(2).run(run)
    #expect(third.map(\.record.timing.warmStartFromCache) == [false, false])
    #expect(try third[0].recordText() == first[0].recordText())
  }

  @Test("also keeps a forecast, and accepts none that is changed or of another run")
  func forecast() throws {
    let folder = CacheFolder()
    let plan = Self.plan(folder, phones: 30) { $0.warmStart = .hours(2) }
    let lived = LoadForecast(plan)
    let file = folder.url.appending(path: try #require(folder.names.first))
    #expect(folder.names.count == 1 && file.lastPathComponent.hasSuffix(".forecast"))
    #expect(LoadForecast(plan) == lived)
    // The file's content is used, and nothing is simulated.
    let invented = LoadForecast(
      sample: 30, startPerSecond: 1, peakPerSecond: 20, bytesPerPhone: 3)
    let kept = try #require(LoadForecast.kept(plan))
    kept.keep(invented)
    #expect(LoadForecast(plan) == invented && folder.names.count == 1)
    // It is used only if its checksum matches. Memory differs from run to run.
    let text = try String(contentsOf: file, encoding: .utf8)
    let number = try #require(text.firstMatch(of: /"sample":30/))
    let changed = text.replacingCharacters(in: number.range, with: #""sample":31"#)
    try Data(changed.utf8).write(to: file)
    let again = LoadForecast(plan)
    #expect(again.sample == 30 && again.peakPerSecond == lived.peakPerSecond)
    #expect(again != invented)
    var other = plan
    other.scenario.seed += 1
    _ = LoadForecast(other)
    #expect(folder.names.count == 2)
  }
}
