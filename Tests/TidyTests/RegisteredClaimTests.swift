import Foundation
import Testing

/// An entry of `scenarios/claims`, as far as the house rules look at it.
struct RegisteredClaim: CustomStringConvertible, Sendable {
  let id: String
  var fields: [String: String] = [:]
  var description: String { id }

  static let all: [RegisteredClaim] = ["accuracy", "energy"].flatMap { name -> [RegisteredClaim] in
    var found: [RegisteredClaim] = []
    let text = (try? SourceTree.text("scenarios/claims/\(name).yaml")) ?? ""
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("- id: ") { found.append(RegisteredClaim(id: String(line.dropFirst(6)))) }
      guard !found.isEmpty, let colon = line.firstIndex(of: ":") else { continue }
      let key = line[..<colon].trimmingCharacters(in: .whitespaces)
      found[found.count - 1].fields[key] = line[line.index(after: colon)...]
        .trimmingCharacters(in: CharacterSet(charactersIn: " \""))
    }
    return found
  }

  var band: [Double] {
    (fields["band"] ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
      .split(separator: ",").compactMap { Double($0.trimmingCharacters(in: .whitespaces)) }
  }
}

@Suite("Registered claims", .timeLimit(.minutes(10)))
struct RegisteredClaimTests {
  @Test("each has an id of its own, and areas that no parameter was set from are covered")
  func ids() {
    let ids = RegisteredClaim.all.map(\.id)
    #expect(ids.count >= 100 && Set(ids).count == ids.count)
    let areas = Set(RegisteredClaim.all.compactMap { $0.fields["area"] })
    #expect(
      areas == ["accuracy", "latency", "sensor", "movement", "background", "energy", "push"])
  }

  @Test("each says what, where it was read, how far it is believed, and within what it holds")
  func complete() {
    for claim in RegisteredClaim.all {
      for field in ["claim", "address", "title", "measure", "unit", "why"] {
        #expect((claim.fields[field] ?? "").count > 1 || field == "unit", "\(claim): \(field)")
      }
      #expect(["A", "B", "C"].contains(claim.fields["weight"]), "\(claim)")
      #expect(["fit", "fitted", "predict"].contains(claim.fields["kind"]), "\(claim)")
      let band = claim.band
      #expect(band.count == 2 && band[0] < band[1], "\(claim): a band has two ends")
    }
  }

  @Test("no parameter rests on a figure that is to be predicted")
  func unused() throws {
    let predicted = Set(
      RegisteredClaim.all.filter { $0.fields["kind"] == "predict" }.compactMap {
        $0.fields["address"]
      })
    #expect(!predicted.isEmpty)
    for file in SourceTree.swiftFiles where !file.isTest && file.room == "Scenarios" {
      for line in file.lines {
        for address in predicted where line.contains(address) {
          Issue.record("\(file): a parameter cites \(address), which is to be predicted")
        }
      }
    }
    for folder in ["scenarios/profiles/os", "scenarios/profiles/energy", "scenarios/people"] {
      for name in try SourceTree.names(in: folder) {
        let text = try SourceTree.text("\(folder)/\(name)")
        for address in predicted where text.contains(address) {
          Issue.record("\(folder)/\(name): a parameter cites \(address)")
        }
      }
    }
  }
}
