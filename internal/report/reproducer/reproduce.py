#!/usr/bin/env python3
"""Show one finding in a UPF, without upflab: send the packets of a recording again, and compare.

This file needs Python 3.8 and root, and nothing else. It plays the SMF on N4, the gNBs on N3 and the
hosts on N6, as --help says. The exit status is 1 where the UPF does again what the recording shows,
0 where it does not, and 2 where it cannot be told."""

import argparse
import ipaddress
import json
import os
import re
import socket
import struct
import sys
import threading
import time
import traceback

#CASE


def load():
    """Read the case: its words, the mark of its packets, and the recording."""
    global CASE, RUN, STEPS
    CASE = json.loads(TEXT)
    RUN = bytes.fromhex(CASE["run"])
    STEPS = [(at, link, out, what, bytes.fromhex(octets)) for at, link, out, what, octets in CASE["steps"]]


ASSOCIATION_SETUP, SESSION_REPORT = 5, 56
ANSWERS = {2, 4, 6, 8, 10, 11, 13, 15, 51, 53, 55, 57}
NAMES = {1: "Heartbeat Request", 3: "PFD Management Request", 5: "Association Setup Request", 7: "Association Update Request",
         9: "Association Release Request", 14: "Session Set Deletion Request", 50: "Session Establishment Request",
         52: "Session Modification Request", 54: "Session Deletion Request", 56: "Session Report Request"}
# IEs of TS 29.244 clause 8.1.2 that hold others, and those that hold addresses.
GROUPED = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 58, 59, 77, 78, 79, 80, 83, 85, 86, 87, 99, 102, 105, 127, 128, 129, 130}
CREATED_PDR, PDR_ID, FTEID, NODE_ID, FSEID, SDF, OUTER, UE_ADDRESS, CAUSE = 8, 56, 21, 60, 57, 23, 84, 93, 19
USAGE = {78, 79, 80}
WITH_ADDRESS = {FTEID, NODE_ID, FSEID, OUTER, UE_ADDRESS}
GTPU, PFCP = 2152, 8805


class CannotTell(Exception):
    pass


# --- PFCP -----------------------------------------------------------------------------------------

def pfcp_header(b):
    """(type, SEID or None, sequence number, offset of the IEs)"""
    if len(b) < 8 or b[0] & 1 and len(b) < 16:
        raise ValueError("a header that is cut off")
    if b[0] & 1:
        return b[1], struct.unpack_from("!Q", b, 4)[0], int.from_bytes(b[12:15], "big"), 16
    return b[1], None, int.from_bytes(b[4:7], "big"), 8


def with_header(b, seid=None, sequence=None):
    b = bytearray(b)
    if b[0] & 1:
        if seid is not None:
            b[4:12] = struct.pack("!Q", seid)
        if sequence is not None:
            b[12:15] = sequence.to_bytes(3, "big")
    elif sequence is not None:
        b[4:7] = sequence.to_bytes(3, "big")
    return bytes(b)


def elements(b):
    """The IEs of a message or group: (type, value). ValueError where they do not fit."""
    found, at = [], 0
    while at < len(b):
        if at + 4 > len(b):
            raise ValueError("a piece of an IE")
        kind, size = struct.unpack_from("!HH", b, at)
        if at + 4 + size > len(b):
            raise ValueError("IE %d is longer than what holds it" % kind)
        found.append((kind, b[at + 4:at + 4 + size]))
        at += 4 + size
    return found


def walk(b):
    """All IEs at any depth; nothing of what cannot be read."""
    try:
        list_ = elements(b)
    except ValueError:
        return
    for kind, value in list_:
        yield kind, value
        if kind in GROUPED:
            yield from walk(value)


def first(b, kind):
    return next((v for k, v in walk(b) if k == kind), None)


def rewrite(b, change):
    """The IEs with each value changed, from within; as they are where they cannot be read."""
    try:
        list_ = elements(b)
    except ValueError:
        return b
    out = b""
    for kind, value in list_:
        value = rewrite(value, change) if kind in GROUPED else change(kind, value)
        out += struct.pack("!HH", kind, len(value)) + value
    return out


def ie(kind, value):
    return struct.pack("!HH", kind, len(value)) + value


def message(kind, sequence, body, seid=None):
    if seid is None:
        return struct.pack("!BBH", 0x20, kind, len(body) + 4) + sequence.to_bytes(3, "big") + b"\0" + body
    return struct.pack("!BBHQ", 0x21, kind, len(body) + 12, seid) + sequence.to_bytes(3, "big") + b"\0" + body


def fteid(value):
    """(TEID, IPv4 address or None) of an F-TEID that is given, or None."""
    if len(value) < 5 or value[0] & 4:
        return None
    return struct.unpack_from("!I", value, 1)[0], value[5:9] if value[0] & 1 and len(value) >= 9 else None


def summary(b):
    """What an answer or a report says, without what differs from run to run: SEIDs, TEIDs, times of day."""
    try:
        return "; ".join(contents(b[pfcp_header(b)[3]:])) or "no IE"
    except ValueError as e:
        return "IEs that cannot be read: %s" % e


