# What a user did wrong or can put right, as opposed to a fault of the tools.

"""Errors that the command shows as one sentence."""


class UserError(Exception):
    """The text is one clear sentence that names the thing and the numbers."""


class BoardError(UserError):
    """The board cannot be reached or has stopped answering."""


class ScriptError(UserError):
    """A script ended with an exception: `output` is what it printed, the text the traceback."""

    def __init__(self, output: str, traceback: str) -> None:
        super().__init__(traceback)
        self.output = output
