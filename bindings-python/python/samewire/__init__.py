"""MessagePack and JSON with the same bytes, the same values and the same errors in every runtime.

    >>> import samewire
    >>> samewire.unpackb(samewire.packb({"name": "Ada", "tags": [1, 2.5, None]}))
    {'name': 'Ada', 'tags': [1, 2.5, None]}
    >>> samewire.dumps({"name": "Ada"})
    b'{"name":"Ada"}'

Lossless or loud: nothing is rounded, replaced, merged or dropped unless an option asks for it by name.
"""

from ._errors import DecodeError, EncodeError, SamewireError
from ._samewire import (
    __version__,
    clear_caches,
    digest,
    dumps,
    loads,
    loads_from,
    packb,
    transcode,
    unpack_from,
    unpackb,
    validate,
)
from ._values import Ext, ExtRegistry, Raw, Timestamp

__all__ = [
    "DecodeError",
    "EncodeError",
    "Ext",
    "ExtRegistry",
    "Raw",
    "SamewireError",
    "Timestamp",
    "__version__",
    "clear_caches",
    "digest",
    "dumps",
    "loads",
    "loads_from",
    "packb",
    "transcode",
    "unpack_from",
    "unpackb",
    "validate",
]
