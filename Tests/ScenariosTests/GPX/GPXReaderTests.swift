internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Core
@testable internal import Scenarios

@Suite("Unusual GPX files", .quick)
struct GPXReaderTests {
  private let two = track([
    ("2026-03-02T08:00:00Z", 52.5, 13.4), ("2026-03-02T08:01:00Z", 52.501, 13.4),
  ])

  @Test("the points of all segments are one journey")
  func segments() throws {
    let segment =
      "<trkseg><trkpt lat='52.5' lon='13.4'><time>2026-03-02T08:0%:00Z</time></trkpt></trkseg>"
    let rows = ["1", "0", "2"].map { segment.replacing("%", with: $0) }
    let made = try recording(gpx("<trk>\(rows[0])</trk><trk>\(rows[1])\(rows[2])</trk>"))
    #expect(made.points.count == 3)
    #expect(made.points[2].time - made.points[0].time == .minutes(2))
    #expect(made.report.contains("3 of 3 points in 3 segments, 2 min"))
  }

  @Test("UTF-16 in both orders, with and without a mark, and a UTF-8 mark change nothing")
  func encodings() throws {
    let plain = try recording(two)
    let little = two.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = two.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    #expect(try recording(little) == plain)
    #expect(try recording(big) == plain)
    #expect(try recording([0xFF, 0xFE] + little) == plain)
    #expect(try recording([0xFE, 0xFF] + big) == plain)
    #expect(try recording([0xEF, 0xBB, 0xBF] + Array(two.utf8)) == plain)
    #expect(fault([0xFF, 0xFE, 0, 0] + little) == "is UTF-32; save it as UTF-8.")
    #expect(
      fault(little.dropLast()) == "line 1, column 257: ends in the middle of a UTF-16 character.")
  }

  @Test("Latin-1 names do not matter")
  func latin() throws {
    var bytes = Array(two.utf8)
    let name: [UInt8] = Array("<name>Caf".utf8) + [0xE9] + Array("</name>".utf8)
    let root = try #require(two.range(of: "<trk>"))
    bytes.insert(contentsOf: name, at: two.utf8.distance(from: two.startIndex, to: root.lowerBound))
    #expect(try recording(bytes).points.count == 2)
  }

  private static let documents = [
    """
    <a:gpx xmlns:a='http://www.topografix.com/GPX/1/0'><a:trk><a:trkseg>
    <a:trkpt lat='1' lon='2'><a:time>2026-01-01T00:00:00Z</a:time></a:trkpt>
    </a:trkseg></a:trk></a:gpx>
    """,
    """
    <gpx><trk><trkseg>
    <trkpt lat='1' lon='2'><time>2026-01-01T00:00:00Z</time></trkpt>
    </trkseg></trk></gpx>
    """,
    """
    <gpx xmlns='urn:misspelt'><trk><trkseg>
    <trkpt lat='1' lon='2'><time>2026-01-01T00:00:00Z</time></trkpt>
    </trkseg></trk></gpx>
    """,
    """
    <gpx xmlns:f='urn:foreign'>
    <f:trk><trkseg><trkpt lat='8' lon='8'/></trkseg></f:trk>
    <trk><trkseg><f:trkpt lat='9' lon='9'/><trkpt lat='1' lon='2'>
    <f:time>1999-01-01T00:00:00Z</f:time><time>2026-01-01T00:00:00Z</time>
    <time xmlns='urn:foreign'>1999-01-01T00:00:00Z</time>
    <extensions><time>1999-01-01T00:00:00Z</time></extensions>
    </trkpt></trkseg></trk></gpx>
    """,
    """
    <!-- <gpx> --><?pi ?><gpx><wpt lat='7' lon='7'><time>1999-01-01T00:00:00Z</time></wpt>
    <metadata><time>1999-01-01T00:00:00Z</time></metadata>
    <trk><name><![CDATA[ a < b ]]> &amp; </name><trkseg><trkpt lon="2" lat = '1' >
    <time>
     <![CDATA[2026-01-01T00:00:00Z]]> </time></trkpt></trkseg></trk></gpx>
    <!-- end -->
    """,
  ]

  @Test(
    "namespaces: any prefix may be GPX's, and foreign elements are ignored",
    arguments: documents.indices)
  func namespaces(number: Int) throws {
    let made = try recording(Self.documents[number])
    #expect(made.points.map { [$0.latitude, $0.longitude] } == [[1, 2]])
    #expect(made.points[0].time == SimInstant(microseconds: 1_767_225_600_000_000))
  }

  @Test("character references are decoded, in times and in coordinates")
  func characterReferences() throws {
    let made = try recording(
      gpx(
        """
        <trk><trkseg><trkpt lat='5&#50;.5' lon="&#x2d;13.4">
        <time>2026-03-02T10:00:00&#x2B;02:00</time></trkpt>
        <trkpt lat='52.5' lon='-13.4'><time><![CDATA[2026-03-02T08:01:00Z]]></time></trkpt>
        </trkseg></trk>
        """))
    #expect(made.points.map(\.latitude) == [52.5, 52.5])
    #expect(made.points.map(\.longitude) == [-13.4, -13.4])
    #expect(made.points[1].time - made.points[0].time == .minutes(1))
    let spelt = "2026-03-02T08:00:00.000Z".utf8.map { "&#\($0);" }.joined()
    #expect(try recording(track([(spelt, 52.5, -13.4)])).points[0].time == made.points[0].time)
  }

  @Test(
    "text that only resembles a reference is unchanged, and expands to nothing",
    arguments: [
      "2026-03-02T08:00:00&;Z", "2026-03-02T08:00:00&bomb;", "2026&#x110000;", "a & b; c",
    ])
  func noReference(time: String) throws {
    let made = try recording(track([(time, 52.5, 13.4), ("2026-03-02T08:00:00Z", 52.5, 13.4)]))
    #expect(made.report.contains("skipped 1 with a time that cannot be read"))
    let raw = "<![CDATA[2026-03-02T08:00:00&#x5A;]]>"
    #expect(try recording(track([(raw, 52.5, 13.4)])).report.contains("no times"))
  }

  @Test("a longitude beyond 180 degrees continues from the date line")
  func dateLine() throws {
    let made = try recording(
      track([
        ("2026-03-02T08:00:00Z", -17.5, 179.99), ("2026-03-02T08:10:00Z", -17.5, 180.01),
        ("2026-03-02T08:20:00Z", -17.5, -180.02), ("2026-03-02T08:30:00Z", -17.5, 360.5),
      ]))
    #expect(made.points.map { ($0.longitude * 100).rounded() } == [17_999, -17_999, 17_998])
    #expect(made.report.contains("3 of 4 points in 1 segment, 20 min, 5.3 km"))
    #expect(made.report.contains("skipped 1 with an invalid coordinate"))
  }

  @Test(
    "points of a track count if their segment or the track itself was left out",
    arguments: [
      ("<trk>%%</trk>", 1), ("%%", 1), ("<trkseg>%%</trkseg>", 1),
      ("<trk>%</trk><trk>%</trk>", 2), ("<trk><trkseg>%</trkseg></trk><trk>%</trk>", 2),
    ])
  func withoutSegment(inside: String, segments: Int) throws {
    var minute = 0
    var text = ""
    for letter in gpx(inside) {
      guard letter == "%" else {
        text.append(letter)
        continue
      }
      text +=
        "<trkpt lat='52.5' lon='13.\(minute)'><time>2026-03-02T08:0\(minute):00Z</time></trkpt>"
      minute += 1
    }
    let made = try recording(text)
    let counted = segments == 1 ? "1 segment" : "\(segments) segments"
    #expect(made.report.contains("2 of 2 points in \(counted), 1 min"), "\(made.report)")
  }

  @Test("a route is used if there is no track")
  func routes() throws {
    let route = "<rte><rtept lat='52.5' lon='13.4'/><rtept lat='52.501' lon='13.4'/></rte>"
    let made = try recording(gpx(route))
    #expect(made.points.count == 2)
    #expect(made.report.contains("2 of 2 points in 1 route, 55 s, 0.1 km, no times"))
    #expect(
      try recording(gpx(route + "<trk><trkseg><trkpt lat='1' lon='1'/></trkseg></trk>"))
        .points.count == 1)
  }

  @Test(
    "a file without a recording is refused, with the place and the reason",
    arguments: [
      ("", "contains no XML."),
      ("lat,lon\n1,2\n", "line 1, column 1: text before the first '<'; this is not XML."),
      (
        "<!DOCTYPE gpx [<!ENTITY a 'b'>]><gpx/>",
        "line 1, column 15: a DOCTYPE or declaration, which is not allowed."
      ),
      (
        "<gpx><trk>\n<trkseg></trk></gpx>",
        "line 2, column 15: </trk> instead of </trkseg>."
      ),
      ("<gpx><trk>", "line 1, column 10: the file ends inside <trk>; it is truncated."),
      ("<gpx/><gpx/>", "line 1, column 7: a second root element."),
      ("<gpx/>tail", "line 1, column 7: text after the end."),
      ("<gpx a=1/>", "line 1, column 8: an attribute's value without quotes."),
      ("<gpx a='1'b='2'/>", "line 1, column 11: no space between two attributes."),
      ("<gpx a='<'/>", "line 1, column 9: '<' inside an attribute's value."),
      ("<gpx>\u{1}</gpx>", "line 1, column 6: a control character; this is not XML."),
      ("<kml/>", "is KML, not GPX; convert it."),
      ("<gpx/>", "has no track, route or waypoint."),
      ("PK\u{3}\u{4}rest", "is a ZIP archive (or KMZ); unpack it and name the GPX inside."),
    ])
  func refused(text: String, why: String) {
    #expect(fault(text) == why)
  }

  @Test("elements, names and namespaces have bounds")
  func bounds() {
    let deep = String(repeating: "<a>", count: 100)
    #expect(fault("<gpx>\(deep)") == "line 1, column 197: elements nested more than 64 deep.")
    let long = String(repeating: "a", count: 300)
    #expect(fault("<\(long)/>")?.contains("a name of more than 256 characters") == true)
    let spaces = (0..<300).map { " xmlns:a\($0)='b'" }.joined()
    #expect(fault("<gpx\(spaces)/>")?.contains("more than 256 namespaces") == true)
  }

  @Test("20,000 points are one recording")
  func many() throws {
    let start = "2026-03-02T"
    let rows = (0..<20_000).map { i -> (String?, Double, Double) in
      let time = String(format: "%02d:%02d:%02dZ", i / 3_600, i / 60 % 60, i % 60)
      return (start + time, 52.5 + Double(i) * 1e-5, 13.4)
    }
    #expect(try recording(track(rows)).points.count == 20_000)
  }
}
