internal import Core
internal import Foundation
package import Wire

package enum DictionaryFile {
  package static func read(_ path: String) throws -> PayloadDictionary {
    let bytes: [UInt8]
    do { bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) } catch {
      throw CommandError(
        exit: .badInput, message: "\(path): cannot be read (\(FileErrorText.reason(error))).")
    }
    do throws(DictionaryError) { return try PayloadDictionary(bytes) } catch {
      throw CommandError(exit: .badInput, message: "\(path): \(error.description).")
    }
  }

  /// Writes a dictionary atomically.
  package static func write(_ dictionary: PayloadDictionary, _ path: String) throws {
    do throws(FileOutput.WriteError) {
      try FileOutput.write(bytes: dictionary.bytes, to: path)
    } catch {
      throw CommandError(
        exit: .cannotListenOrWrite, message: "\(error); choose another --out.")
    }
  }
}
