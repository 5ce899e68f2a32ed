# What the unix builds freeze, so that scripts find the same there as on a board.

module("unittest.py", base_path="modules")
include("$(MPY_DIR)/extmod/asyncio")
include("../manifest.py")
