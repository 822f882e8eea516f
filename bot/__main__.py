"""`python -m bot`, and the `heal` command."""

import sys

from bot.loading import loading


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        with loading():
            from bot.cli import main as run

        code = run()
    except KeyboardInterrupt:  # while modules were still being imported
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
