#include "defaults.h"

// #embed is C23; Clang has it in C17 as well.
#pragma clang diagnostic ignored "-Wc23-extensions"

const char *flotilla_defaults_os(void) {
  static const char text[] = {
#embed "../../scenarios/profiles/os/ios17.yaml" suffix(, 0)
  };
  return text;
}

const char *flotilla_defaults_android(void) {
  static const char text[] = {
#embed "../../scenarios/profiles/os/android14.yaml" suffix(, 0)
  };
  return text;
}

const char *flotilla_defaults_significant_change(void) {
  static const char text[] = {
#embed "../../scenarios/profiles/significant-change/modern.yaml" suffix(, 0)
  };
  return text;
}

const char *flotilla_defaults_energy(void) {
  static const char text[] = {
#embed "../../scenarios/profiles/energy/modern2022.yaml" suffix(, 0)
  };
  return text;
}

const char *flotilla_defaults_android_energy(void) {
  static const char text[] = {
#embed "../../scenarios/profiles/energy/android2022.yaml" suffix(, 0)
  };
  return text;
}

const char *flotilla_defaults_android_energy_2017(void) {
  static const char text[] = {
#embed "../../scenarios/profiles/energy/android2017.yaml" suffix(, 0)
  };
  return text;
}

const char *flotilla_defaults_sensors(void) {
  static const char text[] = {
#embed "../../scenarios/profiles/sensors/standard.yaml" suffix(, 0)
  };
  return text;
}

const char *flotilla_defaults_people(void) {
  static const char text[] = {
#embed "../../scenarios/people/standard.yaml" suffix(, 0)
  };
  return text;
}

const char *flotilla_defaults_world(void) {
  static const char text[] = {
#embed "../../scenarios/profiles/world.yaml" suffix(, 0)
  };
  return text;
}
