#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>

// libmosquitto 2.0 keeps the properties of a connect that it refuses for its arguments (here the
// port), and sends them with the next one; the nonblocking call takes no properties.
static inline int flotilla_set_connect_properties(struct mosquitto *client, const char *host,
                                                  const mosquitto_property *properties) {
  return mosquitto_connect_bind_v5(client, host, -1, 60, NULL, properties) == MOSQ_ERR_INVAL;
}

// mosquitto_loop_read for a caller that has the client as an untyped pointer.
static inline int flotilla_loop_read(void *client, int packets) {
  return mosquitto_loop_read((struct mosquitto *)client, packets);
}
