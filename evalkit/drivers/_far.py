"""Makes exchanges over httpx: with TLS, through proxies, and with addresses that need to be made plain."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from evalkit.drivers._exchange import Headers, Request, completed
from evalkit.drivers._wire import Unreached
from evalkit.errors import CaseError, OutOfTime


class Far:
    """An address of any kind. Connections are kept open between exchanges."""

    def __init__(self, url: str, file: str | None, patience: float, *, here: bool) -> None:
        """Take an address; `here` says that it is on this machine, which no proxy stands before."""
        try:
            self._url = httpx.URL(url)
        except httpx.InvalidURL as problem:
            raise CaseError("connection-failed", f"the address cannot be read: {problem}") from None
        self.host, secure = self._url.host, self._url.scheme == "https"
        # What goes to this machine goes through no proxy; without TLS no certificates are loaded.
        wire = httpx.HTTPTransport(verify=secure, uds=file) if file is not None else None
        self._client = httpx.Client(trust_env=not here, verify=secure, timeout=patience, transport=wire)
        self._way = "" if here else _proxy_before(self._url)

    def sent(self, host: str, request: Request, patience: float, connecting: float) -> Answered:
        """The head of the answer. Raises CaseError, and Unreached where nobody accepts a connection."""
        timeouts = dict.fromkeys(("read", "write", "pool"), patience)
        extensions: dict[str, Any] = {"timeout": {**timeouts, "connect": connecting}}
        target, url = self._url.raw_path.rstrip(b"/") + request.target, self._url.copy_with(host=host)
        if self._way:  # a proxy needs its own target in the request line, as httpx writes it
            url = url.copy_with(raw_path=target)
        else:
            extensions["target"] = target
        sent = httpx.Request(
            request.method,
            url,
            headers=list(completed(request, self._url.netloc)),
            stream=httpx.ByteStream(request.body),
            extensions=extensions,
        )
        sent.method = request.method  # httpx would write it in capitals
        with _as_case_errors(patience, self._way):
            answer = self._client.send(sent, stream=True, follow_redirects=False)
        return Answered(answer, patience)

    def close(self) -> None:
        """Close every connection."""
        self._client.close()


class Answered:
    """An answer whose body is still to come."""

    def __init__(self, answer: httpx.Response, patience: float) -> None:
        """Take the head."""
        self.status, self.headers = answer.status_code, _raw(answer)
        self.socket: socket.socket = answer.extensions["network_stream"].get_extra_info("socket")
        self._answer, self._patience = answer, patience

    def pieces(self) -> Iterator[bytes]:
        """The body, piece by piece as it comes."""
        with _as_case_errors(self._patience):
            yield from self._answer.iter_raw()

    def close(self) -> None:
        """Hang up, unless the body is over."""
        self._answer.close()


def _raw(answer: httpx.Response) -> Headers:
    return tuple(answer.headers.raw)


def _proxy_before(url: httpx.URL) -> str:
    """The proxy that the environment has for an address, in words and without its password; or nothing."""
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(url.host):
        return ""
    _, _, netloc = urlsplit(proxy if "//" in proxy else f"//{proxy}").netloc.rpartition("@")
    return f" through the proxy {netloc} of the environment"


@contextmanager
def _as_case_errors(patience: float, way: str = "") -> Iterator[None]:
    """Say in our words why there is no answer, or only half of one; `way` says what stands between."""
    try:
        yield
    except httpx.ConnectError as problem:
        raise Unreached(f"{problem}{way}") from None
    except httpx.TimeoutException:
        raise OutOfTime(patience) from None
    except httpx.LocalProtocolError as problem:
        raise CaseError("unsendable", f"HTTP cannot carry this request: {problem}") from None
    except httpx.RemoteProtocolError as problem:
        raise CaseError("protocol", f"the answer is no whole HTTP answer: {problem}") from None
    except httpx.TransportError as problem:
        raise CaseError("connection-failed", f"the connection failed: {problem}{way}") from None
