#ifndef FLOTILLA_PAGE_H
#define FLOTILLA_PAGE_H

// The scripts of a report, each with a 0 behind it.
const char *flotilla_page_charts(void);
const char *flotilla_page_map(void);
const char *flotilla_page_live(void);

#endif
