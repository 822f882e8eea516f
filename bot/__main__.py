"""`python -m bot`, and the `heal` command."""

import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    from bot.cli import main as run

    sys.exit(run())


if __name__ == "__main__":
    main()
