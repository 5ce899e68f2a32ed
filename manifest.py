# The frozen half of microlite. The version here is the project's; firmware authors include this
# file in their board's manifest.

metadata(
    version="0.1.0",
    description="TensorFlow Lite models on MicroPython boards",
    license="MIT",
)

package("microlite")
