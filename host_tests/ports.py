# Serial ports for tests, made of pseudo-terminals: one where nobody answers, and one in front of
# a board that does something at a chosen moment.

import os
import select
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


def raw_pty() -> tuple[int, int]:
    """Both ends of a pseudo-terminal that alters nothing."""
    near, far = os.openpty()
    tty.setraw(far)
    return near, far


@contextmanager
def silent_port() -> Iterator[str]:
    near, far = raw_pty()
    yield os.ttyname(far)
    os.close(near)
    os.close(far)


class Tap:
    """Passes bytes between a board's port and its own, `port`, while its `with` block lasts.

    When `after` bytes have gone to the board, `action` is called.
    """

    def __init__(
        self, device: str, after: int | None = None, action: Callable[[], object] | None = None
    ) -> None:
        self._device = device
        self._after = after
        self._action = action
        self.count = 0
        self._ended = threading.Event()

    def __enter__(self) -> "Tap":
        self._near, self._far = raw_pty()
        self.port = os.ttyname(self._far)
        self._board = os.open(self._device, os.O_RDWR | os.O_NOCTTY)
        self._thread = threading.Thread(target=self._pass)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self.hang_up()
        os.close(self._board)

    def hang_up(self) -> None:
        """Close the port, as if its cable had been pulled."""
        self._ended.set()
        for end in (self._far, self._near):
            with suppress(OSError):
                os.close(end)

    def fall_silent(self) -> None:
        """Pass nothing any more."""
        self._ended.set()

    def _pass(self) -> None:
        while not self._ended.is_set():
            ready, _, _ = select.select([self._near, self._board], [], [], 0.1)
            with suppress(OSError):  # hung up meanwhile
                if self._near in ready:
                    self._to_board(os.read(self._near, 4096))
                if self._board in ready and not self._ended.is_set():
                    os.write(self._near, os.read(self._board, 4096))

    def _to_board(self, data: bytes) -> None:
        left = len(data) if self._after is None else max(0, self._after - self.count)
        os.write(self._board, data[:left])
        self.count += len(data)
        if left < len(data):
            if self._action:
                action, self._action = self._action, None
                action()
            if not self._ended.is_set():
                os.write(self._board, data[left:])
