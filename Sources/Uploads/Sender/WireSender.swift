package import Figures
package import Fleet
internal import Scenarios
package import SimulationCore
package import Transport
internal import Wire

/// Carries a fleet's uploads to its collectors.
package final class WireSender: UploadSender {
  private let fan: UploadFan
  private let wire: WireUplink

  /// - Parameter settings: of the uploads to the first of `endpoints`.
  package init(
    _ parts: SenderParts, to endpoints: [Endpoint], settings: UploadSettings
  ) throws(TransportError) {
    let (recorder, mailbox) = (parts.recorder, parts.mailbox)
    fan = try UploadFan(to: endpoints, loop: parts.loop, settings: settings) { report in
      mailbox.deliver(recorder.completed(report))
    }
    wire = WireUplink(
      dispatcher: fan, recorder: recorder, clock: parts.clock, context: parts.fleet.context,
      shards: parts.fleet.shardCount, deadline: parts.scenario.network.deadline,
      versions: parts.versions, codec: parts.codec, journal: parts.journal)
  }

  /// Encodes and hands over.
  package var uplink: any Uplink { wire }
  /// Counts what went to all collectors, and the payloads before and after compression.
  package func counters() -> Sheet {
    var counters = fan.counters()
    let bytes = wire.encodedBytes
    counters[.payloads] = wire.encodedBatches
    (counters[.payloadPlainBytes], counters[.payloadBytes]) = (bytes.plain, bytes.payload)
    return counters
  }
  /// Counts the same for each.
  package var countersByCollector: [Sheet] { fan.countersByCollector }
  /// Is left to the recorder.
  package var failures: [String: Int]? { nil }

  /// Sends what is due of an earlier life.
  package func resend(_ resender: Resender, now: WallInstant) {
    resender.submitDue(at: now, to: fan)
  }
  /// Writes every message from now on to a file.
  package func capture(to file: CaptureFile) { fan.capture(to: file) }
  /// Changes nothing: the fleet itself stops.
  package func drain() {}
  /// Ends every upload as timed out.
  package func abort() { fan.abort() }
}
