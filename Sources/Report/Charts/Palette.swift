/// The chart colours: Okabe and Ito's palette, changed to a contrast of 3 : 1 for lines.
enum Ink: Int, CaseIterable, Sendable {
  case text, grid, paper
  case blue, vermilion, green, purple, orange, sky, yellow, grey
  case share0, share1, share2, share3, share4

  var variable: String { "--\(self)" }

  var light: String {
    switch self {
    case .text: "#1a1d21"
    case .grid: "#d9dde3"
    case .paper: "#ffffff"
    case .blue: "#0072b2"
    case .vermilion: "#c84e00"
    case .green: "#00805c"
    case .purple: "#b0508a"
    case .orange: "#d98c00"
    case .sky: "#4aa3d8"
    case .yellow: "#e0cf2a"
    case .grey: "#7b818a"
    case .share0: "#dbe9f6"
    case .share1: "#a6cbe6"
    case .share2: "#5ea3d0"
    case .share3: "#2271b0"
    case .share4: "#08376b"
    }
  }

  var dark: String {
    switch self {
    case .text: "#e8eaed"
    case .grid: "#3a3f47"
    case .paper: "#16181c"
    case .blue: "#4fa8e0"
    case .vermilion: "#f0813c"
    case .green: "#2fbf95"
    case .purple: "#dd8cbc"
    case .orange: "#e69f00"
    case .sky: "#8fd0f5"
    case .yellow: "#f0e442"
    case .grey: "#8f959e"
    case .share0: "#12324f"
    case .share1: "#1f5584"
    case .share2: "#3d84bd"
    case .share3: "#83b9e0"
    case .share4: "#dcedfa"
    }
  }
}
