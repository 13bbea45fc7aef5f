import TestSupport
import Testing

@testable import Transport

@Suite("Reach of a host", .quick)
struct HostReachTests {
  @Test(
    "by its address",
    arguments: [
      ("127.0.0.1", HostReach.machine), ("127.9.9.9", .machine), ("::1", .machine),
      ("[::1]", .machine), ("::ffff:127.0.0.1", .machine),
      ("10.1.2.3", .privateNetwork), ("172.16.0.1", .privateNetwork),
      ("172.31.255.255", .privateNetwork), ("192.168.1.1", .privateNetwork),
      ("fd00::1", .privateNetwork), ("fe80::1", .privateNetwork),
      ("::ffff:10.0.0.1", .privateNetwork),
      ("169.254.1.1", .anywhere), ("169.254.169.254", .anywhere), ("fd00:ec2::254", .anywhere),
      ("::ffff:169.254.169.254", .anywhere),
      ("172.15.0.1", .anywhere), ("172.32.0.1", .anywhere), ("192.169.1.1", .anywhere),
      ("11.0.0.1", .anywhere), ("8.8.8.8", .anywhere), ("2001:db8::1", .anywhere),
      ("fec0::1", .anywhere), ("::2", .anywhere),
    ])
  func addresses(host: String, reach: HostReach) throws {
    #expect(try HostReach.of(host) == reach)
  }

  @Test("localhost is this machine, and a name that does not resolve is an error")
  func names() throws {
    #expect(try HostReach.of("localhost") == .machine)
    #expect(throws: TransportError.badAddress(host: "no-such-name.invalid")) {
      try HostReach.of("no-such-name.invalid")
    }
  }
}
