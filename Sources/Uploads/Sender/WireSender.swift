package import Core
package import Fleet
internal import Scenarios
package import Transport

package final class WireSender: UploadSender {
  private let fan: UploadFan
  private let wire: WireUplink

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

  package var uplink: any Uplink { wire }
  package func counters() -> Sheet {
    var counters = fan.counters()
    wire.add(to: &counters)
    return counters
  }
  package var countersByCollector: [Sheet] { fan.countersByCollector }
  package var failures: [String: Int]? { nil }

  package func resend(_ resender: Resender, now: WallInstant) {
    resender.submitDue(at: now, to: fan)
  }
  package func capture(to file: CaptureFile) { fan.capture(to: file) }
  package func drain() { fan.drain() }
  package func abort() { fan.abort() }
}
