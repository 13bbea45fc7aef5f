#include "page.h"

// #embed is C23; Clang has it in C17 as well.
#pragma clang diagnostic ignored "-Wc23-extensions"

const char *flotilla_page_charts(void) {
  static const char text[] = {
#embed "charts.js" suffix(, 0)
  };
  return text;
}

const char *flotilla_page_map(void) {
  static const char text[] = {
#embed "map.js" suffix(, 0)
  };
  return text;
}

const char *flotilla_page_live(void) {
  static const char text[] = {
#embed "live.js" suffix(, 0)
  };
  return text;
}
