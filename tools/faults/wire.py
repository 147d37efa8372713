"""Octets of Ethernet, IPv4, UDP, GTP-U and PFCP. It shares no code with upflab."""

import struct


def u16(n):
    return struct.pack("!H", n & 0xffff)


def u32(n):
    return struct.pack("!I", n & 0xffffffff)


def checksum(b):
    """RFC 1071."""
    b += bytes(len(b) % 2)
    total = sum(struct.unpack("!%dH" % (len(b) // 2), b))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def sealed(ip):
    """An IPv4 packet with the checksum of its header."""
    size = (ip[0] & 15) * 4
    return ip[:10] + u16(checksum(ip[:10] + b"\0\0" + ip[12:size])) + ip[12:]


def finished(octets):
    """A frame with the checksum of UDP or TCP, which a veth's sender leaves to hardware that is not there."""
    ip = octets[14:]
    if octets[12:14] == b"\x08\x00" and len(ip) >= 20:
        at, addresses, protocol, end = (ip[0] & 15) * 4, ip[12:20], ip[9], struct.unpack_from("!H", ip, 2)[0]
    elif octets[12:14] == b"\x86\xdd" and len(ip) >= 40:
        at, addresses, protocol, end = 40, ip[8:40], ip[6], 40 + struct.unpack_from("!H", ip, 4)[0]
    else:
        return octets
    place = at + {17: 6, 6: 16}.get(protocol, 1 << 16)
    if place + 2 > min(end, len(ip)):
        return octets
    body = ip[at:place] + b"\0\0" + ip[place + 2:end]
    total = checksum(addresses + struct.pack("!II", len(body), protocol) + body) or 0xffff
    return octets[:14] + ip[:place] + u16(total) + ip[place + 2:]


class Frame:
    """An Ethernet frame with what it carries. `ip` is None where it is no IPv4."""

    def __init__(self, octets):
        self.octets, self.ip, self.udp = octets, None, None
        if octets[12:14] == b"\x08\x00" and len(octets) >= 34:
            size, length = (octets[14] & 15) * 4, struct.unpack_from("!H", octets, 16)[0]
            if not 20 <= size <= length <= len(octets) - 14:
                return  # no IPv4 that can be altered
            self.ip = octets[14:14 + length]
            fragment = struct.unpack_from("!H", self.ip, 6)[0] & 0x3fff
            if self.ip[9] == 17 and not fragment and len(self.ip) >= size + 8:
                self.udp = size

    def ports(self):
        return struct.unpack_from("!HH", self.ip, self.udp) if self.udp else (0, 0)

    def payload(self):
        """What UDP carries."""
        return self.ip[self.udp + 8:]

    def with_ip(self, ip):
        return self.octets[:14] + ip

    def with_payload(self, b):
        """Another payload of UDP, with lengths to match and no UDP checksum."""
        ip = self.ip[:self.udp + 4] + u16(8 + len(b)) + b"\0\0" + b
        return self.with_ip(sealed(ip[:2] + u16(len(ip)) + ip[4:]))

    def gtpu(self):
        """The GTP-U message on N3, or None."""
        b = self.payload() if self.udp and 2152 in self.ports() else b""
        return b if len(b) >= 8 and b[0] >> 5 == 1 else None

    def pfcp(self):
        """The PFCP message on N4, or None."""
        b = self.payload() if self.udp and 8805 in self.ports() else b""
        return b if len(b) >= 8 and b[0] >> 5 == 1 else None


def header_of(g):
    """The octets of a GTP-U message before its T-PDU."""
    if not g[0] & 7:
        return 8
    at, after = 12, g[11] if g[0] & 4 else 0
    while after and at < len(g) and g[at]:
        after, at = g[at + 4 * g[at] - 1], at + 4 * g[at]
    return at


def has_container(g):
    """Whether a PDU session container of four octets is the first extension header."""
    return bool(g[0] & 4) and len(g) > 15 and g[11] == 0x85 and g[12] == 1


# Grouped IEs (TS 29.244 clause 8.1.2).
GROUPED = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 77, 78, 79, 80, 83, 85, 86, 87, 99, 102, 105, 127, 128, 129}


def header_size(m):
    return 16 if m[0] & 1 else 8


def sequence(m):
    at = header_size(m) - 4
    return int.from_bytes(m[at:at + 3], "big")


def with_sequence(m, n):
    at = header_size(m) - 4
    return m[:at] + (n & 0xffffff).to_bytes(3, "big") + m[at + 3:]


def elements(b):
    found, at = [], 0
    while at + 4 <= len(b):
        kind, size = struct.unpack_from("!HH", b, at)
        found.append((kind, b[at + 4:at + 4 + size]))
        at += 4 + size
    return found


def joined(list_):
    return b"".join(u16(kind) + u16(len(value)) + value for kind, value in list_)


def with_elements(m, b):
    """A PFCP message with other IEs."""
    head = m[:header_size(m)]
    return head[:2] + u16(len(head) - 4 + len(b)) + head[4:] + b


def edited(b, change, within=()):
    """IEs as change(type, value, groups) has them: octets, False to leave one out, or None for as it is."""
    out = []
    for kind, value in elements(b):
        new = change(kind, value, within)
        if new is False:
            continue
        if new is not None:
            value = new
        elif kind in GROUPED:
            value = edited(value, change, within + (kind,))
        out.append((kind, value))
    return joined(out)
