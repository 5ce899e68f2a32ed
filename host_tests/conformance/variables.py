# Variables: models that keep what came before, run several times.

from collections.abc import Iterator

from one_op import Case
from variable_models import variables


def cases() -> Iterator[Case]:
    yield from variables()
