"""One client of the server: what it subscribes to, and answers to its messages."""

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from kinetree.errors import shortened
from kinetree.logs.ros.base import TF
from kinetree.serving import messages
from kinetree.serving.content import CHANNELS, Content
from kinetree.serving.messages import ERROR, WARNING, Message
from kinetree.serving.player import Player

BACKLOG, WAITING = 512, 2**21
"""Messages, and their bytes, that wait for a slow client; others are left out, and the client gets a warning."""
SLOW = 15.0
"""Seconds after which a client that reads nothing is closed."""

Answers = Iterable[Message]


class Client:
    """A connection. subscriptions: numbers of the client, and channels. watched: parameters whose changes it gets.

    changed: is called with the names of parameters that the client has set.
    """

    def __init__(
        self, socket: ServerConnection, content: Content, player: Player, changed: Callable[[list[str]], object]
    ) -> None:
        self.socket, self.content, self.player, self.changed = socket, content, player, changed
        self.subscriptions: dict[int, str] = {}
        self.watched: set[str] = set()
        self._waiting: asyncio.Queue[Message] = asyncio.Queue(BACKLOG)
        self._bytes = self._lost = 0
        self._sending = asyncio.Lock()

    def post(self, message: Message) -> None:
        """Let a message wait to be sent, unless too much waits already."""
        if self._waiting.full() or self._bytes + _size(message) > WAITING:
            self._lost += 1
        else:
            self._waiting.put_nowait(message)
            self._bytes += _size(message)

    def post_on(self, topic: str, stamp: int, payload: bytes) -> None:
        """Post a message to a client that has subscribed to its topic."""
        for number, subscribed in self.subscriptions.items():
            if subscribed == topic:
                self.post(messages.data(number, stamp, payload))

    def post_values(self, names: Iterable[str]) -> None:
        """Post the values of parameters to a client that has subscribed to changes of them."""
        if watched := self.watched.intersection(names):
            values = self.player.parameters
            self.post(messages.parameter_values({name: values[name] for name in values if name in watched}))

    async def talk(self) -> None:
        """Answer the messages of the client until it leaves."""
        sending = asyncio.create_task(self._send_waiting())
        try:
            async for text in self.socket:
                for answer in self._answers(text):
                    await self._send(answer)
        finally:
            sending.cancel()

    async def _send(self, message: Message) -> None:
        """Send a message in small parts. Close the connection and raise TimeoutError if the client reads nothing."""
        loop = asyncio.get_running_loop()
        async with self._sending:  # a message that waits for another one is not late
            try:
                async with asyncio.timeout(SLOW) as limit:
                    parts = messages.fragments(message)
                    await self.socket.send(parts if isinstance(parts, str | bytes) else _timed(parts, limit, loop.time))
            except TimeoutError:
                self.socket.transport.abort()
                raise

    async def _send_waiting(self) -> None:
        with suppress(ConnectionClosed, TimeoutError):
            while True:
                message = await self._waiting.get()
                self._bytes -= _size(message)
                await self._send(message)
                if self._lost and self._waiting.empty():
                    what = f"{self._lost} messages are lost: the client is too slow"
                    self.post(messages.status(WARNING, what, "lost"))
                    self._lost = 0

    def _answers(self, text: str | bytes) -> Answers:
        """Return the answers to a message; one that is not understood is answered by a status."""
        try:
            message = json.loads(text)
            return [*_ANSWERS[message["op"]](self, message)]
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            what = f"a message is not understood or not supported: {shortened(repr(text), 200)}"
            return [messages.status(ERROR, what, "message")]

    def _subscribe(self, message: Any) -> Answers:
        """Return, for channels whose message stays the same, this message."""
        wanted = [(_whole(one["id"]), CHANNELS[_whole(one["channelId"])].topic) for one in message["subscriptions"]]
        for number, topic in wanted:
            if number in self.subscriptions or topic in self.subscriptions.values():
                what = f"there is a subscription to {topic}, or one of number {number}, already"
                yield messages.status(WARNING, what, "subscribe")
                continue
            self.subscriptions[number] = topic
            if topic != TF:
                yield messages.data(number, stamp := time.time_ns(), self.content.latched(topic, stamp))

    def _unsubscribe(self, message: Any) -> Answers:
        for number in [_whole(number) for number in message["subscriptionIds"]]:
            self.subscriptions.pop(number, None)
        return ()

    def _get(self, message: Any) -> Answers:
        values = self.player.parameters
        names = message["parameterNames"] or values
        known = {name: values[name] for name in names if name in values}
        return [messages.parameter_values(known, message.get("id"))]

    def _set(self, message: Any) -> Answers:
        """Return what is wrong, and the values that the parameters have now."""
        values = {str(one["name"]): one.get("value") for one in message["parameters"]}
        messages.parameter_values({}, message.get("id"))  # fails for an id that cannot be sent back
        yield messages.remove_status("set")
        if faults := self.player.set(values):
            yield messages.status(WARNING, "\n".join(faults), "set")
        yield from self._get({"parameterNames": [*values], "id": message.get("id")}) if values else ()
        self.changed([*values])

    def _watch(self, message: Any) -> Answers:
        self.watched |= {*(message["parameterNames"] or self.player.parameters)} & self.player.parameters.keys()
        return ()

    def _unwatch(self, message: Any) -> Answers:
        self.watched -= {*(message["parameterNames"] or self.watched)}
        return ()

    def _fetch(self, message: Any) -> Answers:
        address = str(message["uri"])
        error = f"{address} is not a mesh or texture of this robot, and no other file is served"
        return [messages.asset(_whole(message["requestId"]), self.content.file(address), error)]


_ANSWERS: dict[str, Callable[[Client, Any], Answers]] = {
    "subscribe": Client._subscribe,
    "unsubscribe": Client._unsubscribe,
    "getParameters": Client._get,
    "setParameters": Client._set,
    "subscribeParameterUpdates": Client._watch,
    "unsubscribeParameterUpdates": Client._unwatch,
    "fetchAsset": Client._fetch,
}
"""Answer to each message of a client."""


def _size(message: Message) -> int:
    return len(message) if isinstance(message, str) else sum(map(len, message))


def _timed(parts: Iterable[Any], limit: asyncio.Timeout, now: Callable[[], float]) -> Iterator[Any]:
    """Yield the parts of a message; each is requested when those before have been read, which renews the limit."""
    for part in parts:
        limit.reschedule(now() + SLOW)
        yield part


def _whole(value: Any) -> int:
    """Return a number of the protocol. Raises ValueError if it is not a whole number of 32 bits."""
    if type(value) is not int or not 0 <= value < 2**32:
        raise ValueError
    return value
