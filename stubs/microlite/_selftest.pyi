"""What microlite.selftest() returns."""

from collections.abc import Sequence

class SelfTest:
    """Which operators gave the known answers. True when none failed; as str a table."""

    passed: list[str]
    """The operators that are right."""
    failures: list[tuple[str, str]]
    """The operators that are not, each with what is wrong."""
    skipped: list[str]
    """The operators that this firmware lacks."""

    def __init__(self, cases: Sequence[tuple[str, bytes, bytes, bytes]] = ...) -> None:
        """Run cases `(operator, model, input, output)`; all that are built in unless told."""

    def __bool__(self) -> bool:
        """Whether no operator failed."""
