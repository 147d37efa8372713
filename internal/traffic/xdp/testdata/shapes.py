#!/usr/bin/env python3
"""Frames of many shapes as they arrive at the data network, for the tests of the
sink: headers and checksums are scapy's. Run: python3 shapes.py > shapes.json"""
import json
import struct

from scapy.all import IP, UDP, Ether, Raw

N6, DN, DN_IP = "02:75:70:66:06:02", "02:75:70:66:06:01", "192.168.16.152"
UES = ["10.45.0.2", "10.45.0.3", "10.45.1.200"]
TEXT = bytes((11 * i + 5) % 256 for i in range(3500))
SIZES = [32, 33, 39, 40, 41, 64, 127, 128, 512, 1400, 1401, 2047, 3400]


def shape(payload, content=b"", source=1234, destination=1234):
    return dict(payload=payload, content=content.hex(), source=source, destination=destination)


def frame(shapes, index, stream=0, seq=64, says=None, **kw):
    """The frame of a shape, which says it is of another; kw: what is changed of it."""
    h = {**shapes[index], **kw}
    word = stream | (index if says is None else says) << 20
    signature = struct.pack("<HHIQQQ", kw.get("magic", 0x7566), 2, word, seq, 1_000_000, 1_000_500)
    rest = bytes.fromhex(h["content"]) or b"x" * (h["payload"] - 32)
    return bytes(Ether(src=N6, dst=DN) / IP(src=UES[stream], dst=DN_IP) / UDP(sport=h["source"], dport=h["destination"])
                 / Raw(signature + rest)).hex()


FILL = [shape(n) for n in SIZES]
MIXED = [shape(200), shape(100, source=53, destination=40000), shape(333, TEXT[:301]), shape(40, TEXT[9:17], destination=80)]


def changed(frame, *at):
    """The frame with octets behind the signature changed and no checksum made good."""
    b = bytearray.fromhex(frame)
    for i in at:
        b[14 + 28 + 32 + i] ^= 1
    return bytes(b).hex()


cases = []


def case(name, shapes, frames, rx=0, wrong="", foreign=0):
    cases.append(dict(name=name, shapes=shapes, frames=frames, rx=rx, wrong=wrong, foreign=foreign))


for i, n in enumerate(SIZES):
    case("fill, %d octets" % n, FILL, [frame(FILL, i)], rx=1)
    if n > 32:
        case("fill, %d octets, the last is another" % n, FILL,
             [changed(frame(FILL, i), n - 33)], wrong="payload")
for i in range(len(MIXED)):
    case("mixed, shape %d" % i, MIXED, [frame(MIXED, i, stream=s, seq=64 * s) for s in range(3)], rx=3)
case("content, one octet changed", MIXED, [changed(frame(MIXED, 2), 150)], wrong="payload")
case("content, the last octet changed", MIXED, [changed(frame(MIXED, 2), 300)], wrong="payload")
case("content, one octet changed, not sampled", MIXED, [changed(frame(MIXED, 2, seq=65), 150)], rx=1)
case("fill where a content is due", MIXED, [frame(MIXED, 2, content=(b"x" * 301).hex())], wrong="inner UDP checksum")
case("another shape's length", MIXED, [frame(MIXED, 1, says=0)], wrong="inner IP header")
case("another shape's ports", MIXED, [frame(MIXED, 1, source=1234, destination=1234)], wrong="inner UDP header")
case("a shape that is not", MIXED, [frame(MIXED, 0, says=4)], wrong="signature")
case("a shape far beyond", MIXED, [frame(MIXED, 0, says=4095)], wrong="signature")
case("no signature, a shape's port", MIXED, [frame(MIXED, 1, magic=0x7567)], wrong="signature")
case("no signature, no shape's port", MIXED, [frame(MIXED, 1, magic=0x7567, destination=40001)], foreign=1)

print(json.dumps(cases, indent=1))
