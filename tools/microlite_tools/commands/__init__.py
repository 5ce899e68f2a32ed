"""The commands of `microlite`, a module each."""
