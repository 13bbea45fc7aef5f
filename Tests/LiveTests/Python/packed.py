"""The packed payload, written from PROTOCOL.md section 9 alone.

    packed.py COUNT < payload.bin    prints what protoc would print of the same columns
"""

import sys

EPOCH_CS = 94_668_480_000  # 2000-01-01T00:00Z
BLOCK = 64
ESCAPE_ONES = 12
EXACT, FIRST, SECOND, SMOOTHED = range(4)
NONE, ALL, SOME, ODD = range(4)
HUNDREDTHS, SECONDS, SECONDS_APART, WIDE = range(4)


class Malformed(Exception):
    pass


def signed(value, bits=64):
    """The low bits as a two's complement number: arithmetic wraps at 64 bits."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def zigzag(value):
    return value << 1 if value >= 0 else (-value << 1) - 1


def unzigzag(number):
    return -(number + 1 >> 1) if number & 1 else number >> 1


class Writer:
    def __init__(self):
        self.bits = 0
        self.length = 0

    def put(self, value, width):
        self.bits |= (value & (1 << width) - 1) << self.length
        self.length += width

    def number(self, value):
        width = value.bit_length()
        self.put(width, 5)
        self.put(value, max(0, width - 1))

    def payload(self):
        return self.bits.to_bytes((self.length + 7) // 8, "little")


class Reader:
    def __init__(self, payload):
        self.bits = int.from_bytes(payload, "little")
        self.left = 8 * len(payload)

    def take(self, width):
        if width > self.left:
            raise Malformed("the stream ends early")
        value = self.bits & (1 << width) - 1
        self.bits >>= width
        self.left -= width
        return value

    def number(self):
        width = self.take(5)
        return self.take(width - 1) | 1 << width - 1 if width > 0 else 0

    def rice(self, parameter):
        ones = 0
        while ones < ESCAPE_ONES and self.take(1):
            ones += 1
        if ones == ESCAPE_ONES:
            return self.take(self.take(6) + 1)
        return ones << parameter | self.take(parameter)

    def end(self):
        if self.left > 7 or self.bits:
            raise Malformed("something stands behind the last column")


# ---- reading

def column(reader, first, count, sloped=False, circle=False):
    """All values of a column whose first is known."""
    values = [first]
    while len(values) < count:
        length = min(BLOCK, count - len(values))
        mode = reader.take(2)
        slope = signed(unzigzag(reader.number())) if sloped else 0
        step = slope if sloped else values[-1] - values[-2] if len(values) > 1 else 0
        parameter = 0 if mode == EXACT else reader.take(4)
        mean = signed(values[-1] * 16)
        for _ in range(length):
            residual = 0 if mode == EXACT else unzigzag(reader.rice(parameter))
            if mode == SMOOTHED:
                mean = signed(mean + slope * 16)
                value = (mean >> 4) + residual
                mean = signed(mean + residual * 4)
            else:
                value = values[-1] + (step if mode == SECOND else slope) + residual
            value = value % 360 if circle else signed(value)
            step = signed(value - values[-1])
            values.append(value)
    return values


def partial(reader, count, circle=False):
    """A column that may have gaps."""
    presence = reader.take(2)
    if presence == NONE:
        return [-1] * count
    if presence == ODD:
        return column(reader, unzigzag(reader.number()), count)
    present = [reader.take(1) for _ in range(count)] if presence == SOME else [1] * count
    first = reader.take(9) if circle else reader.number()
    values = iter(column(reader, first, sum(present), circle=circle))
    return [next(values) if here else -1 for here in present]


def decode(payload, count):
    """Rows of time, latitude, longitude, accuracy, speed, course."""
    reader = Reader(payload)
    form = reader.take(2)
    if form == WIDE:
        time = signed(reader.take(64))
    elif form == SECONDS:
        time = EPOCH_CS + 100 * reader.take(32)
    else:
        time = EPOCH_CS + reader.take(38)
    widths = (32, 32) if form == WIDE else (28, 29)
    latitude, longitude = (signed(reader.take(width), width) for width in widths)
    unit = 100 if form in (SECONDS, SECONDS_APART) else 1
    columns = [
        [signed(time + unit * after) for after in column(reader, 0, count, sloped=True)],
        column(reader, latitude, count),
        column(reader, longitude, count),
        column(reader, reader.number(), count),
        partial(reader, count),
        partial(reader, count, circle=True),
    ]
    reader.end()
    return list(zip(*columns))


# ---- writing: one mode, and the parameter that costs least; a reader takes any

def put_column(writer, values, sloped=False, circle=False):
    for begin in range(1, len(values), BLOCK):
        block = list(values[begin:begin + BLOCK])
        slope = signed(block[0] - values[begin - 1]) if sloped else 0
        if zigzag(slope) >> 31:
            slope = 0
        before = [values[begin - 1]] + block
        residuals = [signed(b - a - slope) for a, b in zip(before, block)]
        if circle:
            residuals = [(residual + 180) % 360 - 180 for residual in residuals]
        numbers = [zigzag(residual) for residual in residuals]
        writer.put(FIRST if any(numbers) else EXACT, 2)
        if sloped:
            writer.number(zigzag(slope))
        if not any(numbers):
            continue
        parameter = min(range(16), key=lambda k: sum(cost(number, k) for number in numbers))
        writer.put(parameter, 4)
        for number in numbers:
            put_rice(writer, number, parameter)


def cost(number, parameter):
    ones = number >> parameter
    return ones + 1 + parameter if ones < ESCAPE_ONES else ESCAPE_ONES + 6 + number.bit_length()


def put_rice(writer, number, parameter):
    ones = number >> parameter
    if ones < ESCAPE_ONES:
        writer.put((1 << ones) - 1, ones + 1)
        writer.put(number, parameter)
    else:
        writer.put((1 << ESCAPE_ONES) - 1, ESCAPE_ONES)
        writer.put(number.bit_length() - 1, 6)
        writer.put(number, number.bit_length())


def put_partial(writer, values, circle=False):
    present = [value for value in values if value != -1]
    if any(value < -1 or circle and value > 359 for value in values):
        writer.put(ODD, 2)
        writer.number(zigzag(values[0]))
        return put_column(writer, values)
    if not present:
        return writer.put(NONE, 2)
    writer.put(ALL if len(present) == len(values) else SOME, 2)
    if len(present) < len(values):
        for value in values:
            writer.put(int(value != -1), 1)
    if circle:
        writer.put(present[0], 9)
    else:
        writer.number(present[0])
    put_column(writer, present, circle=circle)


def encode(rows):
    time, latitude, longitude, accuracy, speed, course = zip(*rows)
    writer = Writer()
    after = [signed(each - time[0]) for each in time]
    plain = (0 <= time[0] - EPOCH_CS < 1 << 38 and -(1 << 27) <= latitude[0] < 1 << 27
             and -(1 << 28) <= longitude[0] < 1 << 28)
    seconds = all(each % 100 == 0 and abs(each) < 1 << 40 for each in after)
    if not plain:
        form, unit, head = WIDE, 1, (time[0], 64)
    elif seconds and time[0] % 100 == 0:
        form, unit, head = SECONDS, 100, ((time[0] - EPOCH_CS) // 100, 32)
    else:
        form, unit = (SECONDS_APART, 100) if seconds else (HUNDREDTHS, 1)
        head = time[0] - EPOCH_CS, 38
    writer.put(form, 2)
    writer.put(*head)
    writer.put(latitude[0], 32 if form == WIDE else 28)
    writer.put(longitude[0], 32 if form == WIDE else 29)
    put_column(writer, [each // unit for each in after], sloped=True)
    put_column(writer, latitude)
    put_column(writer, longitude)
    writer.number(accuracy[0])
    put_column(writer, accuracy)
    put_partial(writer, speed)
    put_partial(writer, course, circle=True)
    return writer.payload()


# ---- as text

NAMES = ("time_cs", "latitude_e6", "longitude_e6", "accuracy_meters", "speed_dms",
         "course_degrees")


def main():
    for number, (name, values) in enumerate(
            zip(NAMES, zip(*decode(sys.stdin.buffer.read(), int(sys.argv[1]))))):
        step, last = 0, 0
        for place, value in enumerate(values):
            difference = value - last
            print(f"{name}: {difference - step}")
            step = difference if number < 3 and place > 0 else 0
            last = value


if __name__ == "__main__":
    main()
