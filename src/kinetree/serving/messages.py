"""Messages of the Foxglove WebSocket protocol, https://github.com/foxglove/ws-protocol/blob/main/docs/spec.md."""

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from kinetree.errors import MAX_MESSAGE, shortened

SUBPROTOCOLS = ("foxglove.sdk.v1", "foxglove.websocket.v1")
"""Names of the protocol, today's first; what a server sends is the same."""
CAPABILITIES = ("parameters", "parametersSubscribe", "assets")
ORIGIN = r"[a-z][a-z0-9+.-]*://[^/\s*]+"
"""Pattern of an origin that can be allowed, as browsers send it."""
WARNING, ERROR = 1, 2
"""Levels of a status."""


FRAGMENT = 2**16
"""Bytes of a message that are sent at once; a slow client keeps no more than these in memory."""

Message: TypeAlias = str | tuple[bytes, bytes]
"""A text, or a header and a payload, which clients share."""


class Channel(NamedTuple):
    """A stream of messages in CDR. topic, schema_name: its names in ROS. schema: the definition of its type."""

    topic: str
    schema_name: str
    schema: str


def server_info(name: str, session: str) -> str:
    """Return the first message to a client. session: differs between runs of the server."""
    return _text("serverInfo", name=name, capabilities=CAPABILITIES, sessionId=session)


def advertise(channels: Sequence[Channel]) -> str:
    """Return the message that lists all channels; their numbers are their places in the sequence."""
    rows = [
        {
            "id": number,
            "topic": channel.topic,
            "encoding": "cdr",
            "schemaName": channel.schema_name,
            "schema": channel.schema,
            "schemaEncoding": "ros2msg",
        }
        for number, channel in enumerate(channels)
    ]
    return _text("advertise", channels=rows)


def status(level: int, message: str, name: str) -> str:
    """Return a message for the user of a client. name: of its topic; it replaces an earlier one of that name."""
    return _text("status", level=level, message=shortened(message, MAX_MESSAGE), id=name)


def remove_status(name: str) -> str:
    """Return the message that takes a status back."""
    return _text("removeStatus", statusIds=[name])


def parameter_values(values: Mapping[str, Any], request: str | None = None) -> str:
    """Return the values of parameters. request: the id of the request that it answers, if it has one."""
    rows = [
        {"name": name, "value": value, **({"type": "float64"} if isinstance(value, float) else {})}
        for name, value in values.items()
    ]
    return _text("parameterValues", parameters=rows, **({} if request is None else {"id": request}))


def data(subscription: int, stamp: int, payload: bytes) -> Message:
    """Return a message on a channel. stamp: ns since 1970."""
    return struct.pack("<BIQ", 1, subscription, stamp), payload


def asset(request: int, content: bytes | None, error: str = "") -> Message:
    """Return the answer to the request for a file: its content, or the error if that is None."""
    words = error.encode() if content is None else b""
    return struct.pack("<BIBI", 4, request, content is None, len(words)) + words, content or b""


def fragments(message: Message) -> str | bytes | Iterator[bytes | memoryview]:
    """Return a message as it is sent: whole, or if it is binary and longer than FRAGMENT, in parts."""
    if isinstance(message, str):
        return message
    header, payload = message
    if len(payload) <= FRAGMENT:
        return header + payload
    rest = memoryview(payload)
    return chain((header,), (rest[i : i + FRAGMENT] for i in range(0, len(rest), FRAGMENT)))


def _text(op: str, **fields: Any) -> str:
    return json.dumps({"op": op, **fields}, allow_nan=False)
