enum StyleSheet {
  static var text: String {
    """
    :root {
    \(variables(\.light))\(dashes)}
    @media (prefers-color-scheme: dark) {
      :root {
    \(variables(\.dark))  }
    }
    @media print {
      :root {
    \(variables(\.light))  --panel: #ffffff; --quiet: #444444;
      }
    }
    \(rules)
    \(places)
    \(SweepMap.rules)
    \(HourMap.rules)
    """
  }

  private static func variables(_ shade: (Ink.Tone) -> String) -> String {
    let tones = [("panel", Ink.panel), ("quiet", Ink.quiet), ("good", Ink.good), ("bad", Ink.bad)]
    return Ink.allCases.map { "  \($0.variable): \(shade($0.tone));\n" }.joined()
      + tones.map { "  --\($0): \(shade($1));\n" }.joined()
  }

  private static var dashes: String {
    Ink.curves.map { "  \($0.variable)-dash: \($0.dash.isEmpty ? "none" : $0.dash);\n" }.joined()
  }

  private static let rules = """
    :root {
      --font: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
    }
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
    body {
      margin: 0; background: var(--paper); color: var(--text);
      font: 16px/1.5 var(--font);
    }
    main { max-width: 1100px; margin: 0 auto; padding: 24px 16px 64px; }
    section { max-width: 860px; }
    section:has(.panels), section#places { max-width: none; }
    h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 4px; overflow-wrap: anywhere; }
    h2 { font-size: 1.25rem; line-height: 1.3; margin: 48px 0 8px; }
    p { margin: 0 0 12px; }
    .question { color: var(--quiet); margin-bottom: 4px; }
    .answer { font-size: 1.15rem; line-height: 1.4; margin-bottom: 16px; overflow-wrap: anywhere; }
    .badge {
      display: inline-block; vertical-align: middle; font-size: 1rem; line-height: 1.6;
      padding: 0 12px; border-radius: 14px; color: var(--paper); background: var(--bad);
    }
    .badge.pass { background: var(--good); }
    .badge.open { background: var(--quiet); }
    .verdict, .reasons { border-left: 4px solid var(--bad); padding: 4px 16px; margin: 0 0 16px; }
    .verdict.pass { border-color: var(--good); }
    .reasons { border-color: var(--grey); list-style: none; color: var(--quiet); }
    .verdict p { margin: 0; }
    .verdict ul { margin: 4px 0 0; padding-left: 20px; }
    .tiles {
      display: grid; grid-template-columns: repeat(auto-fill, minmax(196px, 1fr)); gap: 8px;
      list-style: none; margin: 0; padding: 0;
    }
    .tile {
      background: var(--panel); border-top: 3px solid var(--grid); padding: 8px 12px;
      display: flex; flex-direction: column; overflow-wrap: anywhere;
    }
    .tile.met { border-color: var(--good); }
    .tile.failed { border-color: var(--bad); }
    .tile.open { border-color: var(--quiet); border-top-style: dashed; }
    .tile h2 { font-size: 0.85rem; font-weight: 600; color: var(--quiet); margin: 0; }
    .tile p { margin: 0; font-size: 0.8rem; line-height: 1.35; }
    .tile .value { font-size: 1.3rem; line-height: 1.3; }
    .tile .value .number { font-weight: 600; }
    .tile .number { font-weight: inherit; white-space: normal; }
    .tile .note, .tile .interval { color: var(--quiet); }
    .tile.met b { color: var(--good); }
    .tile.failed b { color: var(--bad); }
    .spark { width: 100%; height: 34px; padding-top: 6px; margin-top: auto; }
    .said { overflow-wrap: anywhere; }
    .number { white-space: nowrap; font-weight: 600; font-variant-numeric: tabular-nums; }
    .interval, .interval .number { color: var(--quiet); font-weight: 400; }
    dl.answers { display: grid; grid-template-columns: 8.5rem 1fr; gap: 7px 16px; }
    dl.answers { margin: 16px 0 0; }
    dl.answers { font-size: 0.95rem; line-height: 1.4; }
    dl.answers dt { font-weight: 600; color: var(--quiet); }
    dl.answers dd { margin: 0; }
    figure { margin: 12px 0 8px; }
    svg { display: block; width: 100%; height: auto; }
    svg text { font-family: var(--font); }
    svg.narrow { display: none; }
    figure.panel { margin: 0; }
    .plot { width: 100%; height: 300px; }
    .panel .plot { height: 110px; }
    .panel.last .plot { height: 132px; }
    :focus-visible { outline: 2px solid var(--blue) !important; outline-offset: 2px; }
    .readout { display: flex; flex-wrap: wrap; gap: 0 16px; font-size: 0.85rem; }
    .readout .unit { font-weight: 600; }
    .readout .key i {
      display: inline-block; width: 9px; height: 9px; margin-right: 5px;
    }
    svg.sample { display: inline-block; width: 30px; height: 9px; margin-right: 5px; }
    svg.mark { display: inline-block; width: 11px; height: 11px; margin-right: 5px; }
    .x-unit { text-align: center; font-size: 0.8rem; color: var(--quiet); }
    .readout .value { font-variant-numeric: tabular-nums; font-weight: 600; }
    .readout .instant { margin-left: auto; color: var(--quiet); }
    .spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    .dygraph-axis-label { color: var(--text); font-size: 12px; }
    @media screen { figure.drawn > svg { display: none; } }
    @media print {
      figure:has(> svg) > :is(.plot, .readout, .x-unit) { display: none !important; }
    }
    details { margin: 8px 0 0; }
    summary { cursor: pointer; color: var(--quiet); padding: 4px 0; }
    .scroll { overflow-x: auto; margin: 8px 0; }
    table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
    th, td { padding: 4px 12px 4px 0; text-align: right; white-space: nowrap; }
    th.words, td.words { text-align: left; white-space: normal; min-width: 13rem; }
    tbody:has(td.words) th, tbody:has(td.words) td { vertical-align: top; }
    th:first-child { text-align: left; font-weight: 400; }
    tbody:has(td.words) th:first-child { white-space: normal; }
    thead th, thead th:first-child { font-weight: 600; border-bottom: 1px solid var(--grey); }
    tbody tr + tr { border-top: 1px solid var(--grid); }
    .note { color: var(--quiet); font-size: 0.9rem; margin: 8px 0 0; }
    pre {
      background: var(--panel); padding: 12px; overflow-x: auto; font-size: 0.85rem;
      line-height: 1.4; margin: 8px 0;
    }
    code { overflow-wrap: anywhere; }
    @media screen and (max-width: 640px) {
      main { padding: 16px 16px 48px; }
      svg.wide { display: none; }
      svg.narrow { display: block; }
      dl.answers { grid-template-columns: 1fr; gap: 2px; }
      dl.answers dd { margin-bottom: 12px; }
      table:has(td.words) { width: 100%; }
      tr:has(.words) {
        display: grid; grid-template-columns: 1fr auto auto; padding: 4px 0;
      }
      th.words { display: none; }
      td.words { grid-column: 1 / -1; min-width: 0; padding: 2px 0; color: var(--quiet); }
      h1 { font-size: 1.6rem; }
      h2 { margin-top: 36px; }
    }
    @media print {
      @page { margin: 16mm; }
      body { font-size: 10.5pt; }
      main { max-width: none; padding: 0; }
      h2 { break-after: avoid; margin-top: 24px; }
      h2 + p { break-after: avoid; }
      figure, .verdict, .tile, tr { break-inside: avoid; }
      table { font-size: 0.72rem; }
      th, td { padding: 2px 8px 2px 0; }
      .scroll { overflow: visible; }
      .tile { border: 1px solid var(--grid); }
      details.curve, summary { display: none; }
      details.facts::details-content { content-visibility: visible; }
      details.facts[open] { break-inside: avoid; }
    }
    """

