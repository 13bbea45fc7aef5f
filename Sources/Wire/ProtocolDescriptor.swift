internal import CFlotillaProto

/// protoc's descriptors of the collector's services and messages.
package enum ProtocolDescriptor {
  /// A `FileDescriptorSet` of `flotilla/v1/collector.proto` and of gRPC's own services.
  package static var files: [UInt8] {
    // `proto/generate` writes an array of this many bytes.
    Array(
      UnsafeRawBufferPointer(
        start: flotilla_collector_descriptor_start(),
        count: Int(flotilla_collector_descriptor_bytes)))
  }
}
