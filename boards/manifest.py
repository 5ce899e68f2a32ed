# What the boards freeze: boot script, unittest, MicroPython's asyncio and microlite.

module("_boot.py", base_path="modules")
module("unittest.py", base_path="modules")
include("$(MPY_DIR)/extmod/asyncio")
include("../manifest.py")
