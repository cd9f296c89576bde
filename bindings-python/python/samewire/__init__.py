"""MessagePack and JSON with the same bytes, the same values and the same errors in every runtime.

    >>> import samewire
    >>> samewire.unpackb(samewire.packb({"name": "Ada", "tags": [1, 2.5, None]}))
    {'name': 'Ada', 'tags': [1, 2.5, None]}
    >>> samewire.dumps({"name": "Ada"})
    b'{"name":"Ada"}'

Lossless or loud: nothing is rounded, replaced, merged or dropped unless an option asks for it by name.
"""

from ._errors import DecodeError, EncodeError, SamewireError
from ._files import dump, load, pack, unpack
from ._samewire import (
    Decoder,
    Encoder,
    Schema,
    View,
    __version__,
    clear_caches,
    digest,
    dumps,
    inspect,
    loads,
    loads_from,
    packb,
    transcode,
    unpack_from,
    unpackb,
    validate,
    view,
)
from ._schema import Finding, check
from ._streams import JSONLines, Packer, Unpacker
from ._values import Ext, ExtRegistry, Raw, Timestamp

__all__ = [
    "DecodeError",
    "Decoder",
    "EncodeError",
    "Encoder",
    "Ext",
    "ExtRegistry",
    "Finding",
    "JSONLines",
    "Packer",
    "Raw",
    "SamewireError",
    "Schema",
    "Timestamp",
    "Unpacker",
    "View",
    "__version__",
    "check",
    "clear_caches",
    "digest",
    "dump",
    "dumps",
    "inspect",
    "load",
    "loads",
    "loads_from",
    "pack",
    "packb",
    "transcode",
    "unpack",
    "unpack_from",
    "unpackb",
    "validate",
    "view",
]
