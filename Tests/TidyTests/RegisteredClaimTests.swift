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

  /// A set of claims that was registered in one commit, and the hashes that freeze it.
  struct Frozen: Sendable, CustomTestStringConvertible {
    let commit: String
    let count: Int
    /// Claims, measures and bands as they were registered.
    let registered: String
    /// What each figure is, and the measures and bands that hold since a correction.
    let observed: String
    var testDescription: String { commit }
  }

  static let frozen = [
    Frozen(
      commit: "7f7c66a", count: 127,
      registered: "86d48b04166783be928a2c61edc36d011e12f764969417a2f408adcb7e135103",
      observed: "5624f2ebff2ee48b72d390b93446d164dcd676856cb3ecd54d16f3198549cc68"),
    Frozen(
      commit: "cce28a5", count: 3,
      registered: "d5bd912fec460b8a773c40d288feac2964eaf068e2204a3664a5e0a15d591ec8",
      observed: "c6e1d6e8433a534c3a98283a08387fbebd7dbfd9eb09ac7449f73e05cfbfa1a2"),
    Frozen(
      commit: "f892c45e", count: 125,
      registered: "9a42ce41634b63eff5ad9973612c4ecc5c8f30d60878cb2ed55eb5eec239b0a8",
      observed: "9409308beb5043940675de11c7b5437421c35692d721481d91b712530cb7ce01"),
  ]

  @Test("claims registered before any run are unchanged", arguments: frozen)
  func unchanged(set: Frozen) {
    let claims = Self.claims.filter { $0.registered == set.commit }.sorted { $0.id < $1.id }
    #expect(claims.count == set.count)
    let registered = claims.map { claim in
      let band = claim.correction?.band ?? claim.band
      return """
        \(claim.id)|\(claim.area)|\(claim.claim)|\(claim.source.address)|\
        \(claim.correction?.measure ?? claim.measure)|\(Self.text(band))|\(claim.unit)
        """
    }
    #expect(
      SHA256.hex(registered.joined(separator: "\n")) == set.registered,
      "a band, claim or measure was changed; register a new claim, or keep the old in 'corrected'")
    let observed = claims.map { claim in
      let observation = claim.observation
      return """
        \(claim.id)|\(claim.kind)|\(observation.value)|\(observation.error)|\(observation.of)|\
        \(observation.group)|\(claim.measure)|\(Self.text(claim.band))|\
        \(claim.correction?.why ?? "")
        """
    }
    #expect(
      SHA256.hex(observed.joined(separator: "\n")) == set.observed,
      "a value, error, object, group or correction was changed")
  }

  private static func text(_ band: Band) -> String {
    "\(band.low.map { "\($0)" } ?? "")...\(band.high.map { "\($0)" } ?? "")"
  }

  @Test("every frozen set is known, and every correction changes something or binds anew")
  func sets() {
    #expect(Set(Self.claims.map(\.registered)) == Set(Self.frozen.map(\.commit)))
    for claim in Self.claims {
      guard let correction = claim.correction else { continue }
      #expect(correction.band != claim.band && correction.measure != claim.measure, "\(claim.id)")
      #expect(correction.why.count > 40, "\(claim.id)")
    }
  }

  @Test("bounds are one-sided, and all other claims can fail on both sides")
  func bounds() {
    let bounds = Self.claims.filter { $0.observation.of == .bound }
    #expect(bounds.count >= 11)
    for claim in Self.claims {
      let ends = [claim.band.low, claim.band.high].count { $0 != nil }
      #expect(ends == (claim.observation.of == .bound ? 1 : 2), "\(claim.id)")
    }
  }

  /// Of these, every figure is a prediction, whatever its address.
  static let predictedSets: Set = ["f892c45e"]

  @Test("the source address decides what is predicted; examined claims remain fitted")
  func split() {
    for claim in Self.claims where !Self.predictedSets.contains(claim.registered) {
      let predicts = SHA256.digest(Array(claim.source.address.utf8))[0] % 2 == 1
      switch claim.kind {
      case .fit: #expect(!predicts, "\(claim.id) is to be predicted by its address")
      case .predict: #expect(predicts, "\(claim.id) is to be fitted by its address")
      case .fitted: break
      }
    }
    #expect(SHA256.hex("abc").hasPrefix("ba7816bf8f01cfea414140de5dae2223"))
  }

  @Test("at least 60 further figures were registered as predictions, from many sources")
  func further() {
    let further = Self.claims.filter { Self.predictedSets.contains($0.registered) }
    #expect(further.count { $0.kind == .predict } >= 60)
    #expect(further.allSatisfy { $0.kind != .fit })
    #expect(Set(further.map(\.source.address)).count >= 60)
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

    /// With C's search: Swift's takes half a minute for some hundred names in all model files.
    func isNamed(in text: String) -> Bool { names.contains { strstr(text, $0) != nil } }
  }

  static let predicted = claims.filter { $0.kind == .predict }.map(Named.init)

  @Test("a parameter that cites such a source is found")
  func finds() throws {
    let claim = try #require(Self.claims.first { $0.id == "A-agps-at-rest-8" })
    let named = Named(claim)
    #expect(named.isNamed(in: "set by A-agps-at-rest-8"))
    #expect(named.isNamed(in: "gisandscience.com 2009: 8 m in the median"))
    #expect(!named.isNamed(in: "section 2.4 of the model's design notes"))
    let shared = try #require(Self.claims.first { $0.id == "A-slc-reports-500" })
    #expect(!Named(shared).isNamed(in: "longweekendmobile.com 2010: 50 % by 750 m"))
  }
}
