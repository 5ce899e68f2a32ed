# The command's entry: Ctrl-C ends it quietly, even while it is being imported.

import sys


def main() -> int:
    """Run the command."""
    try:
        from .cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
