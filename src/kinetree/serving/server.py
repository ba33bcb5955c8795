"""The server: who may connect, and the clock that moves the robot.

Every page that the user visits can connect to the loopback. With the handshake browsers send the origin of the page,
which no page can change, so checking the origin keeps pages out. `websockets` checks it; the server of foxglove-sdk
does not.
"""

import asyncio
import errno
import logging
import os
import re
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress

from websockets.asyncio.server import ServerConnection, serve as listen
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.http11 import Request
from websockets.typing import Origin, Subprotocol

from kinetree.errors import KinetreeError, fail, shortened, visible
from kinetree.logs.ros.base import TF
from kinetree.serving.client import Client
from kinetree.serving.content import CHANNELS, Content
from kinetree.serving.messages import ORIGIN, SUBPROTOCOLS, advertise, server_info
from kinetree.serving.player import Player

DESKTOP = "file://"
"""Origin of viewers made with Electron. In browsers, pages opened from a file have the origin "null"."""
LATE = 1.0
"""Seconds by which the clock may be late, as after a suspension, before it goes on from now."""
VALUES = 5
"""Times per s that clients get the parameters that a motion changes."""
SHOWN = 20
"""Largest number of refused origins that the user is shown."""
CLIENTS = 32
"""Largest number of clients at a time; 2 MB of messages may wait for each, 64 MB in all."""
FULL = f"refused a client: {CLIENTS} are connected, which is the largest number"
MOST_READ, QUEUED = 2**18, 2
"""Longest message of a client in bytes, and how many of them wait."""

_LOGGER = logging.getLogger(__name__)
_LOGGER.addFilter(lambda record: "handshake" not in str(record.msg))  # anything may connect to a port, and leave again


def _cannot_listen(host: str, port: int, error: OSError) -> KinetreeError:
    number = error.errno or 0
    why = os.strerror(number) if number > 0 else ""  # below 0: of the resolver
    if not why or why.startswith("Unknown error"):  # Windows has no words for numbers of sockets
        why = error.strerror or str(error)
    by_port = error.errno in (errno.EADDRINUSE, errno.EACCES)
    fix = "another number; 0 takes a free one" if by_port else "an address of this computer, such as 127.0.0.1"
    message = f"cannot listen on port {port} of {host!r}: {why}"
    return fail("listen", message, fix=f"pass --{'port' if by_port else 'host'} with {fix}")


class Server:
    """A server of a robot's content and of the configuration of a player.

    rate: transforms per s. tell: is called with remarks for the user.
    """

    def __init__(self, content: Content, player: Player, rate: float, tell: Callable[[str], object]) -> None:
        self.content, self.player, self.rate, self.tell = content, player, rate, tell
        self.clients: set[Client] = set()
        self._session, self._told = str(time.time_ns()), set[str]()

    async def run(
        self,
        host: str,
        port: int,
        origins: Collection[str],
        ready: Callable[[list[tuple[str, int]]], object] = lambda addresses: None,
    ) -> None:
        """Serve until cancelled.

        port: 0 takes a free one. origins: those whose pages may connect, such as "https://app.foxglove.dev"; clients
        without an origin and `DESKTOP` may always. ready: is called with the addresses and ports of the server.

        Raises KinetreeError if it cannot listen there.
        """
        allowed = {DESKTOP, *origins}

        def note(socket: ServerConnection, request: Request) -> None:
            for origin in {*request.headers.get_all("Origin")} - allowed:
                self._note_refused(origin)

        try:
            server = await listen(
                self._serve,
                host,
                port,
                origins=[None, *map(Origin, allowed)],
                subprotocols=[*map(Subprotocol, SUBPROTOCOLS)],
                process_request=note,
                compression=None,
                max_size=MOST_READ,
                max_queue=QUEUED,
                close_timeout=1,
                logger=_LOGGER,
            )
        except OSError as error:
            raise _cannot_listen(host, port, error) from None
        async with server:
            ready([socket.getsockname()[:2] for socket in server.sockets])
            await self._run_clock()

    async def _serve(self, socket: ServerConnection) -> None:
        """Serve one client until it leaves, or reads nothing for too long."""
        if len(self.clients) >= CLIENTS:
            self._tell_once(FULL)
            await socket.close(CloseCode.TRY_AGAIN_LATER, FULL)
            return
        client = Client(socket, self.content, self.player, self._post_values)
        self.clients.add(client)
        try:
            with suppress(ConnectionClosed, TimeoutError):
                await socket.send(server_info(f"kinetree: {self.content.robot.name}", self._session))
                await socket.send(advertise(CHANNELS))
                await client.talk()
        finally:
            self.clients.discard(client)

    def _post_values(self, names: Iterable[str]) -> None:
        for client in self.clients:
            client.post_values(names)

    def _note_refused(self, origin: str) -> None:
        name = visible(shortened(origin, 200))
        how = f"; to allow it, pass --allow-origin {name}" if name == origin and re.fullmatch(ORIGIN, origin) else ""
        self._tell_once(f"refused a page of the origin {name}{how}")

    def _tell_once(self, text: str) -> None:
        if text not in self._told and len(self._told) < SHOWN:
            self._told.add(text)
            self.tell(text)

    async def _run_clock(self) -> None:
        """Move the robot, and send transforms whose stamps are exactly 1 / rate apart."""
        loop = asyncio.get_running_loop()
        start, first, tick, was_late = loop.time(), time.time_ns(), 0, False
        while True:
            tick += 1
            late = loop.time() - start - tick / self.rate
            if late > LATE:
                start, first = start + late, first + round(late * 1e9)
                if not was_late:
                    self.tell(f"{round(late * self.rate)} transforms are left out: the computer was too slow, or slept")
                was_late = True
            await asyncio.sleep(max(0.0, -late))
            playing = not self.player.paused
            self.player.advance(1 / self.rate)
            stamp = first + round(tick * 1e9 / self.rate)
            self._post_transforms(stamp)
            if playing and (self.player.paused or tick % max(1, round(self.rate / VALUES)) == 0):
                self._post_values(self.player.parameters)

    def _post_transforms(self, stamp: int) -> None:
        clients = [client for client in self.clients if TF in client.subscriptions.values()]
        payload = self.content.moving(self.player.q, stamp) if clients else b""
        for client in clients:
            client.post_on(TF, stamp, payload)
