import Core
import Foundation
import TestSupport
import Testing
import Transport
@testable import Uploads

@Suite("Cost of handshakes", .quick)
struct HandshakeRoundTests {
  @Test(
    "uploads on open connections need no handshake, those on new ones a resumed one each",
    arguments: CarrierKind.allCases)
  func costs(carrier: CarrierKind) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("handshakes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var setting = HandshakeRound.Setting(carrier: carrier)
    setting.tls = try HandshakeRound.secrets(.p256, carrier, folder: folder.path)
    let full = try #require(
      try HandshakeRound.cost(setting, uploads: 32, shouldStop: { false }))
    setting.resumes = true
    let resumed = try #require(
      try HandshakeRound.cost(setting, uploads: 32, shouldStop: { false }))
    setting.isKept = true
    let kept = try #require(
      try HandshakeRound.cost(setting, uploads: 320, shouldStop: { false }))
    #expect(full.failed + resumed.failed + kept.failed == 0)
    #expect(full.resumedShare == 0)
    #expect(resumed.resumedShare == 1)
    #expect(kept.resumedShare == 0)
    // Only a full handshake includes a certificate.
    #expect(full.bytesOut > resumed.bytesOut + 300)
    #expect(resumed.bytesOut > kept.bytesOut + 100)
  }
}
