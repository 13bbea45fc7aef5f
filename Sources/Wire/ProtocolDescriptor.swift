internal import CFlotillaProto

/// The definition of the collector's service and messages as protoc describes it.
package enum ProtocolDescriptor {
  /// A `FileDescriptorSet` of `flotilla/v1/collector.proto`.
  package static var files: [UInt8] {
    // What `proto/generate` wrote: an array of so many bytes.
    Array(
      UnsafeRawBufferPointer(
        start: flotilla_collector_descriptor_start(),
        count: Int(flotilla_collector_descriptor_bytes)))
  }
}
