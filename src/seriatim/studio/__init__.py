"""The studio: a local web application for the custodian of a study.

Every screen calls the library functions that the commands call, and shows the command that
does the same.
"""
