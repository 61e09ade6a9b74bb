"""Run the command line with ``python -m seriatim.cli``."""

from seriatim.cli.app import main

main()