  private static let places = """
    .places .map { height: 520px; background: var(--panel); font: inherit; z-index: 0; }
    .places .modes, .places .legend, .places .player {
      display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: center; font-size: 0.85rem;
      margin: 6px 0;
    }
    .places .legend { gap: 4px 6px; }
    .places i { display: inline-block; width: 9px; height: 9px; margin-right: 5px; }
    .places svg.mark { vertical-align: -1px; }
    .places button, .places select {
      font: inherit; font-size: 0.85rem; color: var(--text); background: var(--panel);
      border: 1px solid var(--grid); border-radius: 3px; padding: 2px 8px; cursor: pointer;
      max-width: 100%; text-align: left;
    }
    .places .legend button[aria-pressed=false] { opacity: 0.45; text-decoration: line-through; }
    .places .player input { flex: 1; min-width: 8rem; accent-color: var(--blue); }
    .places .player .play { min-width: 4.5rem; }
    .places .player .instant { font-variant-numeric: tabular-nums; min-width: 5rem; }
    .places .leaflet-bar a, .places .leaflet-control-scale-line {
      color: var(--text); background: var(--paper); border-color: var(--grey);
    }
    .places .leaflet-control-scale-line { text-shadow: none; }
    .phone-panel .head { display: flex; justify-content: space-between; align-items: center; }
    .phone-panel h3 { font-size: 1.05rem; margin: 12px 0 6px; }
    .phone-panel dl { display: flex; flex-wrap: wrap; gap: 4px 24px; margin: 0 0 8px; }
    .phone-panel dt { font-size: 0.8rem; color: var(--quiet); }
    .phone-panel dd { margin: 0; font-size: 0.9rem; overflow-wrap: anywhere; }
    .phone-panel pre { white-space: pre-wrap; overflow-wrap: anywhere; }
    .timeline text { fill: var(--text); }
    .timeline .cursor { fill: var(--vermilion); }
    .phone-day .said {
      font: 0.8rem/1.4 monospace; min-height: 1.4em; margin: 4px 0; white-space: pre-wrap;
    }
    .phone-day .lines {
      background: var(--panel); padding: 8px 12px; max-height: 320px; overflow: auto;
      font: 0.8rem/1.5 monospace; white-space: pre-wrap; position: relative;
    }
    .phone-day .lines div { cursor: pointer; }
    .phone-day .lines .lit { background: var(--grid); }
    @media screen and (max-width: 640px) { .places .map { height: 380px; } }
    @media print {
      .places .modes, .places .player, .leaflet-control-zoom { display: none; }
      .phone-day .lines { max-height: none; }
    }
    """
}
