# What check(), info() and Model.profile() return: data that prints as a table. Imported when first
# used.

import sys as _sys

import _microlite

from . import _check


def _tensor_line(kind, index, info):
    line = "%s %d %s: %s %s" % (kind, index, info.name, info.dtype, info.shape)
    if info.scale is not None:
        line += ", scale %g, zero point %d" % (info.scale, info.zero_point)
    return line


# "4 CONV_2D, 1 SOFTMAX", in the order of their first use.
def _count(ops):
    names = []
    for op in ops:
        if op not in names:
            names.append(op)
    return ", ".join("%d %s" % (ops.count(op), op) for op in names)


class Report:
    def __init__(self, model, file):
        self.file = file
        self.problems, self.missing_ops, self.ops, self.inputs, self.outputs = _microlite.check(
            model, file
        )
        self.arena = None
        self.reason = None
        if self:
            self._try_to_load(model)
        else:
            self.reason = "the model cannot be loaded"

    # The least arena shows by loading.
    def _try_to_load(self, model):
        try:
            loaded = _microlite.Model(model)
            self.arena = loaded.arena_needed
            loaded.close()
        except _microlite.ModelError as e:
            self.problems = e.problems
            self.reason = "the model cannot be loaded"
        except MemoryError as e:
            self.reason = str(e)

    def __bool__(self):
        return not (self.problems or self.missing_ops)

    def __str__(self):
        verdict = "cannot be used here"
        if self:
            verdict = "fine" if self.arena else "fine but for memory"
        lines = ["%s: %s" % (self.file or "model", verdict)]
        lines += self.problems
        if self.missing_ops:
            lines.append("operators missing in this firmware: " + ", ".join(self.missing_ops))
        if any(op.startswith("Flex") for op in self.missing_ops):
            lines.append("Flex operators are TensorFlow's: convert without SELECT_TF_OPS")
        if self.ops:
            lines.append("operators: " + _count(self.ops))
        for kind, infos in (("input", self.inputs), ("output", self.outputs)):
            lines += [_tensor_line(kind, i, info) for i, info in enumerate(infos)]
        lines.append("arena: " + (self.reason or "%d bytes" % self.arena))
        return "\n  ".join(lines)


class Info:
    def __init__(self, version):
        self.version = version
        self.api = _microlite.API
        self.library, self.kernels, self.abi, self.alignment, self.float_bits = _microlite.info()
        self.n_ops = len(_microlite.ops())
        self.micropython = "%d.%d.%d" % _sys.implementation.version[:3]
        self.machine = getattr(_sys.implementation, "_machine", _sys.platform)

    def __str__(self):
        rows = (
            ("microlite", "%s, interface %d, engine ABI %x" % (self.version, self.api, self.abi)),
            (_sys.implementation.name, "%s on %s" % (self.micropython, self.machine)),
            ("library", self.library),
            ("kernels", self.kernels),
            ("operators", self.n_ops),
            ("alignment", "%d bytes" % self.alignment),
            ("floats", "%d bits" % self.float_bits),
        )
        return "\n".join(["%-12s %s" % row for row in rows])


class Profile:
    def __init__(self, model, runs):
        _check("runs", runs, 1)
        ops = model.ops
        times = [us / runs for us in model.profile(runs)]
        self.runs = runs
        self.us = sum(times)
        self.rows = [(i, ops[i], us, us / (self.us or 1)) for i, us in enumerate(times)]

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    def __str__(self):
        width = max([len(op) for _, op, _, _ in self.rows] + [8])
        lines = ["   # %-*s         us  share" % (width, "operator")]
        lines += [
            "%4d %-*s %10.1f %5.1f%%" % (i, width, op, us, 100 * share)
            for i, op, us, share in self.rows
        ]
        lines.append("%4s %-*s %10.1f" % ("", width, "together", self.us))
        return "\n".join(lines)
