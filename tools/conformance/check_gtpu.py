"""GTP-U signalling and N9 (TS 29.281 clauses 5.2, 7.2, 7.3; TS 38.415 clause 5.5.2)."""

from scapy.contrib.gtp import GTPEchoRequest, GTPHeader

from outcome import check, same, table, true
from world import *


def asked(b, octets, kind, port=2152):
    """What the UPF answers a GTP-U message with: the frame with GTP-U of that type to the port; None."""
    outer = b.outer()
    outer[UDP].sport = port
    since = b.n3.count()
    b.n3.send(outer / Raw(octets))
    return b.n3.find(b.to_gnb(kind=kind, port=port), since, b.patience)


@check("gtpu.echo", "29.281 7.2.1, 7.2.2", "an Echo Request is answered with its sequence number and Recovery, to its port")
def _(b):
    found = asked(b, raw(GTPHeader(gtp_type=1, teid=0, S=1, seq=0x1234) / GTPEchoRequest()), 2, port=34567)
    true(found is not None, "no Echo Response")
    same("the addresses and ports", (found.parsed()[IP].src, found.parsed()[UDP].sport, found.parsed()[UDP].dport), (b.a.n3, 2152, 34567))
    octets = raw(found.parsed()[UDP])[8:found.parsed()[UDP].len]
    same("the sequence number", octets[8:10].hex(), "1234")
    same("the TEID", octets[4:8].hex(), "00000000")
    same("Recovery", octets[12:14].hex(), "0e00")


@check("gtpu.error-indication", "29.281 7.3.1", "a G-PDU of an unknown TEID is answered with an Error Indication that names TEID and address")
def _(b):
    packet = b.plain.packet()
    found = asked(b, raw(b.plain.gpdu(packet, teid=0x7ffffff1)[UDP])[8:], 26)
    true(found is not None, "no Error Indication")
    octets = raw(found.parsed()[UDP])[8:found.parsed()[UDP].len]
    same("the header's TEID", octets[4:8].hex(), "00000000")
    true(bytes([16]) + struct.pack("!I", 0x7ffffff1) in octets[8:], "no TEID Data I of the G-PDU: %s" % octets.hex())
    true(bytes([133, 0, 4]) + socket.inet_aton(b.a.n3) in octets[8:], "no GTP-U Peer Address of the UPF: %s" % octets.hex())


@check("gtpu.error-indication.deleted", "29.281 7.3.1", "a G-PDU of a session that is deleted is answered with an Error Indication")
def _(b):
    u = b.user().open()
    u.close()
    true(asked(b, raw(u.gpdu(u.packet())[UDP])[8:], 26) is not None, "no Error Indication")


@check("gtpu.error-indication.received", "29.244 7.5.8.4, 23.527 5.3.2", "an Error Indication from a gNB is reported to the SMF, with the tunnel's F-TEID")
def _(b):
    u = b.user().open()
    u.passes_down()
    body = bytes([16]) + struct.pack("!I", u.gnb_teid) + bytes([133, 0, 4]) + socket.inet_aton(u.gnb)
    b.n3.send(b.outer() / Raw(struct.pack("!BBHIHBB", 0x32, 26, 4 + len(body), 0, 0, 0, 0) + body))
    report = u.smf.report(lambda m: first(m.payload, IE_ReportType).ERIR, u.seid, b.patience + 1)
    true(report is not None, "no Session Report Request with ERIR")
    fteid = first(first(report.payload, IE_ErrorIndicationReport), IE_FTEID)
    same("the F-TEID", (fteid.TEID, fteid.ipv4), (u.gnb_teid, u.gnb))
    u.close()


@check("gtpu.extension.unknown", "29.281 5.2.1, 7.2.3", "a G-PDU with an unknown extension header that has to be understood is not forwarded, and answered")
def _(b):
    packet = b.plain.packet()
    octets = struct.pack("!BBHIHBB", 0x34, 255, 8 + len(raw(packet)), b.plain.teid, 0, 0, 0xff) + bytes([1, 0, 0, 0]) + raw(packet)
    found = asked(b, octets, 31)
    b.absent(b.n6, mark_of(packet))
    true(found is not None, "no Supported Extension Headers Notification")


@check("gtpu.extension.optional", "29.281 5.2.1", "a G-PDU with an unknown extension header that need not be understood is forwarded")
def _(b):
    packet = b.plain.packet()
    since = b.n6.count()
    b.n3.send(b.outer() / Raw(struct.pack("!BBHIHBB", 0x34, 255, 8 + len(raw(packet)), b.plain.teid, 0, 0, 0x1f) + bytes([1, 0, 0, 0]) + raw(packet)))
    b.plain.arrived(packet, since)


