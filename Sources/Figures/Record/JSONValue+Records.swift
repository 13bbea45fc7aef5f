package import Core
internal import Foundation

extension JSONValue {
  package init(encoding record: some Encodable) {
    // A record with a number that is not finite cannot be encoded and becomes null.
    self =
      (try? JSONEncoder().encode(record))
      .flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) } ?? .null
  }

  package func decoded<Record: Decodable>(as _: Record.Type) -> Record? {
    (try? JSONEncoder().encode(self))
      .flatMap { try? JSONDecoder().decode(Record.self, from: $0) }
  }
}
