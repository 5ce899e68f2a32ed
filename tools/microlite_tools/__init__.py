"""Desktop side of microlite: emulated boards, file system images, builds and reports."""