START, END = 75, 76
VARY = {67, 69, 70, START}  # duration, and when packets came: they differ a little each time


def contents(b):
    """The IEs of a message or group in words."""
    words, since = [], first(b, START)
    for k, v in elements(b):
        if k == CAUSE and v:
            words.append("cause %d" % v[0])
        elif k in USAGE:
            words.append("usage report: " + ", ".join(contents(v)))
        elif k == 81:
            words.append("URR %d" % int.from_bytes(v, "big"))
        elif k == 63:
            words.append("triggers " + v.hex())
        elif k == 66 and v:
            words.append("volume " + "/".join(str(struct.unpack_from("!Q", v, at)[0]) for at in range(1, len(v) - 7, 8)))
        elif k == END and len(v) == 4 and since and len(since) == 4:
            words.append("End Time %s after the Start Time" % span(int.from_bytes(v, "big") - int.from_bytes(since, "big")))
        elif k in VARY:
            continue
        elif k in GROUPED:
            words.append("IE %d (%s)" % (k, ", ".join(contents(v))))
        elif k in (NODE_ID, FSEID, FTEID, UE_ADDRESS, 96, 104, END):
            words.append("IE %d of %d octets" % (k, len(v)))
        else:
            words.append("IE %d %s" % (k, v.hex()))
    return words


