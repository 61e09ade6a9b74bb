"""Run the command line with ``python -m seriatim``."""

from seriatim.cli.app import main

main()
