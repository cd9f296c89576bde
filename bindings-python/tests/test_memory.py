"""Memory, threads, and the two ways to reach CPython's objects.

`python tests/test_memory.py [N]` calls every function N times (a million by default) with good and with bad
arguments, and says how the process grew.
"""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import samewire

VALUE = {
    "id": 1,
    "name": "Ada",
    "tags": ["x", "é", "日本"],
    "nested": [{"a": 1.5, "b": None, "k" * 40: b"x"}] * 3,
    "n": 2**70 // 2**8,
}
PACKED, TEXT = samewire.packb(VALUE), samewire.dumps(VALUE)
BROKEN = [
    PACKED[:-1],
    PACKED + b"\xc0",
    b"\x81\xa1a\x93\xa3abc\x82\xa1b\x91\x01\xc1",
    b"\x82\xa1a\x90\xa1a\x90",
    b"\x81\x90\x01",
]
REGISTRY = samewire.ExtRegistry().add(1, complex, lambda c: repr(c).encode(), lambda b: complex(b.decode()))


def bad_hook(_):
    raise KeyError


def swallow(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except (samewire.SamewireError, KeyError):
        return
    raise AssertionError("it should fail")


GOOD = {
    "packb": lambda: samewire.packb(VALUE),
    "dumps": lambda: samewire.dumps(VALUE, indent=1),
    "unpackb": lambda: samewire.unpackb(PACKED),
    "loads": lambda: samewire.loads(TEXT),
    "loads str": lambda: samewire.loads(TEXT.decode()),
    "options": lambda: samewire.unpackb(bytearray(PACKED), map_keys="any", object_hook=dict),
    "general keys": lambda: samewire.unpackb(b"\x82\x01\x90\x92\x91\x01\x02\xa1b", map_keys="any"),
    "last": lambda: samewire.loads(b'{"a":[],"a":{}}', duplicate_keys="last"),
    "ext": lambda: samewire.unpackb(samewire.packb([1j], ext=REGISTRY), ext=REGISTRY),
    "time": lambda: samewire.unpackb(samewire.packb(samewire.Timestamp(1, 1))),
    "bigint": lambda: samewire.loads(b"9" * 5000),
    "unpack_from": lambda: samewire.unpack_from(PACKED, 0),
    "transcode": lambda: samewire.transcode(samewire.packb({"a": [1, "é"]}), "msgpack", "json"),
    "validate": lambda: samewire.validate(PACKED),
    "digest": lambda: samewire.digest([1, "a"]),
    "view": lambda: samewire.view(TEXT, "json")["nested"][0].items(),
    "inspect": lambda: samewire.inspect(b"\x92\x01\xa1a"),
    "encoder": lambda: samewire.Encoder("msgpack", default=str).encode_into(VALUE, bytearray(), -1),
    "decoder": lambda: samewire.Decoder("json", object_hook=dict).decode(TEXT),
    "stream": lambda: list(samewire.Unpacker([PACKED[:30], PACKED[30:] + PACKED])),
    "default": lambda: samewire.packb([1j, {1, 2}], default=str),
}
BAD = {
    **{f"broken {i}": (lambda data=data: swallow(samewire.unpackb, data)) for i, data in enumerate(BROKEN)},
    "json": lambda: swallow(samewire.loads, TEXT[:-1]),
    "json duplicate": lambda: swallow(samewire.loads, b'[{"a":[1,"x"],"b":{},"a":"y"}]'),
    "key twice": lambda: swallow(samewire.unpackb, b"\x82\x01\x90\xc3\x90", map_keys="any"),
    "packb": lambda: swallow(samewire.packb, {"a": [1, object()]}),
    "dumps": lambda: swallow(samewire.dumps, {"a" * 50: [float("nan")]}),
    "default": lambda: swallow(samewire.packb, [1j], default=bad_hook),
    "object_hook": lambda: swallow(samewire.loads, TEXT, object_hook=bad_hook),
    "ext_hook": lambda: swallow(samewire.unpackb, b"\x92\xa3abc\xd4\x05\x00", ext_hook=lambda k, d: bad_hook(d)),
    "option": lambda: swallow(samewire.packb, 1, default=str, max_dept=1),
    "view": lambda: swallow(samewire.view, BROKEN[2]),
    "stream": lambda: swallow(list, samewire.Unpacker([PACKED, b"\x91\xc1"])),
    "transcode": lambda: swallow(samewire.transcode, b"\xc7\x01\x05\x00", "msgpack", "json"),
    "surrogate": lambda: swallow(samewire.dumps, ["\ud800"]),
}


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def growth(call, n: int) -> int:
    for _ in range(max(200, n // 10)):
        call()
    gc.collect()
    before = resident()
    for _ in range(n):
        call()
    gc.collect()
    return resident() - before


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc on this machine")
@pytest.mark.parametrize("name", [*(f"good: {n}" for n in GOOD), *(f"bad: {n}" for n in BAD)])
def test_memory_stays_flat(name):
    kind, _, key = name.partition(": ")
    call = (GOOD if kind == "good" else BAD)[key]
    n = 3000
    # One leaked object a call would be 100 kB and more.
    assert min(growth(call, n) for _ in range(2)) < 64 * n // 4


def test_reference_counts():
    samewire.clear_caches()
    value = ["unique text", {"unique key": "unique value"}]
    counts = [sys.getrefcount(value), sys.getrefcount(value[0]), sys.getrefcount(value[1])]
    for _ in range(100):
        samewire.packb(value)
        samewire.dumps(value)
    assert counts == [sys.getrefcount(value), sys.getrefcount(value[0]), sys.getrefcount(value[1])]
    if sys.version_info < (3, 12):
        data = samewire.packb([{"a": None, "b": None, "c": None}] * 100)
        before = sys.getrefcount(None)
        for _ in range(50):
            samewire.unpackb(data)
        assert abs(sys.getrefcount(None) - before) < 100


def test_the_collector_sees_what_was_made():
    for value in (
        samewire.unpackb(samewire.packb([{"a": []}, {"a": []}, {"a": []}])),
        samewire.loads(b'[{"a":[]},{"a":[]},{"a":[]}]'),
    ):
        for item in value:
            assert gc.is_tracked(item)
            item["a"].append(item)
    before = gc.collect()
    for _ in range(100):
        value = samewire.unpackb(samewire.packb([{"a": []}] * 5))
        for item in value:
            item["a"].append(item)
        del value, item
    assert gc.collect() + before >= 0 and gc.isenabled()


def test_claims_do_not_allocate():
    for header in ("dd7fffffff", "df7fffffff", "c67fffffff", "db7fffffff", "c97fffffff05"):
        with pytest.raises(samewire.DecodeError, match="length-exceeds-input"):
            samewire.unpackb(bytes.fromhex(header))
    before = resident() if Path("/proc/self/statm").exists() else 0
    with pytest.raises(samewire.DecodeError, match="depth-exceeded"):
        samewire.unpackb(b"\x91" * 10_000_000)
    if before:
        assert resident() - before < 64 << 20


def test_depth_on_a_small_stack():
    results = []

    def run():
        deep = None
        for _ in range(512):
            deep = [deep]
        data = samewire.packb(deep)
        samewire.unpackb(data), samewire.loads(samewire.dumps(deep))
        for write in (samewire.packb, samewire.dumps):
            with pytest.raises(samewire.EncodeError, match="depth-exceeded"):
                write([deep])
        with pytest.raises(samewire.DecodeError, match="depth-exceeded"):
            samewire.unpackb(b"\x91" + data)
        results.append(True)

    old = threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old)
    assert results == [True]


def test_threads():
    failures = []
    big = samewire.packb([VALUE] * 500)

    def run(seed: int) -> None:
        try:
            for i in range(30):
                value = {f"key {seed} {j}": [j, {"x": f"{i}"}] for j in range(50)}
                assert samewire.unpackb(samewire.packb(value), object_hook=dict) == value
                assert samewire.loads(samewire.dumps(value, default=str)) == value
                samewire.validate(big)
                assert samewire.transcode(samewire.transcode(TEXT, "json", "msgpack"), "msgpack", "json") == TEXT
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.skipif(os.environ.get("SAMEWIRE_FORCE_FALLBACK") == "1", reason="this is that run")
def test_everything_without_private_layouts():
    """The whole suite again in a process that goes by CPython's public API alone."""
    assert samewire._samewire.private_layouts, "the self-test does not know this CPython"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(Path(__file__).parent)],
        env={**os.environ, "SAMEWIRE_FORCE_FALLBACK": "1"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]


def main(n: int) -> int:
    failed = 0
    for kind, calls in (("good", GOOD), ("bad", BAD)):
        for name, call in calls.items():
            grown = growth(call, n)
            flat = grown < 1 << 20
            failed += not flat
            print(f"{kind:5}{name:16}{n:10} calls {grown / 1024:10.0f} KiB{'' if flat else '   GROWS'}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
