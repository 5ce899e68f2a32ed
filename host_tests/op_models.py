# Small models of one operator each, for every operator of ops.def and the types its kernel has.
# All of them are right: they must load, run and give what other implementations give.

from collections.abc import Iterator

import binary_models
import layer_models
import matmul_models
import move_models
import recurrent_models
import reduce_models
import unary_models
import variable_models
from one_op import (
    EIGHT_BITS,
    Case,
    act,
    one_op,
    weights,
)


def prelu() -> Iterator[Case]:
    for dtype in EIGHT_BITS:
        alpha = weights(1, [1, 1, 4], dtype)
        yield one_op(dtype, "PRELU", [act([1, 2, 3, 4], dtype), alpha], [act([1, 2, 3, 4], dtype)])


def cases() -> list[Case]:
    families = (
        *unary_models.FAMILIES,
        prelu,
        *layer_models.FAMILIES,
        *matmul_models.FAMILIES,
        *recurrent_models.FAMILIES,
        *variable_models.FAMILIES,
        *binary_models.FAMILIES,
        *reduce_models.FAMILIES,
        *move_models.FAMILIES,
    )
    return [case for family in families for case in family()]
