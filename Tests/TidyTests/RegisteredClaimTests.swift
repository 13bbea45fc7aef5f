import Foundation
import Scenarios
import TestSupport
import Testing

@Suite("Registered claims", .quick)
struct RegisteredClaimTests {
  static let library = ScenarioLibrary(folders: [SourceTree.root.path + "/scenarios"])
  static let claims = (try? library.claims()) ?? []

  @Test("areas without fitted parameters are covered, and each claim is valid")
  func areas() throws {
    let claims = try Self.library.claims()
    #expect(claims.count >= 127 && Set(claims.map(\.area)) == Set(RegisteredClaim.Area.allCases))
  }

  @Test("claims registered before any run are unchanged")
  func unchanged() {
    let first = Self.claims.filter { $0.registered == "7f7c66a" }
    #expect(first.count == 127)
    let text = first.sorted { $0.id < $1.id }.map { claim in
      """
      \(claim.id)|\(claim.area)|\(claim.claim)|\(claim.source.address)|\(claim.measure)|\
      \(claim.band)|\(claim.unit)
      """
    }.joined(separator: "\n")
    let digest = SHA256.hex(text)
    #expect(
      digest == "86d48b04166783be928a2c61edc36d011e12f764969417a2f408adcb7e135103",
      "a band, claim or measure of the first 127 was changed; register a new claim instead")
  }

  @Test("the source address decides what is predicted; examined claims remain fitted")
  func split() {
    for claim in Self.claims {
      let predicts = SHA256.digest(Array(claim.source.address.utf8))[0] % 2 == 1
      switch claim.kind {
      case .fit: #expect(!predicts, "\(claim.id) is to be predicted by its address")
      case .predict: #expect(predicts, "\(claim.id) is to be fitted by its address")
      case .fitted: break
      }
    }
    #expect(SHA256.hex("abc").hasPrefix("ba7816bf8f01cfea414140de5dae2223"))
  }

  // MARK: Parameters

  /// Sources whose other figures are used by parameters, although one figure is predicted.
  static let knownHosts = [
    "longweekendmobile.com": """
    the page's distances set the trigger of significant changes; its accuracy, which is to be \
    predicted, set nothing
    """
  ]

  /// The names of a claim's source: its addresses without scheme.
  static func addresses(_ claim: RegisteredClaim) -> [String] {
    claim.source.address.split(whereSeparator: { " ;,".contains($0) }).compactMap { word in
      guard let scheme = word.range(of: "://") else { return nil }
      let address = word[scheme.upperBound...]
      return address.hasSuffix("/") ? String(address.dropLast()) : String(address)
    }
  }

  /// Hosts with many authors do not identify a source.
  static let sharedHosts: Set = [
    "github.com", "stackoverflow.com", "developer.apple.com", "pmc.ncbi.nlm.nih.gov",
    "macrumors.com",
  ]

  @Test("no parameter's evidence names a predicted claim or its source")
  func evidence() throws {
    #expect(!Self.predicted.isEmpty)
    // Scenarios share most of their figures: each source is read once.
    var sources: [String: String] = [:]
    for name in Self.library.names {
      guard let scenario = try? Self.library.load(name) else { continue }
      for parameter in scenario.parameters { sources[parameter.source] = parameter.path }
    }
    #expect(sources.count > 100)
    for (source, path) in sources {
      for claim in Self.predicted where claim.isNamed(in: source) {
        Issue.record("\(path) rests on \(claim.id), which is to be predicted")
      }
    }
  }

  @Test("no file with model parameters names a predicted claim")
  func files() throws {
    var texts: [(file: String, text: String)] = []
    for file in SourceTree.swiftFiles where !file.isTest {
      guard ["Scenarios", "Phone", "Push"].contains(file.room)
      else { continue }
      texts.append((file.path, file.lines.joined(separator: "\n")))
    }
    let folders = ["", "/people", "/policies"] + Self.profiles
    for folder in folders.map({ "scenarios" + $0 }) {
      for name in try SourceTree.names(in: folder) where name.hasSuffix(".yaml") {
        texts.append(("\(folder)/\(name)", try SourceTree.text("\(folder)/\(name)")))
      }
    }
    #expect(texts.count > 100)
    for (file, text) in texts {
      for claim in Self.predicted where claim.isNamed(in: text) {
        Issue.record("\(file) names \(claim.id) or its source, which is to be predicted")
      }
    }
  }

  private static let profiles = ["os", "energy", "sensors", "significant-change"].map {
    "/profiles/\($0)"
  }

  /// Texts that are forbidden in the evidence of model parameters.
  struct Named: Sendable {
    let id: String
    private let names: [String]

    init(_ claim: RegisteredClaim) {
      id = claim.id
      names =
        [claim.id]
        + addresses(claim).flatMap { address -> [String] in
          let first = address.prefix { $0 != "/" }
          let host = String(first.hasPrefix("www.") ? first.dropFirst(4) : first)
          let isKnown = sharedHosts.contains(host) || knownHosts[host] != nil
          return isKnown ? [address] : [address, host]
        }
    }

    func isNamed(in text: String) -> Bool { names.contains { text.contains($0) } }
  }

  static let predicted = claims.filter { $0.kind == .predict }.map(Named.init)

  @Test("a parameter that cites such a source is found")
  func finds() throws {
    let claim = try #require(Self.claims.first { $0.id == "A-agps-at-rest-8" })
    let named = Named(claim)
    #expect(named.isNamed(in: "set by A-agps-at-rest-8"))
    #expect(named.isNamed(in: "gisandscience.com 2009: 8 m in the median"))
    #expect(!named.isNamed(in: "rule book 2.4"))
    let shared = try #require(Self.claims.first { $0.id == "A-slc-reports-500" })
    #expect(!Named(shared).isNamed(in: "longweekendmobile.com 2010: 50 % by 750 m"))
  }
}