def span(seconds):
    """A time roughly: a repetition takes a second more or less."""
    if seconds < 0:
        return "less than nothing"
    return "under a minute" if seconds < 60 else "%d min" % (seconds // 60)


# --- IP -------------------------------------------------------------------------------------------

def mended(total, old, new):
    """A checksum after octets changed (RFC 1624): one that was wrong stays as wrong."""
    s = ~total & 0xffff
    for a, b in zip(struct.unpack("!%dH" % (len(old) // 2), old), struct.unpack("!%dH" % (len(new) // 2), new)):
        s += (~a & 0xffff) + b
    while s >> 16:
        s = (s & 0xffff) + (s >> 16)
    return ~s & 0xffff


def readdressed(ip, new):
    """An IP packet with its addresses as `new` has them, and its checksums to match. What is no IP stays."""
    ip = bytearray(ip)
    if len(ip) >= 20 and ip[0] >> 4 == 4:
        at, size, header, protocol = 12, 4, (ip[0] & 15) * 4, ip[9]
        whole = not int.from_bytes(ip[6:8], "big") & 0x1fff
    elif len(ip) >= 40 and ip[0] >> 4 == 6:
        at, size, header, protocol, whole = 8, 16, 40, ip[6], True
    else:
        return bytes(ip)
    before = bytes(ip[at:at + 2 * size])
    after = new(before[:size]) + new(before[size:])
    if after == before:
        return bytes(ip)
    ip[at:at + 2 * size] = after
    if size == 4:
        ip[10:12] = mended(int.from_bytes(ip[10:12], "big"), before, after).to_bytes(2, "big")
    place = header + {17: 6, 6: 16, 58: 2}.get(protocol, 1 << 20)
    if whole and place + 2 <= len(ip) and ip[place:place + 2] != b"\0\0":
        ip[place:place + 2] = mended(int.from_bytes(ip[place:place + 2], "big"), before, after).to_bytes(2, "big")
    return bytes(ip)


def datagram(ip):
    """(source, destination, destination port, offset of the payload) of UDP in an IP packet; None."""
    if len(ip) >= 28 and ip[0] >> 4 == 4 and ip[9] == 17 and not int.from_bytes(ip[6:8], "big") & 0x1fff:
        at, source, to = (ip[0] & 15) * 4, ip[12:16], ip[16:20]
    elif len(ip) >= 48 and ip[0] >> 4 == 6 and ip[6] == 17:
        at, source, to = 40, ip[8:24], ip[24:40]
    else:
        return None
    if len(ip) < at + 8:
        return None
    return source, to, int.from_bytes(ip[at + 2:at + 4], "big"), at + 8


def gtpu(b):
    """(type, TEID, QFI or None, offset of the payload) of a GTP-U message; None."""
    if len(b) < 8 or b[0] >> 5 != 1:
        return None
    at, qfi = 8, None
    if b[0] & 7:
        at, after = 12, b[11] if len(b) > 11 and b[0] & 4 else 0
        while after:
            if at >= len(b) or not b[at] or at + 4 * b[at] > len(b):
                return None
            if after == 0x85:
                qfi = b[at + 2] & 63
            after, at = b[at + 4 * b[at] - 1], at + 4 * b[at]
    return b[1], struct.unpack_from("!I", b, 4)[0], qfi, at


def text_of(address):
    return str(ipaddress.ip_address(bytes(address)))


# --- what came of a packet -----------------------------------------------------------------------

class Arrival:
    """A packet as it came on a link."""

    def __init__(self, link, frame):
        self.link, self.teid, self.qfi, self.to, self.outer, self.flaw = link, None, None, None, "", ""
        ip = frame[14:]
        u = datagram(ip)
        self.inner = ip
        if u and u[2] == GTPU:
            message = ip[u[3]:length_of(ip)]
            g = gtpu(message)
            self.flaw = flaw_of(message, g) or flaw_of_udp(ip[:length_of(ip)], u[3])
            if g:
                _, self.teid, self.qfi, at = g
                self.to, self.inner = text_of(u[1]), ip[u[3] + at:]
                self.outer = outer_words(ip, message[:at])
        self.inner = self.inner[:length_of(self.inner)]

    def words(self, sent):
        """Where it came, and in what it is not as it was sent."""
        text = self.link
        if self.teid is not None:
            text += " in tunnel %#x to %s" % (self.teid, self.to)
            if self.qfi is not None:
                text += " with QFI %d" % self.qfi
            text += self.outer
        return text + self.flaw + difference(sent, self.inner)


def outer_words(ip, header):
    """What else the tunnel's headers say: all but addresses and what differs from packet to packet."""
    if ip[0] >> 4 == 4:
        tos, hops, sum_ = ip[1], ip[8], mended(0xffff, bytes((ip[0] & 15) * 4), ip[:(ip[0] & 15) * 4])
    else:
        tos, hops, sum_ = (ip[0] << 4 | ip[1] >> 4) & 255, ip[7], 0
    u = datagram(ip)[3]
    words = ", outer TTL %d, type of service %#04x, UDP port %d, GTP-U %s%s" % (
        hops, tos, struct.unpack_from("!H", ip, u - 6)[0], header[:2].hex(), header[10:].hex() and " and " + header[10:].hex())
    return words + (", a wrong header checksum" if sum_ else "") + (", a fragment" if ip[0] >> 4 == 4 and ip[6] & 0x20 else "")


def flaw_of(b, g):
    """What is wrong with a GTP-U header (TS 29.281 clause 5.1)."""
    if g is None:
        return ", with a GTP-U header that cannot be read"
    length = int.from_bytes(b[2:4], "big")
    if length != len(b) - 8:
        return ", with a GTP-U length of %d where %d octets follow" % (length, len(b) - 8)
    return ", with the spare bit of GTP-U set" if b[0] & 8 else ""


def flaw_of_udp(ip, payload):
    """Whether the UDP checksum is wrong; 0 is none."""
    if len(ip) < payload or ip[payload - 2:payload] == b"\0\0":
        return ""
    addresses, udp = ip[12:20] if ip[0] >> 4 == 4 else ip[8:40], ip[payload - 8:]
    b = addresses + struct.pack("!II", len(udp), 17) + udp
    b += bytes(len(b) % 2)
    return "" if mended(0xffff, bytes(len(b)), b) == 0 else ", with a wrong UDP checksum"


def length_of(ip):
    if len(ip) >= 20 and ip[0] >> 4 == 4:
        return int.from_bytes(ip[2:4], "big")
    if len(ip) >= 40 and ip[0] >> 4 == 6:
        return 40 + int.from_bytes(ip[4:6], "big")
    return len(ip)


def difference(sent, got):
    """In what a packet is not as it was sent, but for a TTL that is lower by one."""
    if sent is None or len(sent) < 20 or len(got) < 20:
        return ""
    if len(sent) != len(got):
        return ", %d octets in place of %d" % (len(got), len(sent))
    hop = 8 if sent[0] >> 4 == 4 else 7
    words = ""
    if got[hop] != sent[hop] - 1:
        words = ", TTL %d where %d was sent" % (got[hop], sent[hop])
    skip = {hop, 10, 11} if hop == 8 else {hop}
    if hop == 8 and mended(0xffff, bytes((got[0] & 15) * 4), got[:(got[0] & 15) * 4]):
        words += ", a wrong header checksum"
    for n in range(len(sent)):
        if n not in skip and sent[n] != got[n]:
            return words + ", octet %d is %#04x in place of %#04x" % (n, got[n], sent[n])
    return words


WANT = re.compile(r"(plain on N6|on N6 in (?:IP|UDP) to \S+|on N3 in tunnel (0x[0-9a-f]+) to (\S+))(?: with QFI (\d+))?")


def wants(what):
    """Where a packet has to arrive, from the words beside it: [(link, TEID, address, QFI)]; [] is nowhere."""
    text = what.split(" (mark ")[0]
    if text.endswith("goes nowhere"):
        return []
    found = [("N3" if m[2] else "N6", int(m[2], 16) if m[2] else None, m[3], int(m[4]) if m[4] else None)
             for m in WANT.finditer(text.split(": arrives ")[-1])]
    if not found:
        raise CannotTell("it is not understood where a packet is due: %s" % text)
    return found


def is_right(what, came, sent, address):
    """Whether what came is where it is wanted, once each. `address` translates those of the recording."""
    left = wants(what)
    for a in came:
        fits = [w for w in left if w[0] == a.link and (w[1] is None or a.teid == w[1] and a.to == address(w[2]))
                and (w[3] is None or a.qfi == w[3])]
        if not fits or a.flaw or "TTL lower by one" in what and "TTL" in difference(sent, a.inner):
            return False
        left.remove(fits[0])
    return not left


# --- links ----------------------------------------------------------------------------------------

class Link:
    """An interface on which addresses are played: it answers ARP and Neighbour Solicitations for them."""

    def __init__(self, interface, played, take):
        self.interface, self.played, self.take = interface, played, take
        try:
            self.mac = bytes.fromhex(open("/sys/class/net/%s/address" % interface).read().strip().replace(":", ""))
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
            self.socket.bind((interface, 3))
        except PermissionError:
            raise CannotTell("packet sockets need root: run this with sudo")
        except OSError as e:
            raise CannotTell("cannot use the interface %s: %s" % (interface, e))
        self.neighbours, self.news = {}, threading.Condition()
        threading.Thread(target=self.receive, daemon=True).start()

    def receive(self):
        while True:
            try:
                frame, address = self.socket.recvfrom(65536)
                if address[2] == 4:  # our own
                    continue
                if frame[12:14] == b"\x08\x06" and len(frame) >= 42:
                    self.arp(frame)
                elif frame[12:14] == b"\x86\xdd" and len(frame) >= 78 and frame[20] == 58 and frame[54] in (135, 136):
                    self.discovery(frame)
                self.take(frame)
            except OSError:
                continue

    def arp(self, f):
        if f[20:22] == b"\0\2":
            with self.news:
                self.neighbours[f[28:32]] = f[22:28]
                self.news.notify_all()
        elif f[20:22] == b"\0\1" and f[38:42] in self.played:
            self.socket.send((f[6:12] + self.mac + f[12:20] + b"\0\2" + self.mac + f[38:42] + f[22:32]).ljust(60, b"\0"))

    def discovery(self, f):
        target = f[62:78]
        if f[54] == 136:
            with self.news:
                self.neighbours[target] = f[6:12]
                self.news.notify_all()
        elif target in self.played:
            body = struct.pack("!BBHI", 136, 0, 0, 0x60000000) + target + b"\2\1" + self.mac
            self.socket.send(f[6:12] + self.mac + b"\x86\xdd" + icmp6(target, f[22:38], body))

    def resolve(self, address, own):
        """The MAC of a neighbour."""
        for _ in range(5):
            if len(address) == 4:
                self.socket.send((b"\xff" * 6 + self.mac + b"\x08\x06\0\1\x08\0\6\4\0\1" + self.mac + own + bytes(6) + address).ljust(60, b"\0"))
            else:
                group = bytes.fromhex("ff0200000000000000000001ff") + address[13:]
                body = struct.pack("!BBHI", 135, 0, 0, 0) + address + b"\1\1" + self.mac
                self.socket.send(b"\x33\x33" + group[12:] + self.mac + b"\x86\xdd" + icmp6(own, group, body))
            with self.news:
                if self.news.wait_for(lambda: address in self.neighbours, 1):
                    return self.neighbours[address]
        raise CannotTell("nobody at %s answers on %s: give the UPF's address there, and check the link" % (text_of(address), self.interface))


def icmp6(source, to, body):
    pseudo = source + to + struct.pack("!II", len(body), 58)
    total = mended(0xffff, bytes(len(pseudo + body) + len(body) % 2), pseudo + body + bytes(len(body) % 2))
    body = body[:2] + struct.pack("!H", total) + body[4:]
    return struct.pack("!IHBB", 0x60000000, len(body), 58, 255) + source + to + body


# --- the replay -----------------------------------------------------------------------------------

class Replay:
    """The recording, sent again. Addresses, SEIDs, TEIDs and sequence numbers are those of now."""

    def __init__(self, options):
        self.options, self.lock = options, threading.Condition()
        self.addresses, self.teids, self.seids, self.cp = {}, {}, {}, {}
        self.answers, self.reports, self.came, self.signals, self.alive, self.heard = {}, [], {}, [], True, 0.0
        self.base = int.from_bytes(os.urandom(2), "big")
        self.translate()
        self.sockets = {a: self.listen(a) for a in CASE["smf"]}
        played = lambda list_: {self.packed(a) for a in list_}
        self.links = {"N3": Link(options.n3_interface, played(CASE["gnbs"]), lambda f: self.take("N3", f)),
                      "N6": Link(options.n6_interface, played(CASE["hosts"]), lambda f: self.take("N6", f))}
        self.macs = {}
        self.quiet = []
        for a in CASE["gnbs"]:
            self.hush(text_of(self.packed(a)))

    def hush(self, address):
        """Where the kernel has a gNB's address, a socket keeps it from answering "port unreachable"."""
        try:
            s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
            s.bind((address, GTPU))
            self.quiet.append(s)
        except OSError:
            pass

    def translate(self):
        o = self.options
        pairs = [(CASE["upf_n4"], o.n4), (CASE["upf_n3"], o.n3)]
        pairs += zip(CASE["smf"], o.smf or []) if o.smf else []
        pairs += [(CASE["gnbs"][0], o.gnb)] if o.gnb and CASE["gnbs"] else []
        pairs += [(CASE["hosts"][0], o.dn)] if o.dn and CASE["hosts"] else []
        for pair in o.map or []:
            old, equals, new = pair.partition("=")
            if not equals:
                raise CannotTell("--map %s: give OLD=NEW" % pair)
            pairs.append((old, new))
        for old, new in pairs:
            if not old or not new:
                continue
            try:
                a, b = ipaddress.ip_address(old).packed, ipaddress.ip_address(new).packed
            except ValueError as e:
                raise CannotTell("%s: give an IP address" % e)
            if len(a) != len(b):
                raise CannotTell("%s cannot stand for %s: they are of two families" % (new, old))
            self.addresses[a] = b

    def address(self, packed):
        return self.addresses.get(bytes(packed), bytes(packed))

    def packed(self, text):
        return self.address(ipaddress.ip_address(text).packed)

    def address_text(self, text):
        return text_of(self.packed(text))

    def listen(self, recorded):
        at = self.address_text(recorded)
        s = socket.socket(socket.AF_INET6 if ":" in at else socket.AF_INET, socket.SOCK_DGRAM)
        try:
            s.bind((at, PFCP))
        except OSError as e:
            raise CannotTell("cannot play the SMF at %s port %d (%s): give an address that this machine has, by --smf" % (at, PFCP, e))
        threading.Thread(target=self.serve, args=(s,), daemon=True).start()
        return s

    def serve(self, s):
        while True:
            try:
                b, sender = s.recvfrom(65536)
                kind, seid, sequence, at = pfcp_header(b)
            except (OSError, ValueError):
                continue
            with self.lock:
                self.heard = time.monotonic()
                if kind == SESSION_REPORT and b[0] & 1:
                    self.reports.append((seid, b))
                elif kind not in (1, 7, 9, 12):
                    self.answers.setdefault(sequence, b)
                self.lock.notify_all()
            body = {1: ie(96, struct.pack("!I", STARTED)), SESSION_REPORT: ie(CAUSE, b"\1")}.get(kind)
            if kind in (7, 9, 12):
                body = self.node(s) + ie(CAUSE, b"\1")
            if body is not None:
                s.sendto(message(kind + 1, sequence, body, self.cp.get(seid, 0) if b[0] & 1 else None), sender)

    def node(self, s):
        a = ipaddress.ip_address(s.getsockname()[0])
        return ie(NODE_ID, bytes([0 if a.version == 4 else 1]) + a.packed)

    def take(self, link, frame):
        at = frame.find(RUN)
        if at < 0 or not any(RUN):
            signal = signal_of(link, frame)
            if signal:
                with self.lock:
                    self.signals.append(signal + delay(time.monotonic() - self.heard))
            return
        number = bytes(frame[at + 8:at + 16])
        if frame[12:14] == b"\x08\x00" and frame[23] == 1 and len(frame) > 34 and frame[34] not in (0, 8):
            return  # an ICMP error that quotes the packet
        with self.lock:
            self.came.setdefault(number, []).append(Arrival(link, frame))

    def associate(self):
        if not CASE["smf"]:
            return  # the case sends nothing on N4
        for recorded, s in self.sockets.items():
            sequence = self.next()
            body = self.node(s) + ie(96, struct.pack("!I", STARTED))
            if not self.ask(s, message(ASSOCIATION_SETUP, sequence, body), sequence):
                raise CannotTell("the UPF does not answer at %s port %d" % (self.options.n4, PFCP))
            cause = first(self.answers[sequence][8:], CAUSE)
            if cause != b"\1" and recorded == CASE["smf"][0]:
                raise CannotTell("the UPF refuses the association (cause %s)" % (cause or b"?").hex())

    def next(self):
        self.base = (self.base + 1) & 0xffffff
        return self.base

    def ask(self, s, b, sequence, tries=3):
        for _ in range(tries):
            s.sendto(b, (self.options.n4, PFCP))
            with self.lock:
                if self.lock.wait_for(lambda: sequence in self.answers, self.options.patience):
                    return True
        return False

    def run(self):
        self.associate()
        last, sequences, rows, self.asked = 0.0, {}, [], asked_of(STEPS)
        recorded = answers_of(STEPS)
        for at, link, out, what, octets in STEPS:
            if not out:
                continue
            time.sleep(max(0.0, min(at - last, 60)))
            last = at
            if link == "N4":
                self.send_n4(octets, sequences, recorded, rows)
            else:
                self.send_frame(link, octets)
        time.sleep(max(self.options.patience, 1.5))
        self.alive = self.beats()
        self.release()
        return rows

    def send_n4(self, frame, sequences, recorded, rows):
        u = datagram(frame[14:])
        b = frame[14 + u[3]:]
        try:
            kind, seid, sequence, at = pfcp_header(b)
        except ValueError:
            self.sockets[text_of(u[0])].sendto(b, (self.options.n4, PFCP))
            return
        if kind in ANSWERS and (u[0], sequence) in self.asked:
            return  # an answer to a report: it is given to the report of now
        if (u[0], b) in sequences or kind == ASSOCIATION_SETUP and not sequences:
            return  # sent again because the answer was late
        new = sequences[u[0], b] = self.next()
        head = with_header(b, self.seids.get(seid, seid) if seid is not None else None, new)
        b = head[:at] + rewrite(head[at:], self.value)
        if len(b) != len(head):
            b = b[:2] + struct.pack("!H", len(b) - 4) + b[4:]
        then = recorded.get((u[0], sequence))
        answered = self.ask(self.sockets[text_of(u[0])], b, new, 3 if then else 1)
        now = self.answers.get(new)
        if answered and then:
            self.learn(b[at:], then, now)
        name = NAMES.get(kind, "message %d" % kind)
        rows.append((name, summary(then) if then else "no answer", summary(now) if now else "no answer"))

    def value(self, kind, v):
        """The value of an IE with the addresses and TEIDs of now."""
        if kind == FTEID and fteid(v) and fteid(v)[0] in self.teids:
            v = v[:1] + struct.pack("!I", self.teids[fteid(v)[0]]) + v[5:]
        if kind in WITH_ADDRESS and self.addresses:
            v = re.sub(b"|".join(re.escape(a) for a in self.addresses), lambda m: self.addresses[m[0]], v, flags=re.DOTALL)
        elif kind == SDF and v[:1] and v[0] & 1 and len(v) >= 4:
            size = struct.unpack_from("!H", v, 2)[0]
            text = v[4:4 + size]
            names = {text_of(old).encode(): text_of(new).encode() for old, new in self.addresses.items()}
            if names:
                any_ = b"|".join(re.escape(n) for n in names)
                text = re.sub(rb"(?<![0-9a-f.:])(?:%s)(?![0-9a-f.:])" % any_, lambda m: names[m[0]], text)
            v = v[:2] + struct.pack("!H", len(text)) + text + v[4 + size:]
        return v

    def learn(self, asked, then, now):
        """What the UPF chose then, and what it chose now."""
        old, new = first(then[pfcp_header(then)[3]:], FSEID), first(now[pfcp_header(now)[3]:], FSEID)
        if old and new:
            self.seids[struct.unpack_from("!Q", old, 1)[0]] = struct.unpack_from("!Q", new, 1)[0]
            ours = first(asked, FSEID)
            if ours:
                self.cp[struct.unpack_from("!Q", ours, 1)[0]] = struct.unpack_from("!Q", new, 1)[0]
        was, is_ = created(then), created(now)
        for pdr, (tunnel, ue) in was.items():
            tunnel_now, ue_now = is_.get(pdr, (None, None))
            if tunnel and tunnel_now:
                self.teids[tunnel[0]] = tunnel_now[0]
                if tunnel[1] and tunnel_now[1]:
                    self.addresses[tunnel[1]] = tunnel_now[1]
            if ue and ue_now and len(ue) == len(ue_now):
                self.addresses[ue] = ue_now

    def send_frame(self, link, frame):
        l, ip = self.links[link], readdressed(frame[14:], self.address)
        u = datagram(ip)
        if u and u[2] == GTPU:
            b = bytearray(ip)
            teid = struct.unpack_from("!I", b, u[3] + 4)[0] if len(b) >= u[3] + 8 else 0
            if teid in self.teids:
                old, new = bytes(b[u[3] + 4:u[3] + 8]), struct.pack("!I", self.teids[teid])
                b[u[3] + 4:u[3] + 8] = new
                if b[u[3] - 2:u[3]] != b"\0\0":
                    b[u[3] - 2:u[3]] = mended(int.from_bytes(b[u[3] - 2:u[3]], "big"), old, new).to_bytes(2, "big")
            ip = bytes(b)
            g = gtpu(ip[u[3]:])
            if g and g[0] == 255:
                ip = ip[:u[3] + g[3]] + readdressed(ip[u[3] + g[3]:], self.address)
        to = self.next_hop(link, ip)
        if to not in self.macs:
            own = next((a for a in sorted(l.played) if len(a) == len(to)), bytes(len(to)))
            self.macs[to] = l.resolve(to, own)
        l.socket.send((self.macs[to] + l.mac + frame[12:14] + ip).ljust(60, b"\0"))

    def next_hop(self, link, ip):
        if link == "N3":
            return ip[16:20] if ip[0] >> 4 == 4 else ip[24:40]
        via = self.options.n6 if ip[0] >> 4 == 4 else self.options.n6_6 or self.options.n6
        try:
            return ipaddress.ip_address(via).packed
        except ValueError:
            raise CannotTell("%r is no IP address: give the UPF's on N6" % via)

    def beats(self):
        """Whether the UPF lives: it answers a heartbeat, where the case uses N4."""
        sequence = self.next()
        return not CASE["smf"] or self.ask(self.sockets[CASE["smf"][0]], message(1, sequence, ie(96, struct.pack("!I", STARTED))), sequence)

    def reported(self):
        """What the UPF's session reports said now, each once."""
        return [summary(b) for b in {pfcp_header(b)[2]: b for _, b in self.reports}.values()]

    def release(self):
        """Delete the sessions that are left."""
        if not self.seids:
            return
        s = self.sockets[CASE["smf"][0]]
        for seid in self.seids.values():
            s.sendto(message(54, self.next(), b"", seid), (self.options.n4, PFCP))
            time.sleep(0.02)


def created(b):
    """What the UPF chose for each PDR: {PDR: ((TEID, address), UE address)}"""
    found = {}
    for kind, v in walk(b[pfcp_header(b)[3]:]):
        if kind == CREATED_PDR:
            tunnel, ue = first(v, FTEID), first(v, UE_ADDRESS)
            found[first(v, PDR_ID)] = (fteid(tunnel) if tunnel else None, ue[1:5] if ue and ue[0] & 2 and len(ue) >= 5 else None)
    return found


def answers_of(steps):
    """The UPF's answers in the recording, by SMF and sequence number."""
    found = {}
    for _, link, out, _, octets in steps:
        u = datagram(octets[14:]) if link == "N4" and not out else None
        if u:
            b = octets[14 + u[3]:]
            try:
                kind, _, sequence, _ = pfcp_header(b)
            except ValueError:
                continue
            if kind not in (1, 7, 9, 12, SESSION_REPORT):
                found.setdefault((u[1], sequence), b)
    return found


def asked_of(steps):
    """The UPF's own requests in the recording: (SMF, sequence number)."""
    found = set()
    for _, link, out, _, octets in steps:
        u = datagram(octets[14:]) if link == "N4" and not out else None
        if u:
            try:
                kind, _, sequence, _ = pfcp_header(octets[14 + u[3]:])
            except ValueError:
                continue
            if kind in (1, 7, 9, 12, SESSION_REPORT):
                found.add((u[1], sequence))
    return found


def reports_of(steps):
    """What the UPF's session reports said in the recording, each once."""
    seen, found = set(), []
    for _, link, out, _, octets in steps:
        u = datagram(octets[14:]) if link == "N4" and not out else None
        b = octets[14 + u[3]:] if u else b""
        if len(b) >= 16 and b[0] & 1 and b[1] == SESSION_REPORT:
            if pfcp_header(b)[2] not in seen:
                seen.add(pfcp_header(b)[2])
                found.append(summary(b))
    return found


def inner_of(link, frame):
    """The T-PDU that a frame carries."""
    a = Arrival(link, frame)
    return a.inner if link == "N3" else frame[14:14 + length_of(frame[14:])]


def signal_of(link, frame):
    """GTP-U's own messages on N3, in words; "": it is none."""
    ip = frame[14:]
    u = datagram(ip) if link == "N3" else None
    if not u or GTPU not in (u[2], int.from_bytes(ip[u[3] - 8:u[3] - 6], "big")):
        return ""
    g = gtpu(ip[u[3]:length_of(ip)])
    if g and g[0] in (1, 255):  # the UPF asks when it likes
        return ""
    what = "message %d of %d octets" % (g[0], length_of(ip) - u[3]) if g else "a message that cannot be read"
    return "GTP-U %s, from port %d" % (what, int.from_bytes(ip[u[3] - 8:u[3] - 6], "big"))


def signals_of(steps):
    """GTP-U's own messages of the recording, and how long after an answer on N4 they came."""
    found, since = [], 0.0
    for at, link, out, _, octets in steps:
        if link == "N4" and not out:
            since = at
        if not out and (octets.find(RUN) < 0 or not any(RUN)) and signal_of(link, octets):
            found.append(signal_of(link, octets) + delay(at - since))
    return found


def delay(seconds):
    return ", at once" if seconds < 0.5 else ", late"


class Told:
    """What is printed: as much as one reads."""

    def __init__(self):
        self.lines, self.left = [], 0

    def add(self, what, then, now):
        if len(self.lines) < 60:
            self.lines += [what, "  recorded: " + then, "  now:      " + now]
        else:
            self.left += 1

    def show(self):
        for line in self.lines + (["and %d more" % self.left] if self.left else []):
            print(line)


def arrivals_of(steps):
    """What arrived in the recording, by the number of its mark."""
    found = {}
    for _, link, out, _, octets in steps:
        at = octets.find(RUN) if link != "N4" and not out else -1
        if at >= 0:
            found.setdefault(octets[at + 8:at + 16], []).append(Arrival(link, octets))
    return found


# Symptoms of which packets show nothing: of the kernel, of times, and of rates.
UNSEEN = {"kept", "order", "rate", "report-late", "report-time", "report-times", "duration", "change-late", "unanswered"}


def accepts(answer):
    return answer.split(";")[0] == "cause 1"


def judge(replay, rows):
    """What to print, and the verdict, as an exit status and a sentence."""
    told, then, wrong_then, wrong_now, differs = Told(), arrivals_of(STEPS), 0, 0, 0
    compared = len(rows)
    for _, link, out, what, octets in STEPS:
        if not out or link == "N4" or not what:
            continue
        number, compared = octets[octets.find(RUN) + 8:][:8], compared + 1
        sent = inner_of(link, octets)
        now_sent = readdressed(sent, replay.address)
        was, is_ = then.get(number, []), replay.came.get(number, [])
        old, new = [a.words(sent) for a in was], [a.words(now_sent) for a in is_]
        right_then = is_right(what, was, sent, lambda a: a)
        right_now = is_right(what, is_, now_sent, replay.address_text)
        same = [re.sub(r" to \S+", "", w) for w in old] == [re.sub(r" to \S+", "", w) for w in new]
        wrong_then, wrong_now, differs = wrong_then + (not right_then), wrong_now + (not right_now), differs + (not same)
        if not (right_then and right_now and same):
            told.add(what.split(" (mark ")[0], " and ".join(old) or "did not arrive", " and ".join(new) or "did not arrive")
    for name, old, new in rows:
        if old != new:
            differs += 1
            told.add("answer to the " + name, old, new)
    old, new = reports_of(STEPS), replay.reported()
    if old != new:
        differs += 1
        told.add("session reports", " | ".join(old) or "none", " | ".join(new) or "none")
    old, new = signals_of(STEPS), replay.signals
    compared += len(old) + len(reports_of(STEPS))
    if old != new:
        differs += 1
        told.add("GTP-U's own messages", "; ".join(old) or "none", "; ".join(new) or "none")
    if CASE["verdict"] == "died":
        return told, int(not replay.alive), "The UPF " + ("lives: it answers a heartbeat." if replay.alive else "has ended again, or answers nothing any more.")
    if CASE["verdict"] == "refused_wrongly":
        refused = [name for name, then_, now in rows if "cause" in then_ and not accepts(then_) and not accepts(now)]
        return told, int(bool(refused)), "The UPF " + ("refuses again: the " + refused[0] if refused else "accepts what it refused in the recording.")
    if CASE["symptom"] in UNSEEN or not compared:
        return told, 2, "cannot tell: this script does not see what the finding is about"
    due = {w[0] for _, link, out, what, _ in STEPS if out and link != "N4" and what for w in wants(what)}
    for link in sorted(due):
        if any(a.link == link for c in then.values() for a in c) and not any(a.link == link for c in replay.came.values() for a in c):
            return told, 2, "cannot tell: nothing arrives on %s, which was not so in the recording: check addresses and routes" % link
    if wrong_then and wrong_now:
        return told, 1, "The UPF does it again: %d of the packets are wrong, and %d were in the recording." % (wrong_now, wrong_then)
    if wrong_then:
        return told, 0, "The UPF does not do it: what came of each packet is right."
    if differs:
        return told, 2, "cannot tell: what came is not what came in the recording, in which no packet is wrong: see above if it is right now"
    return told, 1, "All that came is as in the recording: the UPF does it again."


def main():
    try:
        load()
    except ValueError as e:
        print("cannot tell: the case in this file cannot be read: %s" % e, file=sys.stderr)
        return 2
    p = argparse.ArgumentParser(description=CASE["title"].replace("%", "%%"), formatter_class=argparse.RawDescriptionHelpFormatter, epilog="""In the recording:
  the UPF      N4 %(upf_n4)s, N3 %(upf_n3)s
  the SMF      %(smf)s, played at --smf
  the gNBs     %(gnbs)s, played on --n3-interface
  the hosts    %(hosts)s, played on --n6-interface
The UPF must send packets for the UEs' hosts to this machine. --map OLD=NEW gives any address of the recording another one.""" %
                                {k: (", ".join(v) if isinstance(v, list) else v).replace("%", "%%") for k, v in CASE.items() if k != "steps"})
    p.add_argument("--n4", required=True, metavar="ADDRESS", help="the UPF's on N4")
    p.add_argument("--n3", required=True, metavar="ADDRESS", help="the UPF's on N3")
    p.add_argument("--n6", required=True, metavar="ADDRESS", help="the UPF's on N6, or the router's towards it")
    p.add_argument("--n6-6", metavar="ADDRESS", help="the same for IPv6")
    p.add_argument("--n3-interface", required=True, metavar="NAME", help="this machine's, to N3")
    p.add_argument("--n6-interface", required=True, metavar="NAME", help="this machine's, to N6")
    p.add_argument("--smf", action="append", metavar="ADDRESS", help="this machine's on N4; a second one for the second SMF of the recording")
    p.add_argument("--gnb", metavar="ADDRESS", help="for the first gNB")
    p.add_argument("--dn", metavar="ADDRESS", help="for the first host of N6")
    p.add_argument("--map", action="append", metavar="OLD=NEW")
    p.add_argument("--patience", type=float, default=1.0, metavar="SECONDS", help="how long to wait for an answer; default 1")
    try:
        replay = Replay(p.parse_args())
        rows = replay.run()
        told, status, verdict = judge(replay, rows)
    except CannotTell as e:
        print("cannot tell: %s" % e, file=sys.stderr)
        return 2
    except OSError as e:
        print("cannot tell: %s" % e, file=sys.stderr)
        return 2
    except Exception as e:  # which would end with the status of a fault that was shown
        traceback.print_exc()
        print("cannot tell: this script failed: %s" % e, file=sys.stderr)
        return 2
    print("%(id)s: %(title)s\nexpected: %(expected)s\nobserved: %(observed)s\n" % CASE)
    told.show()
    print("\n" + verdict)
    return status


STARTED = int(time.time()) + 2208988800  # in NTP seconds

if __name__ == "__main__":
    sys.exit(main())
