package import Core
internal import Phone

/// The event latency, from the true instant to the receipt by the server, and its three parts. The
/// histograms are in milliseconds, because events may wait for days.
package struct EventMetrics: Codable, Equatable, Sendable {
  package private(set) var latency = Histogram()
  package private(set) var system = Histogram()
  package private(set) var phone = Histogram()
  package private(set) var server = Histogram()
  /// The numbers of events whose longest part is the named one.
  package private(set) var longestSystem = 0
  package private(set) var longestPhone = 0
  package private(set) var longestServer = 0

  mutating func record(_ delay: EventDelay) {
    system.record(delay.system.microseconds / 1_000)
    phone.record(delay.phone.microseconds / 1_000)
    server.record(delay.server.microseconds / 1_000)
    if delay.system >= max(delay.phone, delay.server) {
      longestSystem += 1
    } else if delay.phone >= delay.server {
      longestPhone += 1
    } else {
      longestServer += 1
    }
    latency.record((delay.system + delay.phone + delay.server).microseconds / 1_000)
  }

  mutating func merge(_ other: EventMetrics) {
    latency.merge(other.latency)
    system.merge(other.system)
    phone.merge(other.phone)
    server.merge(other.server)
    longestSystem += other.longestSystem
    longestPhone += other.longestPhone
    longestServer += other.longestServer
  }
}

extension Shard {
  mutating func note(_ step: EventStep) {
    switch step {
    case .generated(let isFalse, let isRepeated):
      metrics[.eventsGenerated] += 1
      if isFalse { metrics[.eventsFalse] += 1 }
      if isRepeated { metrics[.eventsRepeated] += 1 }
    case .evicted: metrics[.eventsEvicted] += 1
    case .offline: metrics[.eventsOffline] += 1
    case .unanswered: metrics[.eventsUnanswered] += 1
    case .forgotten(.refused): metrics[.eventsRefused] += 1
    case .forgotten: metrics[.eventsAcknowledged] += 1
    case .stored(let delay): metrics.events?.record(delay)
    }
  }

  mutating func noteEventStored(_ phone: inout Device, now: SimInstant) {
    effects.now = now
    phone.noteEventStored(at: now, &effects)
    settle(&phone)
  }
}
