// libxml2's push parser and its callbacks; documents, XPath and the network are not used.
#pragma once
#include <libxml/xmlversion.h>
// ICU's types, which its headers would bring along, clash with those that Foundation has.
#undef LIBXML_ICU_ENABLED
#include <libxml/SAX2.h>
#include <libxml/parser.h>
