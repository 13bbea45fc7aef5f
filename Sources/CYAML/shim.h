// libyaml's parser as it is: nothing of it needs wrapping, its enums and structs import whole.
#pragma once
#include <yaml.h>
