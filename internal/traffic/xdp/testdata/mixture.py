#!/usr/bin/env python3
"""Frames of mixtures, for the tests of the generator and the sink: for each case
the shapes, and what scapy makes of each session and shape in each direction, with
'x' where the signature goes. Run: python3 mixture.py > mixture.json"""
import json

from scapy.all import IP, UDP, Ether, Raw
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer

N3, GNB = "02:75:70:66:03:02", "02:75:70:66:03:01"
N6, DN = "02:75:70:66:06:02", "02:75:70:66:06:01"
UPF_IP, GNB_IP, DN_IP = "192.168.13.151", "192.168.13.131", "192.168.16.152"
UES = ["10.45.0.2", "10.45.0.3", "10.45.1.200"]
UL_TEID = [1, 0x12345678, 0xFFFFFFFE]


def frame(up, stream, shape):
    content = bytes.fromhex(shape["content"]) or b"x" * (shape["payload"] - 32)
    ends = dict(src=UES[stream], dst=DN_IP) if up else dict(src=DN_IP, dst=UES[stream])
    packet = IP(**ends) / UDP(sport=shape["source"], dport=shape["destination"]) / Raw(b"x" * 32 + content)
    if not up:
        return bytes(Ether(src=DN, dst=N6) / packet).hex()
    return bytes(Ether(src=GNB, dst=N3) / IP(src=GNB_IP, dst=UPF_IP) / UDP(sport=2152, dport=2152)
                 / GTP_U_Header(teid=UL_TEID[stream]) / GTPPDUSessionContainer(type=1, QFI=1) / packet).hex()


def shape(payload, content=b"", source=1234, destination=1234):
    return dict(payload=payload, content=content.hex(), source=source, destination=destination)


def case(name, *shapes):
    return dict(name=name, shapes=shapes, uplink=[[frame(True, s, h) for h in shapes] for s in range(3)],
                downlink=[[frame(False, s, h) for h in shapes] for s in range(3)])


def text(n):
    return bytes((7 * i + n) % 256 for i in range(n - 32))


print(json.dumps([
    case("fill", shape(32), shape(33), shape(75), shape(76, source=53, destination=40000), shape(570), shape(1400)),
    case("contents", shape(32), shape(33, text(33)), shape(40, text(40), destination=80), shape(41, text(41)),
         shape(300), shape(1001, text(1001), source=443, destination=65535), shape(1400, text(1400))),
], indent=1))
