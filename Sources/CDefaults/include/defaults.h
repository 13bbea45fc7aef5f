#ifndef FLOTILLA_DEFAULTS_H
#define FLOTILLA_DEFAULTS_H

// The profiles that the program has in it, byte for byte as they lie in `scenarios/profiles` and
// `scenarios/people`, each with a 0 behind it.
const char *flotilla_defaults_os(void);
const char *flotilla_defaults_significant_change(void);
const char *flotilla_defaults_energy(void);
const char *flotilla_defaults_sensors(void);
const char *flotilla_defaults_people(void);
const char *flotilla_defaults_world(void);

#endif