@check("gtpu.version", "29.281 5.1", "a message of GTP version 2 to the port is not answered as if it were version 1")
def _(b):
    b.patience, patience = 0.3, b.patience
    try:
        true(asked(b, struct.pack("!BBHIHBB", 0x52, 1, 4, 0, 7, 0, 0), 2) is None, "an Echo Response of version 1 came")
    finally:
        b.patience = patience


def relay(b):
    """An intermediate UPF's session: from a gNB's tunnel into an anchor's on N9, or back."""
    b.need(b.a.gnb2, "--gnb2")
    u = b.user()
    u.choose = False
    back = u.teid + 0x00100000
    u.anchor_teid, u.back = 0x11000000 + u.gnb_teid % 0x10000, back
    to_anchor = IE_CreateFAR(IE_list=[IE_FAR_Id(id=1), action(FORW=1), IE_ForwardingParameters(IE_list=[IE_DestinationInterface(interface=1), *u.instance(),
        IE_OuterHeaderCreation(GTPUUDPIPV4=1, TEID=u.anchor_teid, ipv4=b.a.gnb2)])])
    from_anchor = IE_CreatePDR(IE_list=[IE_PDR_Id(id=2), IE_Precedence(precedence=100), IE_PDI(IE_list=[IE_SourceInterface(interface=1), IE_FTEID(V4=1, TEID=back, ipv4=b.a.n3), *u.instance()]),
        IE_OuterHeaderRemoval(header=0), IE_FAR_Id(id=2)])
    return u.establish([u.up(qers=(), address=False), from_anchor, to_anchor, u.to_access()])


CONTAINERS = {
    "plain": (False, dict(type=1, QFI=7)), "qmp": (False, dict(type=1, QFI=7, QMP=1, dlSendTimeRpt=0x1122334455667788, dlRecvTime=0x2233445566778899, ulSendTime=0x33445566778899aa)),
    "sequence": (False, dict(type=1, QFI=7, SNP=1, UlQFISeqNum=0x123456)), "delay": (False, dict(type=1, QFI=7, dlDelayInd=1, ulDelayInd=1, dlDelayRslt=0x1234, ulDelayRslt=0x5678)),
    "dl-plain": (True, dict(type=0, QFI=7)), "rqi": (True, dict(type=0, QFI=7, RQI=1)), "ppi": (True, dict(type=0, QFI=7, PPP=1, PPI=5)),
    "dl-qmp": (True, dict(type=0, QFI=7, QMP=1, dlSendTime=0x1122334455667788)), "dl-sequence": (True, dict(type=0, QFI=7, SNP=1, dlQFISeqNum=0x123456)),
}


@table([("n9.container.%s" % name, "an I-UPF passes the PDU session container on as it came: %s" % ", ".join(k for k in fields if k != "type"), down, fields) for name, (down, fields) in CONTAINERS.items()], "38.415 5.5.2, 23.501 5.8.2", optional=True)
def _(b, down, fields):
    u = relay(b)
    packet = u.packet(down=down)
    container = GTPPDUSessionContainer(**fields)
    since = b.n3.count()
    gnb, teid = (b.a.gnb, u.gnb_teid) if down else (b.a.gnb2, u.anchor_teid)
    u.send_up(packet, teid=u.back if down else u.teid, container=container, outer=b.outer(b.a.gnb2 if down else b.a.gnb))
    found = b.n3.find(b.has(mark_of(packet)), since, b.patience)
    true(found, "a packet did not come out of N9")
    head, inside = u.opened(found, gnb)
    same("the TEID", head.teid, teid)
    got = raw(found.parsed()[UDP])[8 + 12:][:len(raw(container))].hex()
    same("the container", got, raw(container).hex())
    same("the T-PDU", inside.hex(), raw(packet).hex())
    u.close()


@check("n9.end-marker", "23.501 5.8.3, 29.281 7.3.2", "an I-UPF passes an End Marker on into the tunnel that its packets go into", optional=True)
def _(b):
    u = relay(b)
    since = b.n3.count()
    b.n3.send(b.outer(b.a.gnb2) / Raw(struct.pack("!BBHI", 0x30, 254, 0, u.back)))
    true(b.n3.find(b.to_gnb(b.a.gnb, 254, u.gnb_teid), since, b.patience), "no End Marker in the gNB's tunnel")
    u.close()
