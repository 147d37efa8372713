"""The tester's ends of N3 and N6: frames out by packet sockets, frames in by a thread each.

A bench plays every address of its links that the kernel does not own: it answers ARP and Neighbour
Solicitations for them. So gNBs and hosts need no configuration, and no kernel answers in their place."""

import ctypes
import os
import platform
import socket
import struct
import threading
import time

from scapy.all import ARP, Ether, ICMPv6ND_NA, ICMPv6ND_NS, ICMPv6NDOptDstLLAddr, ICMPv6NDOptSrcLLAddr, IPv6, in6_getnsma, in6_getnsmac, raw
import scapy.utils6  # noqa: F401 (in6_getnsma)
from socket import AF_INET6, inet_ntop, inet_pton

ETH_P_ALL, PACKET_OUTGOING = 3, 4
SOL_PACKET, PACKET_AUXDATA, CSUM_NOT_READY = 263, 8, 8
SO_RCVBUFFORCE = 33
LEAST_FRAME = 60  # octets of an Ethernet frame without its checksum


class Frame:
    """What a link received: when (monotonic seconds), its octets, and whether the sender left the
    transport checksum to hardware that is not there (then it cannot be judged)."""

    def __init__(self, octets, unfinished):
        self.at, self.octets, self.unfinished = time.monotonic(), octets, unfinished

    def parsed(self):
        return Ether(self.octets)


class Link:
    """One interface. Frames that arrive are kept in order until they are taken; `since` of the methods is a number of frames."""

    def __init__(self, interface, played):
        self.interface, self.played = interface, set(played)
        self.mac = open("/sys/class/net/%s/address" % interface).read().strip()
        self.frames, self.news = [], threading.Condition()
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        self.socket.bind((interface, ETH_P_ALL))
        self.program = receive_all(interface)
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self):
        while True:
            try:
                octets, more, _, address = self.socket.recvmsg(65536, 64)
                if address[2] != PACKET_OUTGOING:
                    self._take(octets, more)
            except Exception:  # the link went down, or a neighbour's question cannot be read: the next frame may be good
                continue

    def _take(self, octets, more):
        status = next((struct.unpack_from("=I", data)[0] for level, kind, data in more if (level, kind) == (SOL_PACKET, PACKET_AUXDATA)), 0)
        with self.news:
            self.frames.append(Frame(octets, bool(status & CSUM_NOT_READY)))
            self.news.notify_all()
        self._answer(octets)

    def _answer(self, octets):
        """Resolve what the bench plays."""
        if octets[12:14] == b"\x08\x06" and len(octets) >= 42 and octets[20:22] == b"\0\1" and socket.inet_ntoa(octets[38:42]) in self.played:
            ask = Ether(octets)[ARP]
            self.send(Ether(dst=ask.hwsrc, src=self.mac) / ARP(op=2, hwsrc=self.mac, psrc=ask.pdst, hwdst=ask.hwsrc, pdst=ask.psrc))
        elif octets[12:14] == b"\x86\xdd" and len(octets) >= 78 and octets[20] == 58 and octets[54] == 135 and inet_ntop(AF_INET6, octets[62:78]) in self.played:
            ask = Ether(octets)
            self.send(Ether(dst=ask.src, src=self.mac) / IPv6(src=ask[ICMPv6ND_NS].tgt, dst=ask[IPv6].src, hlim=255)
                      / ICMPv6ND_NA(tgt=ask[ICMPv6ND_NS].tgt, R=0, S=1, O=1) / ICMPv6NDOptDstLLAddr(lladdr=self.mac))

    def send(self, frame):
        """Send a frame, with padding where a link would add it: a veth does not."""
        octets = frame if isinstance(frame, bytes) else raw(frame)
        self.socket.send(octets.ljust(LEAST_FRAME, b"\0"))

    def count(self):
        with self.news:
            return len(self.frames)

    def find(self, wanted, since=0, seconds=0.0):
        """The first frame for which wanted(octets) holds, waited for at most so long; None."""
        return next(iter(self.settle(wanted, 1, seconds, since)), None)

    def all(self, wanted, since=0):
        return self.settle(wanted, 0, 0, since)

    def settle(self, wanted, count, seconds, since=0):
        """The frames for which wanted(octets) holds, once there are so many, or after so long."""
        end, at, found = time.monotonic() + seconds, since, []
        with self.news:
            while True:
                found += [f for f in self.frames[at:] if wanted(f.octets)]
                at, left = len(self.frames), end - time.monotonic()
                if len(found) >= count or left <= 0:
                    return found
                self.news.wait(left)

    def taken(self):
        """All frames, which the link then forgets."""
        with self.news:
            frames, self.frames = self.frames, []
            return frames

    def resolve(self, address, own):
        """The MAC address of a neighbour, asked from one of the played addresses; None."""
        since = self.count()
        if ":" in address:
            target = inet_pton(AF_INET6, address)
            group = in6_getnsma(target)
            ask = (Ether(dst=in6_getnsmac(group), src=self.mac) / IPv6(src=own, dst=inet_ntop(AF_INET6, group), hlim=255)
                   / ICMPv6ND_NS(tgt=address) / ICMPv6NDOptSrcLLAddr(lladdr=self.mac))
            match = lambda f: f[12:14] == b"\x86\xdd" and len(f) >= 78 and f[20] == 58 and f[54] == 136 and f[62:78] == target
        else:
            ask = Ether(dst="ff:ff:ff:ff:ff:ff", src=self.mac) / ARP(op=1, hwsrc=self.mac, psrc=own, pdst=address)
            match = lambda f: f[12:14] == b"\x08\x06" and f[20:22] == b"\0\2" and f[28:32] == socket.inet_aton(address)
        for _ in range(5):
            self.send(ask)
            if found := self.find(match, since, 1):
                return found.parsed().src
        return None


def receive_all(interface):
    """Attach an XDP program that passes everything on, and give its link, which ends with the process.
    A veth takes frames that a UPF's XDP program sends back (XDP_TX) only if it has a program itself. None
    where that is not possible: the interface has a program already, or is no veth."""
    number = {"x86_64": 321, "aarch64": 280}.get(platform.machine())
    bpf = lambda command, attributes: ctypes.CDLL(None, use_errno=True).syscall(number, command, attributes, len(attributes))
    if number is None:
        return None
    code = ctypes.create_string_buffer(struct.pack("<BBhi", 0xb7, 0, 0, 2) + struct.pack("<BBhi", 0x95, 0, 0, 0))  # r0 = XDP_PASS; exit
    licence = ctypes.create_string_buffer(b"Dual BSD/GPL")
    load = struct.pack("=IIQQ", 6, 2, ctypes.addressof(code), ctypes.addressof(licence)).ljust(128, b"\0")
    program = bpf(5, load)
    if program < 0:
        return None
    link = bpf(28, struct.pack("=IIII", program, socket.if_nametoindex(interface), 37, 4).ljust(64, b"\0"))  # in the driver, BPF_XDP
    os.close(program)
    return link if link >= 0 else None
