# Sound: front ends that turn samples into rows of features, for keyword models.

import _microlite

try:
    FrontEnd = _microlite.FrontEnd
except AttributeError:
    raise ImportError(
        "there is no sound here: under CPython, or firmware built with MICROLITE_AUDIO=0"
    )

cmvn = _microlite.cmvn
