import TestSupport
import Testing
@testable import Core

@Suite("Untrusted text in output", .quick)
struct ForeignTextTests {
  @Test("control characters are escaped on a terminal")
  func terminal() {
    #expect(ForeignText.inTerminal("a\u{1B}[31mred\u{7}") == #"a\u{1b}[31mred\u{7}"#)
    #expect(ForeignText.inTerminal("lines\nand\ttabs stay") == "lines\nand\ttabs stay")
    #expect(ForeignText.inTerminal("back\r\u{8}") == #"back\u{d}\u{8}"#)
    #expect(ForeignText.inTerminal("\u{9B}2J\u{202E}fdp") == #"\u{9b}2J\u{202e}fdp"#)
    for code in (0..<0x2100 as Range<UInt32>) {
      guard let scalar = Unicode.Scalar(code), ForeignText.isControl(scalar) else { continue }
      let shown = ForeignText.inTerminal("a\(scalar)b").unicodeScalars
      let isKept = scalar == "\n" || scalar == "\t"
      #expect(shown.contains(scalar) == isKept, "\(code)")
    }
    let plain = "p99 12 ms, 3 ≤ 4 – Grüße, 東京 … é🙂"
    #expect(ForeignText.inTerminal(plain) == plain)
    #expect(ForeignText.inLine("a\r\nb\tc\u{1B}") == #"a  b c\u{1b}"#)
  }

  @Test("a page of HTML receives text alone")
  func html() {
    #expect(
      ForeignText.inHTML(#"<b a="1" c='2'>&"#) == "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;")
    #expect(ForeignText.inHTML("a\u{1B}\u{202E}\n") == "a\u{FFFD}\u{FFFD}\n")
  }

  static let markdownTexts: [(String, String)] = [
    ("p99 < 200 ms, a & b, x<3, [::1]:80, cohorts[0].name", ""),
    ("# title\n\n**bold**\n- item\n> quote\n| a | b |\n|---|---:|", ""),
    ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
    ("<!-- --> <?x?> &lt; &#60;", "&lt;!-- --> &lt;?x?> &amp;lt; &amp;#60;"),
    ("a [x](http://y) b", "a [x&#93;(http://y) b"),
    ("![x][y] z", "&#33;[x&#93;[y] z"),
    ("- [x]: http://y\n[z]: http://y", "- &#91;x]: http://y\n&#91;z]: http://y"),
    ("\u{1B}[2J", #"\u{1b}[2J"#),
  ]

  @Test(
    "a Markdown summary keeps its own markup, and no foreign tag, link or picture",
    arguments: markdownTexts)
  func markdown(text: String, expected: String) {
    #expect(ForeignText.inMarkdown(text) == (expected.isEmpty ? text : expected))
  }

  @Test("a table cell's text ends no cell and no row")
  func cells() {
    #expect(ForeignText.inMarkdown(row: ["a|b", "c\nd"]) == #"| a\|b | c d |"#)
  }
}

@Suite("Passwords and secrets in texts", .quick)
struct RedactionTests {
  static let passwordTexts: [(String, String)] = [
    ("'http://u:pw@h:1/x' is no address", "'http://u:***@h:1/x' is no address"),
    (
      "postgresql://me:s3%21@h/d?password=hidden&user=me",
      "postgresql://me:***@h/d?password=***&user=me"
    ),
    ("postgres://u:p@ss@h/d", "postgres://u:***@h/d"),
    ("postgres://u:p/ss@h/d", "postgres://u:***@h/d"),
    ("--set collector.url=http://u:pw@h", "--set collector.url=http://u:***@h"),
    ("host=x password=secret user=y: no such file", "host=x password=*** user=y: no such file"),
    (#"host=x password = 'a \' b' user=y"#, "host=x password = *** user=y"),
    ("PGPASSWORD=x sslpassword=y", "PGPASSWORD=*** sslpassword=***"),
    ("--set run.webToken=0123456789abcdef", "--set run.webToken=***"),
    ("mqtt://a:b@h and mqtts://c:d@i", "mqtt://a:***@h and mqtts://c:***@i"),
    ("http://[::1]:8080/@me http://h:80/a@b http://u@h a=b", ""),
    ("no password is needed; user@host; https://h/x", ""),
    ("password=", ""), ("://", ""), ("http://:@", ""),
  ]

  @Test(
    "passwords of addresses and connection strings are removed, and nothing else",
    arguments: passwordTexts)
  func passwords(text: String, expected: String) {
    #expect(Redaction.passwords(in: text) == (expected.isEmpty ? text : expected))
  }

  @Test("secrets are removed in each form in which a server returns them")
  func secrets() {
    let shown = Redaction.secrets(
      ["a/b+c\"d", "abc", "a/b+"],
      in: #"raw a/b+c"d json a\/b+c\"d url a%2Fb%2Bc%22d part a/b+ short abc"#)
    #expect(shown == "raw *** json *** url *** part *** short abc")
    #expect(
      Redaction.secrets(
        [], in: #"{"authorization":"Basic dXNlcjpwYXNz", "b":"bearer abcdefghijkl"}"#)
        == #"{"authorization":"Basic ***", "b":"bearer ***"}"#)
    #expect(Redaction.secrets([], in: "basic auth is wanted ") == "basic auth is wanted ")
  }
}
