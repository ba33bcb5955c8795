"""The server beside that of foxglove-sdk, whose messages a client reads alike, and messages decoded by rosbags."""

import json

import numpy as np
import pytest

import kinetree as kt
from foxglove_client import Client, serving, transforms_in

foxglove = pytest.importorskip("foxglove")
pytestmark = pytest.mark.crosscheck


@pytest.fixture
def theirs():
    """A server of foxglove-sdk with a channel, a parameter and a file."""
    from foxglove import Channel, Context, Parameter, Schema, ServerListener, start_server
    from foxglove.websocket import Capability

    class Listener(ServerListener):
        def on_get_parameters(self, client, param_names, request_id=None):
            return [Parameter("joints.a", value=0.5)]

        def on_set_parameters(self, client, parameters, request_id=None):
            return [Parameter("joints.a", value=0.25)]

    context = Context()
    schema = Schema(name="std_msgs/msg/String", encoding="ros2msg", data=b"string data\n")
    channel = Channel("/robot_description", message_encoding="cdr", schema=schema, context=context)
    server = start_server(
        port=0,
        context=context,
        capabilities=[Capability.Parameters],
        server_listener=Listener(),
        asset_handler=lambda uri: b"mesh" if uri == "package://arm/a.stl" else None,
    )
    yield f"ws://127.0.0.1:{server.port}", channel
    server.stop()


@pytest.fixture
def robot(tmp_path):
    (tmp_path / "package.xml").write_text("<package><name>arm</name></package>")
    (tmp_path / "a.stl").write_bytes(b"mesh")
    (tmp_path / "arm.urdf").write_text(
        '<robot name="r"><link name="base"><visual><geometry><mesh filename="package://arm/a.stl"/></geometry></visual>'
        '</link><link name="al"/><joint name="a" type="continuous"><parent link="base"/><child link="al"/>'
        '<axis xyz="0 0 1"/></joint></robot>'
    )
    return kt.load(tmp_path / "arm.urdf")


def shape(value):
    """Structure of JSON without its values; numbers are alike."""
    if isinstance(value, dict):
        return {key: shape(x) for key, x in value.items()}
    if isinstance(value, list):
        return [shape(x) for x in value]
    return "number" if isinstance(value, float) else type(value).__name__


def conversation(client, before_data):
    """What a viewer gets that reads the description, a parameter and a file."""
    before_data(client)
    client.subscribe("/robot_description")
    before_data(client)
    kind, topic, _, payload = client.wait("data")
    client.say("getParameters", parameterNames=["joints.a"], id="x")
    got = client.wait("parameterValues")
    client.say("setParameters", parameters=[{"name": "joints.a", "value": 0.25, "type": "float64"}], id="y")
    put = client.wait("parameterValues")
    good, bad = client.fetch("package://arm/a.stl"), client.fetch("package://arm/b.stl")
    return kind, topic, payload[:4], shape(got), shape(put), good, bool(bad[0]), bad[1]


def test_a_client_reads_both_servers_alike(theirs, robot):
    address, channel = theirs

    def log(client):
        client.parameters("joints.a")  # its answer comes after the subscription
        channel.log(b"\0\1\0\0\4\0\0\0urd\0")

    with Client(address) as client:
        other = client.info, client.channels["/robot_description"], conversation(client, log)
    with serving(robot) as (address, _, _), Client(address) as client:
        own = client.info, client.channels["/robot_description"], conversation(client, lambda client: None)
    assert other[2] == own[2]
    assert {*own[0]} - {*other[0]} == set()
    assert {"parameters", "parametersSubscribe", "assets"} & {*other[0]["capabilities"]} <= {*own[0]["capabilities"]}
    keys = ("topic", "encoding", "schemaName", "schema", "schemaEncoding")
    assert [own[1][key] for key in keys] == [other[1][key] for key in keys]


def test_messages_are_decoded_by_rosbags():
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    icub = kt.load("icub")
    store = get_typestore(Stores.ROS2_HUMBLE)
    with serving(icub) as (address, _, _), Client(address) as client:
        for topic in ("/tf", "/tf_static", "/robot_description"):
            channel = client.channels[topic]
            defined = get_types_from_msg(channel["schema"], channel["schemaName"])
            assert channel["schemaName"] in defined
            client.subscribe(topic)
            while (data := client.wait("data"))[1] != topic:
                pass
            payload = data[3]
            message = store.deserialize_cdr(payload, channel["schemaName"])
            assert bytes(store.serialize_cdr(message, channel["schemaName"])) == payload
            if topic == "/robot_description":
                assert kt.load(message.data, format="urdf").nq == icub.nq
                continue
            _, found = transforms_in(payload)
            for row in message.transforms:
                p, x = row.transform.translation, row.transform.rotation
                mine = found[row.header.frame_id, row.child_frame_id]
                assert mine == ((p.x, p.y, p.z), (x.x, x.y, x.z, x.w))
                assert row.header.stamp.sec * 10**9 + row.header.stamp.nanosec == data[2]
                assert np.isclose(np.linalg.norm(mine[1]), 1)
    assert json.loads(json.dumps(client.info))["sessionId"]


def test_the_server_of_foxglove_sdk_takes_pages_of_every_origin(theirs):
    """The reason for a server of our own."""
    with Client(theirs[0], origin="https://evil.com") as client:
        assert client.parameters("joints.a") == {"joints.a": 0.5}
