# A small unittest: the part of CPython's module that the tests on devices use. Each class runs
# its own setUpClass and tearDownClass; subTest only names values; there is no discovery.

import sys
import time


class SkipTest(Exception):
    pass


class TestsFailed(Exception):
    pass


class _AssertRaises:
    def __init__(self, expected):
        self.expected = expected
        self.exception = None

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc, tb):
        if exc_type is None:
            raise AssertionError("%r not raised" % (self.expected,))
        self.exception = exc
        return issubclass(exc_type, self.expected)


class _SubTest:
    def __init__(self, params):
        self.params = params

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc, tb):
        if exc_type is not None and not issubclass(exc_type, SkipTest):
            print("  in", ", ".join("%s=%r" % item for item in self.params.items()))
        return False


class TestCase:
    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def setUp(self):
        pass

    def tearDown(self):
        pass

    def skipTest(self, reason):
        raise SkipTest(reason)

    def subTest(self, **params):
        return _SubTest(params)

    def fail(self, msg=None):
        raise AssertionError(msg or "failed")

    def _check(self, ok, msg, text, *args):
        if not ok:
            text = text % args
            raise AssertionError("%s: %s" % (text, msg) if msg else text)

    def assertTrue(self, x, msg=None):
        self._check(x, msg, "%r is not true", x)

    def assertFalse(self, x, msg=None):
        self._check(not x, msg, "%r is not false", x)

    def assertEqual(self, a, b, msg=None):
        self._check(a == b, msg, "%r != %r", a, b)

    def assertNotEqual(self, a, b, msg=None):
        self._check(a != b, msg, "%r == %r", a, b)

    def assertIs(self, a, b, msg=None):
        self._check(a is b, msg, "%r is not %r", a, b)

    def assertIsNot(self, a, b, msg=None):
        self._check(a is not b, msg, "%r is %r", a, b)

    def assertIsNone(self, x, msg=None):
        self._check(x is None, msg, "%r is not None", x)

    def assertIsNotNone(self, x, msg=None):
        self._check(x is not None, msg, "%r is None", x)

    def assertIn(self, a, b, msg=None):
        self._check(a in b, msg, "%r not in %r", a, b)

    def assertNotIn(self, a, b, msg=None):
        self._check(a not in b, msg, "%r in %r", a, b)

    def assertIsInstance(self, x, cls, msg=None):
        self._check(isinstance(x, cls), msg, "%r is not of %r", x, cls)

    def assertLess(self, a, b, msg=None):
        self._check(a < b, msg, "%r not < %r", a, b)

    def assertLessEqual(self, a, b, msg=None):
        self._check(a <= b, msg, "%r not <= %r", a, b)

    def assertGreater(self, a, b, msg=None):
        self._check(a > b, msg, "%r not > %r", a, b)

    def assertGreaterEqual(self, a, b, msg=None):
        self._check(a >= b, msg, "%r not >= %r", a, b)

    def assertAlmostEqual(self, a, b, places=None, msg=None, delta=None):
        if delta is None:
            ok = a == b or round(abs(a - b), 7 if places is None else places) == 0
        else:
            ok = abs(a - b) <= delta
        self._check(ok, msg, "%r is not almost %r", a, b)

    def assertRaises(self, expected, func=None, *args, **kwargs):
        context = _AssertRaises(expected)
        if func is not None:
            with context:
                func(*args, **kwargs)
        return context


def skip(reason):
    def decorate(test):
        if isinstance(test, type):
            test._skip = reason
            return test

        def skipped(self):
            raise SkipTest(reason)

        return skipped

    return decorate


def skipIf(condition, reason):
    return skip(reason) if condition else lambda test: test


def skipUnless(condition, reason):
    return skipIf(not condition, reason)


class TestResult:
    def __init__(self):
        self.testsRun = 0
        self.failures = []
        self.errors = []
        self.skipped = []

    def wasSuccessful(self):
        return not self.failures and not self.errors

    def __str__(self):
        counts = []
        for name in ("failures", "errors", "skipped"):
            count = len(getattr(self, name))
            if count:
                counts.append("%s=%d" % (name, count))
        text = "OK" if self.wasSuccessful() else "FAILED"
        return "%s (%s)" % (text, ", ".join(counts)) if counts else text


def _attempt(result, name, *steps):
    # Run steps in order, the last one always; report the first that fails.
    outcome = "ok"
    for i, step in enumerate(steps):
        if outcome != "ok" and i < len(steps) - 1:
            continue
        try:
            step()
        except SkipTest as er:
            result.skipped.append((name, str(er)))
            outcome = "skipped: %s" % er
        except Exception as er:
            failed = isinstance(er, AssertionError)
            (result.failures if failed else result.errors).append((name, er))
            outcome = "FAIL" if failed else "ERROR"
            sys.print_exception(er)
    return outcome


def _run_class(cls, result):
    reason = getattr(cls, "_skip", None)
    if reason is not None:
        result.skipped.append((cls.__name__, reason))
        print("%s ... skipped: %s" % (cls.__name__, reason))
        return
    outcome = _attempt(result, cls.__name__, cls.setUpClass)
    if outcome == "ok":
        for name in sorted(n for n in dir(cls) if n.startswith("test")):
            case = cls()
            full_name = "%s.%s" % (cls.__name__, name)
            result.testsRun += 1
            print(full_name, "...", end=" ")
            print(_attempt(result, full_name, case.setUp, getattr(case, name), case.tearDown))
        outcome = _attempt(result, cls.__name__, cls.tearDownClass)
    if outcome != "ok":
        print("%s ... %s" % (cls.__name__, outcome))


def run(*classes):
    """Run the tests of these classes, print a summary and return the TestResult."""
    result = TestResult()
    start = time.ticks_ms()
    for cls in classes:
        _run_class(cls, result)
    elapsed = time.ticks_diff(time.ticks_ms(), start)
    print("Ran %d tests in %d.%03ds" % (result.testsRun, elapsed // 1000, elapsed % 1000))
    print(result)
    return result


def main(module="__main__"):
    """Run the tests of a module; raises TestsFailed, which ends a script with an error."""
    module = __import__(module)
    classes = [getattr(module, name) for name in sorted(dir(module))]
    result = run(*(c for c in classes if isinstance(c, type) and issubclass(c, TestCase)))
    if not result.wasSuccessful():
        raise TestsFailed(str(result))
