# Files of a test: in a folder of their own on a PC, on the RAM disk of a board.

import os
import time

ROOT = os.getenv("TMPDIR", "/tmp") if hasattr(os, "getenv") else ""


class Folder:
    def __enter__(self):
        self.path = "%s/microlite-%d" % (ROOT, time.ticks_us())
        os.mkdir(self.path)
        return self

    def write(self, name, data):
        path = self.path + "/" + name
        with open(path, "wb") as f:
            f.write(data)
        return path

    def __exit__(self, exc_type, exc, tb):
        for name in os.listdir(self.path):
            os.remove(self.path + "/" + name)
        os.rmdir(self.path)
