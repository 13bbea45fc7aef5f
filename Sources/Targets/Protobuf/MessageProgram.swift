package import Scenarios

/// A protobuf message, compiled once from a mapping and a schema.
///
///     begin 0x12 (4 steps)  ·  number 0x08 latitude ×10⁷ zigzag  ·  …  ·  text 0x22
///
/// A step has the bytes of its tag, an encoding, and the source of its value. The content of a
/// nested message follows the step that begins the message.
package struct MessageProgram: Sendable {
  /// The bytes of a field's number and wire type.
  struct Tag: Sendable, BitwiseCopyable {
    var bytes: UInt64
    var count: UInt8

    static let none = Tag(bytes: 0, count: 0)

    init(bytes: UInt64, count: UInt8) {
      self.bytes = bytes
      self.count = count
    }

    init(field number: Int, wireType: UInt64) {
      var rest = UInt64(number) << 3 | wireType
      (bytes, count) = (0, 0)
      while rest >= 0x80 {
        bytes |= (rest & 0x7F | 0x80) << (8 * UInt64(count))
        count += 1
        rest >>= 7
      }
      bytes |= rest << (8 * UInt64(count))
      count += 1
    }
  }

  enum Operation: Sendable, BitwiseCopyable {
    /// Constant bytes, including the tag.
    case literal
    case number
    case text
    case enumeration
    case timestamp, duration
    /// A message or a packed field, whose content is the next `length` steps.
    case begin
    /// The next `length` steps run once for every fix.
    case each
  }

  enum Encoding: Sendable, BitwiseCopyable {
    case varint, zigzag, fixed32, fixed64, float, double
  }

  enum Dropping: Sendable, BitwiseCopyable {
    case never
    case empty
    /// The message is left out if none of its values is known.
    case unknown
  }

  struct Step: Sendable, BitwiseCopyable {
    var operation: Operation
    var tag: Tag
    var encoding = Encoding.varint
    var source = ValueSource.literal
    var unit = ValueUnit.plain
    /// The number of decimals to which a number is rounded; 255 for no rounding.
    var decimals: UInt8 = 255
    /// Whether a zero is left out, because absence means zero or the target's file demands it.
    var dropsZero = false
    var dropping = Dropping.never
    /// The number of steps that belong to this step.
    var length: Int32 = 0
    /// The start in `literals` of a literal's bytes, or of another step's tag and unknown value.
    var place: Int32 = 0
    var count: Int32 = 0
    /// The index in `texts`; an enumeration also has an index in `enumerations`.
    var text: Int32 = 0
    var enumeration: Int32 = 0
    /// The bounds of a whole number; a number beyond the bounds is written as an unknown value.
    var least: Int64 = .min
    var most: Int64 = .max
  }

  struct EnumerationTable: Sendable {
    var entries: [(text: [UInt8], number: Int32)]
  }

  var steps: [Step] = []
  var literals: [UInt8] = []
  var texts: [UploadProgram] = []
  var enumerations: [EnumerationTable] = []

  /// - Parameter canBeList: whether a list becomes several messages, each after its length.
  /// - Throws: all mistakes at once, each with its line in the target's file.
  package init(
    _ mapping: MappingNode, as message: Int, of schema: MessageSchema, _ names: TargetNames,
    canBeList: Bool = false
  ) throws(ScenarioError) {
    var compiler = MessageCompiler(schema, names)
    let steps = canBeList ? compiler.body(mapping, message) : compiler.message(mapping, message)
    guard compiler.diagnostics.isEmpty else { throw ScenarioError(compiler.diagnostics) }
    self.steps = steps
    literals = compiler.literals
    texts = compiler.texts
    enumerations = compiler.enumerations
  }
}
