// The data of ICU without any data, as in ICU's own stubdata.cpp, in place of 31 MB in an image.
//
// libxml2 reads UTF-8, UTF-16 and ISO-8859-1 itself, and asks ICU for other encodings of XML files,
// which it then reports as unsupported.
#include <stdint.h>

const struct {
  uint16_t headerSize;
  uint8_t magic[2];
  uint16_t infoSize, reserved;
  uint8_t isBigEndian, charsetFamily, sizeofUChar, reservedByte;
  uint8_t format[4], formatVersion[4], dataVersion[4];
  uint8_t padding[8];
  uint32_t count, reservedCount;
  int32_t names[4];
} ENTRY_POINT = {
    32, {0xda, 0x27}, 20, 0, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, 0, 2, 0,
    {'T', 'o', 'C', 'P'}, {1, 0, 0, 0}, {0}, {0}, 0, 0, {0}};
