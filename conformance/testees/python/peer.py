"""Other libraries of Python as conformance testees: peer.py json | orjson | ssrjson | msgspec-json | …"""

import base64
import datetime
import platform
import sys

from tagged import read, serve, write

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)
JSON_LACKS = ["bin", "ext", "timestamp", "map-key"]


class Kinds:
    """Times as datetime (no nanoseconds), extensions as a class of the library."""

    ext_class = None

    @classmethod
    def ext(cls, kind, data):
        return cls.ext_class(kind, data)

    @staticmethod
    def time(seconds, nanoseconds):
        if nanoseconds % 1000:
            raise OverflowError("datetime has no nanoseconds")
        return EPOCH + datetime.timedelta(seconds=seconds, microseconds=nanoseconds // 1000)

    @classmethod
    def tag(cls, v):
        if isinstance(v, datetime.datetime):
            since = v.astimezone(UTC) - EPOCH
            return {"$time": [since.days * 86400 + since.seconds, since.microseconds * 1000]}
        if cls.ext_class and isinstance(v, cls.ext_class):
            kind = getattr(v, "code", getattr(v, "tag", None))
            return {"$ext": [kind, base64.b64encode(v.data).decode()]}
        return None


def stdlib():
    import json

    return (
        json.__version__ if hasattr(json, "__version__") else platform.python_version(),
        "json",
        JSON_LACKS,
        Kinds,
        lambda v: json.dumps(v).encode(),
        json.loads,
    )


def orjson():
    import orjson

    return orjson.__version__, "json", JSON_LACKS + ["bigint"], Kinds, orjson.dumps, orjson.loads


def ssrjson():
    import ssrjson

    return ssrjson.__version__, "json", JSON_LACKS + ["bigint"], Kinds, ssrjson.dumps_to_bytes, ssrjson.loads


def msgspec_json():
    import msgspec

    return msgspec.__version__, "json", JSON_LACKS, Kinds, msgspec.json.encode, msgspec.json.decode


def msgspec_msgpack():
    import msgspec

    class Own(Kinds):
        ext_class = msgspec.msgpack.Ext

    return msgspec.__version__, "msgpack", ["bigint"], Own, msgspec.msgpack.encode, msgspec.msgpack.decode


def ormsgpack():
    import ormsgpack

    class Read:
        def __init__(self, tag, data):
            self.tag, self.data = tag, data

    class Both(Kinds):
        ext_class = ormsgpack.Ext

        @classmethod
        def tag(cls, v):
            if isinstance(v, Read):
                return {"$ext": [v.tag, base64.b64encode(v.data).decode()]}
            return Kinds.tag.__func__(cls, v)

    options = ormsgpack.OPT_DATETIME_AS_TIMESTAMP_EXT
    return (
        ormsgpack.__version__,
        "msgpack",
        ["bigint"],
        Both,
        lambda v: ormsgpack.packb(v, option=options),
        lambda b: ormsgpack.unpackb(b, ext_hook=Read, option=options),
    )


def msgpack():
    import msgpack

    class Own(Kinds):
        ext_class = msgpack.ExtType

        @staticmethod
        def time(seconds, nanoseconds):
            return msgpack.Timestamp(seconds, nanoseconds)

        @classmethod
        def tag(cls, v):
            if isinstance(v, msgpack.Timestamp):
                return {"$time": [v.seconds, v.nanoseconds]}
            return Kinds.tag.__func__(cls, v)

    return ".".join(map(str, msgpack.version)), "msgpack", ["bigint"], Own, msgpack.packb, lambda b: msgpack.unpackb(b)


PEERS = {
    "json": stdlib,
    "orjson": orjson,
    "ssrjson": ssrjson,
    "msgspec-json": msgspec_json,
    "msgspec-msgpack": msgspec_msgpack,
    "ormsgpack": ormsgpack,
    "msgpack": msgpack,
}
NAME = sys.argv[1]
try:
    VERSION, FORMAT, LACKS, KINDS, dump, load = PEERS[NAME]()
except ImportError as e:
    print(f"{NAME}: {e}", file=sys.stderr)
    sys.exit(77)

OPS = {
    "encode": lambda r: {"ok": bytes(dump(read(r["value"], KINDS))).hex()},
    "decode": lambda r: {"ok": write(load(bytes.fromhex(r["input"])), KINDS)},
}
serve(
    {
        "name": NAME,
        "version": VERSION,
        "runtime": f"CPython {platform.python_version()}",
        "host": "python",
        "formats": [FORMAT],
        "ops": list(OPS),
        "options": [],
        "lacks": LACKS,
        "strict": False,
    },
    OPS,
)
