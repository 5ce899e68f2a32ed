# A language server, as editors talk to it: JSON-RPC over pipes, one file open.

"""What an editor shows: completions and the text under the mouse."""

import json
import subprocess
from pathlib import Path
from typing import Any, Self

CAPABILITIES = {
    "workspace": {"configuration": True},
    "textDocument": {
        "hover": {"contentFormat": ["markdown"]},
        "completion": {"completionItem": {"documentationFormat": ["markdown"]}},
    },
}


class LanguageServer:
    """A server with one file of a folder; positions are the end of the file's only `marker`.

    `settings` are the user's, by the sections that the server asks for.
    """

    def __init__(self, command: list[str], file: Path, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=file.parent
        )
        self._count = 0
        self._text = file.read_text()
        self._uri = file.as_uri()
        folder = {"uri": file.parent.as_uri(), "name": "folder"}
        self._ask(
            "initialize",
            processId=None,
            rootUri=folder["uri"],
            workspaceFolders=[folder],
            capabilities=CAPABILITIES,
        )
        self._send(method="initialized", params={})
        document = {"uri": self._uri, "languageId": "python", "version": 1, "text": self._text}
        self._send(method="textDocument/didOpen", params={"textDocument": document})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def completions(self, marker: str) -> list[str]:
        answer = self._at("completion", marker)
        return [item["label"] for item in answer["items"]]

    def hover(self, marker: str) -> str:
        return str(self._at("hover", marker, -1)["contents"]["value"])

    def _at(self, what: str, marker: str, shift: int = 0) -> Any:
        assert self._text.count(marker) == 1
        before = self._text[: self._text.index(marker) + len(marker) + shift].split("\n")
        position = {"line": len(before) - 1, "character": len(before[-1])}
        return self._ask(
            f"textDocument/{what}", textDocument={"uri": self._uri}, position=position
        )

    def _send(self, **message: Any) -> None:
        assert self._process.stdin
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self._process.stdin.flush()

    def _receive(self) -> Any:
        assert self._process.stdout
        size = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        assert size, "the language server has ended"
        return json.loads(self._process.stdout.read(size))

    def _answer(self, method: str, params: Any = None, **_: object) -> Any:
        """The answer to a request of the server's."""
        if method == "workspace/configuration":
            return [self._settings.get(item["section"], {}) for item in params["items"]]
        return None

    def _ask(self, method: str, **params: Any) -> Any:
        self._count += 1
        self._send(id=self._count, method=method, params=params)
        while True:
            message = self._receive()
            if "method" in message and "id" in message:
                self._send(id=message["id"], result=self._answer(**message))
            elif message.get("id") == self._count:
                return message["result"]
