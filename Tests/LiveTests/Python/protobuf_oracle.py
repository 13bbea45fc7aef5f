"""Google's protobuf as a second opinion.

`protobuf_oracle.py edition OUT` writes a descriptor set of edition 2023, which older compilers
cannot.
`protobuf_oracle.py SET describe` prints every field of every message, one a line.
`protobuf_oracle.py SET decode MESSAGE` reads a message in hexadecimal a line and prints it as JSON,
with `same` for one that it would have written with the very same bytes.
`protobuf_oracle.py SET encode MESSAGE` reads JSON a line and prints hexadecimal.
"""

import json
import pathlib
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

if sys.argv[1] == "edition":
    fields = [
        ("explicit", "LABEL_OPTIONAL", "TYPE_INT32", {}),
        ("implicit", "LABEL_OPTIONAL", "TYPE_INT32", {"field_presence": "IMPLICIT"}),
        ("required", "LABEL_OPTIONAL", "TYPE_STRING", {"field_presence": "LEGACY_REQUIRED"}),
        ("packed", "LABEL_REPEATED", "TYPE_INT32", {}),
        ("expanded", "LABEL_REPEATED", "TYPE_INT32", {"repeated_field_encoding": "EXPANDED"}),
    ]
    edition = json_format.ParseDict({"file": [{
        "name": "edition.proto", "package": "edition.v1", "syntax": "editions",
        "edition": "EDITION_2023",
        "message_type": [{"name": "New", "field": [
            {"name": name, "json_name": name, "number": number, "label": many, "type": what,
             **({"options": {"features": features}} if features else {})}
            for number, (name, many, what, features) in enumerate(fields, 1)]}],
    }]}, descriptor_pb2.FileDescriptorSet())
    pathlib.Path(sys.argv[2]).write_bytes(edition.SerializeToString())
    sys.exit()

files = descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(sys.argv[1]).read_bytes())
pool = descriptor_pool.DescriptorPool()
for file in files.file:
    pool.Add(file)


def every(messages):
    for message in messages:
        yield message
        yield from every(message.nested_types)


def described(field):
    message, enum = field.message_type, field.enum_type
    oneof = field.containing_oneof
    # The oneof of an `optional` has that field alone and no name of the file's own.
    oneof = oneof and oneof.name != f"_{field.name}" and oneof.name
    flags = [
        field.is_repeated and "repeated", field.is_packed and "packed",
        field.is_required and "required", field.has_presence and "presence"]
    is_group = field.type == field.TYPE_GROUP
    kind = field.type
    if not is_group:
        kind = message.full_name if message else enum.full_name if enum else kind
    return [
        field.containing_type.full_name, field.name, field.json_name, str(field.number), str(kind),
        " ".join(flag for flag in flags if flag), oneof or ""]


if sys.argv[2] == "describe":
    for file in files.file:
        tops = pool.FindFileByName(file.name).message_types_by_name.values()
        for message in every(tops):
            for field in message.fields:
                print("\t".join(described(field)))
    sys.exit()

Message = message_factory.GetMessageClass(pool.FindMessageTypeByName(sys.argv[3]))
for line in sys.stdin:
    if sys.argv[2] == "encode":
        print(json_format.Parse(line, Message()).SerializeToString().hex(), flush=True)
        continue
    data = bytes.fromhex(line)
    message = Message.FromString(data)
    print(json.dumps({
        "same": message.SerializeToString(deterministic=True) == data,
        "message": json_format.MessageToDict(message, preserving_proto_field_name=True),
    }), flush=True)
