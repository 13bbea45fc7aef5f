#ifndef FLOTILLA_DEFAULTS_H
#define FLOTILLA_DEFAULTS_H

// The built-in profiles, byte for byte as in `scenarios/profiles` and `scenarios/people`, each
// followed by a 0.
const char *flotilla_defaults_os(void);
const char *flotilla_defaults_android(void);
const char *flotilla_defaults_significant_change(void);
const char *flotilla_defaults_energy(void);
const char *flotilla_defaults_android_energy(void);
const char *flotilla_defaults_android_energy_2017(void);
const char *flotilla_defaults_sensors(void);
const char *flotilla_defaults_people(void);
const char *flotilla_defaults_world(void);

#endif
