# What microlite.selftest() does: tiny models of single operators with known answers. Imported when
# first used.

import _microlite

from ._selftest_cases import CASES as _CASES


class SelfTest:
    def __init__(self, cases=_CASES):
        here = _microlite.ops()
        self.skipped = [op for op, _, _, _ in cases if op not in here]
        self.failures = []
        self.passed = []
        for case in cases:
            if case[0] in here:
                self._run(*case)

    def _run(self, op, model, given, expected):
        try:
            m = _microlite.Model(model)
            m.inputs[0].write_raw(given)
            m.invoke()
            got = bytes(m.outputs[0].data)
            m.close()
        except (ValueError, RuntimeError) as e:
            self.failures.append((op, str(e)))
            return
        different = [i for i in range(len(expected)) if got[i] != expected[i]]
        if different:
            what = "%d of %d values are wrong" % (len(different), len(expected))
            self.failures.append((op, what))
        else:
            self.passed.append(op)

    def __bool__(self):
        return not self.failures

    def __str__(self):
        lines = ["selftest: " + ("fine" if self else "FAILED")]
        lines += ["%s: %s" % failure for failure in self.failures]
        if self.passed:
            lines.append("right: " + ", ".join(self.passed))
        if self.skipped:
            lines.append("not in this firmware: " + ", ".join(self.skipped))
        return "\n  ".join(lines)
