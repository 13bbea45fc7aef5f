// libxml2's push parser and its callbacks; documents, XPath and the network are not used.
#pragma once
#include <libxml/xmlversion.h>
// ICU's types, included by its headers, conflict with Foundation's.
#undef LIBXML_ICU_ENABLED
#include <libxml/SAX2.h>
#include <libxml/parser.h>
