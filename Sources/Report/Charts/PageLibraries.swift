package import Foundation
internal import CPage

/// The libraries that make a page's charts and map interactive, installed by `make deps`. Each page
/// contains a copy, so that it needs no network. A missing library is nil.
package struct PageLibraries: Sendable {
  struct Library: Sendable {
    var script: String
    var style: String
  }

  let dygraphs: Library?
  let leaflet: Library?

  package static let none = PageLibraries(dygraphs: nil, leaflet: nil)

  private init(dygraphs: Library?, leaflet: Library?) {
    self.dygraphs = dygraphs
    self.leaflet = leaflet
  }

  /// - Parameter folders: The folders to search, in order, such as Debian's /usr/share/javascript.
  package init(folders: [URL]) {
    func library(_ folder: String, _ script: String, _ style: String) -> Library? {
      folders.lazy.map { $0.appendingPathComponent(folder, isDirectory: true) }.compactMap {
        guard
          let script = try? String(
            contentsOf: $0.appendingPathComponent(script), encoding: .utf8),
          let style = try? String(contentsOf: $0.appendingPathComponent(style), encoding: .utf8)
        else { return nil }
        return Library(script: script, style: style)
      }.first
    }
    dygraphs = library("dygraphs", "dygraph.min.js", "dygraph.min.css")
    leaflet = library("leaflet", "leaflet.min.js", "leaflet.css")
  }

  package static let installed = PageLibraries(
    folders: ["/usr/share/javascript", "/usr/local/share/javascript"].map {
      URL(fileURLWithPath: $0, isDirectory: true)
    })

  static var charts: String { String(cString: flotilla_page_charts()) }
  static var map: String { String(cString: flotilla_page_map()) }
  static var live: String { String(cString: flotilla_page_live()) }
}
