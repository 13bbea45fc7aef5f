/// The chart colours: Okabe and Ito's palette, with a contrast of 3 : 1 to page and panel. No two
/// colours look alike to a reader who sees no red or no green (`PaletteTests`).
enum Ink: Int, CaseIterable, Sendable {
  case text, grid, paper
  case blue, vermilion, green, purple, orange, sky, yellow, grey
  case share0, share1, share2, share3, share4

  var variable: String { "--\(self)" }

  typealias Tone = (light: String, dark: String)

  static let panel: Tone = ("#f4f6f8", "#20242a")
  static let good: Tone = ("#00694b", "#3ecf9f")
  static let bad: Tone = ("#a83a00", "#ff9d66")
  static let quiet: Tone = ("#565d66", "#a4abb5")

  static let curves: [Ink] = [.blue, .vermilion, .green, .purple, .orange, .sky, .yellow, .grey]

  /// The dashes of a curve in pixels, so that not only colour tells curves apart; empty if solid.
  var dash: String {
    switch self {
    case .vermilion: "9 4"
    case .green: "2 3"
    case .purple: "9 3 2 3"
    case .orange: "16 4"
    case .sky: "5 3 1 3 1 3"
    case .yellow: "4 7"
    case .grey: "4 3"
    case .text, .grid, .paper, .blue, .share0, .share1, .share2, .share3, .share4: ""
    }
  }

  var tone: Tone {
    switch self {
    case .text: ("#1a1d21", "#e8eaed")
    case .grid: ("#d9dde3", "#3a3f47")
    case .paper: ("#ffffff", "#16181c")
    case .blue: ("#0071b2", "#4fa9e3")
    case .vermilion: ("#b54203", "#f0843e")
    case .green: ("#077f5b", "#3dc295")
    case .purple: ("#93397a", "#e08ebc")
    case .orange: ("#ca7702", "#e6a209")
    case .sky: ("#4094c2", "#8dcff5")
    case .yellow: ("#9d8640", "#f2e544")
    case .grey: ("#80838c", "#7e8785")
    case .share0: ("#dbe9f6", "#12324f")
    case .share1: ("#a6cbe6", "#1f5584")
    case .share2: ("#5ea3d0", "#3f88c2")
    case .share3: ("#2271b0", "#83b9e0")
    case .share4: ("#08376b", "#dcedfa")
    }
  }
}
