"""Models that show what each operator computes: one module a family of operators.

A module has one of these functions or both:

* `cases()` yields models (one_op.Case) over types, ranks, shapes, parameters and zero points,
  each with a name of its own;
* `strategies()` gives hypothesis strategies of such models, for what is better drawn than listed.

test_conformance.py finds the modules by itself and runs each model with several sets of inputs:
any values of the inputs' types, or what `Case.inputs` gives. The results must be those of the
other implementation, or of the formula `Case.expected`.
"""
