/* A FileDescriptorSet of all that a collector serves. */
#pragma once
extern const unsigned char flotilla_collector_descriptor[];
extern const unsigned long flotilla_collector_descriptor_bytes;

/* Swift sees no array without a length. */
static inline const unsigned char *flotilla_collector_descriptor_start(void) {
  return flotilla_collector_descriptor;
}
