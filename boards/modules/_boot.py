# Runs at each reset before boot.py: mounts the RAM disk at "/", formatted if it is blank.
# MicroPython itself has mounted a valid ROMFS window at "/rom" by then.

import sys

import mps2
import vfs

try:
    fs = vfs.VfsLfs2(mps2.disk)
except OSError:
    vfs.VfsLfs2.mkfs(mps2.disk)
    fs = vfs.VfsLfs2(mps2.disk)
vfs.mount(fs, "/")
sys.path.append("/lib")
del sys, vfs, mps2, fs
