# The plan beside a model, MODEL.plan, which `microlite tune` has measured: where to have its bytes
# and its arena, and which kernels. Imported only where there is such a file.

import json as _json
import sys as _sys
from binascii import crc32 as _crc32

import _microlite

from . import _size

VERSION = 1
_MOST = 4096  # bytes of a plan
_HOSTED = ("linux", "darwin", "win32")  # where no address can be told beforehand


# What a plan holds for: this firmware on this kind of board.
def here():
    from . import __version__

    return {
        "machine": getattr(_sys.implementation, "_machine", _sys.platform),
        "microlite": __version__,
        "kernels": _microlite.info()[1],
    }


# Why a plan does not hold here, or None.
def _stale(plan, model):
    if plan["plan"] != VERSION:
        return "another version"
    if plan["bytes"] != len(model) or plan["crc32"] != "%08x" % _crc32(model):
        return "of another model"
    for key, value in here().items():
        if plan[key] != value:
            return "for %s %s" % (key, plan[key])
    return None


# {name: operators} as one byte an operator.
def _numbers(variants):
    names = _microlite.variants() if hasattr(_microlite, "variants") else []
    numbers = bytearray(1 + max([max(ops) for ops in variants.values()]))
    for name, ops in variants.items():
        for i in ops:
            numbers[i] = 1 + names.index(name)
    return numbers


# Memory of a board at an address.
def _region(address, size):
    from uctypes import bytearray_at

    if _sys.platform in _HOSTED or address <= 0 or address % 16 or size < 16:
        raise ValueError("arena at an address that cannot be")
    if address + size > 1 << 32:
        raise ValueError("arena beyond the addresses there are")
    return bytearray_at(address, size)


# Arguments of _microlite.Model as a plan says. What the program says comes first.
def arguments(plan, arena=None, copy=False):
    args = {"arena": arena, "copy": copy or plan["copy"]}
    if plan["arena"] and arena is None:
        args["arena"] = _region(*plan["arena"])
    if plan["variants"]:
        args["variants"] = _numbers(plan["variants"])
    return args


def _read(path, model):
    try:
        if _size(path) > _MOST:
            return None, "no plan"
    except OSError:
        return None, "no plan"
    try:
        with open(path) as f:
            plan = _json.load(f)
        return plan, _stale(plan, model)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, MemoryError):
        return None, "damaged"


# What a note may say, however odd the plan.
def _plain(text):
    return "".join(c if " " <= c <= "~" else "?" for c in text[:60])


# The loaded model, and a note about the plan for its repr().
def load(path, model, arena, copy, args):
    plan, reason = _read(path, model)
    if not reason:
        try:
            chosen = arguments(plan, arena, copy)
            return _microlite.Model(model, **chosen, **args), _name(path)
        except Exception as e:  # which raises again without the plan if that is not to blame
            reason = str(e) or type(e).__name__
    note = "%s ignored: %s" % (_name(path), _plain(reason))
    return _microlite.Model(model, arena=arena, copy=copy, **args), note


def _name(path):
    return path[path.rfind("/") + 1 :]
