"""`python -m bot`, and the `heal` command."""

import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        from bot.cli import main as run

        code = run()
    except KeyboardInterrupt:  # while the command was still being loaded
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
