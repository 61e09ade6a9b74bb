"""The engine on one machine: one part after the other, in one process."""
