internal import Core
internal import Fleet
internal import Foundation
internal import Scenarios
internal import ServerLogic

struct CachedLife {
  let fleet: PhoneFleet
  /// The server's row for each phone, in phone order, without sequence numbers.
  let known: [PhoneSnapshot]
  let finder: StayFinder?
  let origin: String
}

extension WarmStartCache {
  /// Returns a plan's cached fleet, or nil. If a file exists but is unusable, `note` says why.
  func life(
    of plan: RunPlan, _ key: LifeKey, shards: Int, note: (String) -> Void
  ) -> CachedLife? {
    let name = path(key)
    do throws(LifeFileError) {
      guard let reader = try open(key) else { return nil }
      do throws(FleetStateError) {
        let (fleet, known) = try PhoneFleet.restored(
          plan.scenario, phones: plan.phones, threads: shards, at: plan.scenario.start,
          from: reader)
        let finder = try key.hasStays ? finder(fleet, reader) : nil
        let age = now() - reader.usedAt
        return CachedLife(
          fleet: fleet, known: known, finder: finder,
          origin: "\(name), \(Figure.bytes(reader.length)), last used \(Self.ageText(age)) ago")
      } catch {
        discard(key)
        throw .damaged(error.description)
      }
    } catch {
      note("The cached warm start \(name) \(error); it is simulated instead.")
      return nil
    }
  }

  private func finder(
    _ fleet: PhoneFleet, _ reader: LifeReader
  ) throws(FleetStateError) -> StayFinder {
    let finder = StayFinder(fleet.context)
    do throws(LifeFileError) {
      for content in try reader.stays() {
        var tape = StateReader(content)
        do throws(FleetStateError) { try finder.read(&tape) } catch {
          throw .damaged(error.description)
        }
      }
    } catch {
      throw .unreadable(error.description)
    }
    return finder
  }

  /// Stores a fleet that was just simulated, and returns the outcome as a sentence.
  func keep(
    _ fleet: PhoneFleet, after backend: Backend, _ finder: StayFinder?, _ key: LifeKey
  ) -> String {
    do throws(LifeFileError) {
      let writer = try begin(key)
      fleet.writeState(after: backend) { phones, content in writer.add(phones, content) }
      if let finder {
        for content in finder.pieces() {
          guard writer.add(.stays, first: 0, count: 0, content) else { break }
        }
      }
      let length = try writer.finish(events: fleet.metrics()[.events])
      guard length <= limit else {
        discard(key)
        return "The warm start is not cached: \(Figure.bytes(length)) is more than the cache's "
          + "\(Figure.bytes(limit))."
      }
      trim(keeping: key.fileName)
      return "warm start cached in \(path(key)), \(Figure.bytes(length))"
    } catch {
      return "The warm start is not cached: \(path(key)) \(error)."
    }
  }
}

extension WarmStartCache {
  private static func ageText(_ seconds: Double) -> String {
    switch max(0, seconds) {
    case ..<120: "\(Int(max(0, seconds))) s"
    case ..<7_200: "\(Int(seconds / 60)) min"
    case ..<172_800: "\(Int(seconds / 3_600)) h"
    default: "\(Int(seconds / 86_400)) days"
    }
  }
}
