"""Batches as PROTOCOL.md section 9 and collector.proto describe them."""

import gzip
import struct
import zlib

import zstandard

import packed
from messages import pb

IDENTITY, ZSTD, PACKED, ROWS, ROWS_GZIP, ROWS_ZSTD = range(6)


class Fix:
    """One location: hundredths of a second, millionths of a degree, meters, 0.1 m/s, degrees."""

    def __init__(self, time_cs, latitude_e6=48_137_000, longitude_e6=11_575_000, accuracy=10,
                 speed=-1, course=-1):
        self.row = (time_cs, latitude_e6, longitude_e6, accuracy, speed, course)


def wrapped(value, bits):
    """`value` as a signed integer of so many bits: all arithmetic wraps."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def differences(values, bits):
    before = 0
    for value in values:
        yield wrapped(value - before, bits)
        before = value


def second_differences(values, bits):
    return differences_after_first(list(differences(values, bits)), bits)


def differences_after_first(values, bits):
    """Entries 0 and 1 are the value and the first difference, then the change of it."""
    return values[:2] + [wrapped(b - a, bits) for a, b in zip(values[1:], values[2:])]


def columns(fixes):
    """A BatchPayload message with one entry a fix."""
    time, latitude, longitude, accuracy, speed, course = zip(*(fix.row for fix in fixes))
    return pb.BatchPayload(
        time_cs=second_differences(time, 64),
        latitude_e6=second_differences(latitude, 32),
        longitude_e6=second_differences(longitude, 32),
        accuracy_meters=differences(accuracy, 32),
        speed_dms=differences(speed, 32),
        course_degrees=differences(course, 32))


def rows(fixes):
    """A BatchRows message: what generated code writes of the same fixes."""
    return pb.BatchRows(fixes=[
        pb.FixRow(time_ms=time * 10, latitude=latitude / 1e6, longitude=longitude / 1e6,
                  accuracy=accuracy, speed=-1 if speed < 0 else speed / 10, course=course)
        for time, latitude, longitude, accuracy, speed, course in (fix.row for fix in fixes)])


def check_of(upload):
    """CRC-32 over seven words and the payload."""
    words = struct.pack(
        ">7I", upload.phone, upload.epoch, upload.sequence, upload.fix_count, upload.encoding,
        upload.uncompressed_size, upload.settings_version)
    return zlib.crc32(upload.payload, zlib.crc32(words))


def compress(plain, **parameters):
    """One zstd frame that states its content size."""
    parameters.setdefault("write_content_size", True)
    parameters.setdefault("write_checksum", False)
    chosen = zstandard.ZstdCompressionParameters.from_level(
        parameters.pop("level", 3), source_size=len(plain), **parameters)
    return zstandard.ZstdCompressor(compression_params=chosen).compress(plain)


def envelope(phone, sequence, plain, count, encoding=ZSTD, epoch=0, **changed):
    """An UploadRequest; `changed` overrides fields before the check is made, except `check`."""
    check = changed.pop("check", None)
    wrap = {ZSTD: compress, ROWS_ZSTD: compress, ROWS_GZIP: gzip.compress}.get(encoding, bytes)
    upload = pb.UploadRequest(
        phone=phone, epoch=epoch, sequence=sequence, fix_count=count, encoding=encoding,
        uncompressed_size=len(plain), payload=wrap(plain))
    for name, value in changed.items():
        setattr(upload, name, value)
    upload.check = check_of(upload) if check is None else check
    return upload


def upload_of(phone, sequence, fixes, encoding=ZSTD, **changed):
    if encoding == PACKED:
        payload = packed.encode([fix.row for fix in fixes])
        changed = {"uncompressed_size": 0, **changed}
        return envelope(phone, sequence, payload, len(fixes), encoding, **changed)
    message = rows(fixes) if encoding in (ROWS, ROWS_GZIP, ROWS_ZSTD) else columns(fixes)
    plain = message.SerializeToString()
    return envelope(phone, sequence, plain, len(fixes), encoding, **changed)
