#!/usr/bin/env python3
"""Writes the expected bytes of the GTP-U tests, as scapy builds them.

Run in this folder: python3 gen.py > messages.txt
A line is a name and the message in hex."""
from scapy.all import IP, UDP, Raw
from scapy.contrib.gtp import (GTP_U_Header, GTPEchoRequest, GTPEchoResponse,
    GTPErrorIndication, GTPPDUSessionContainer, IE_Recovery,
    IE_TEIDI, IE_GSNAddress, GTP_UDPPort_ExtensionHeader)

inner = IP(src="10.45.0.2", dst="198.51.100.1", ttl=64, id=1) / UDP(sport=1234, dport=1234) / Raw(b"upflab")

MESSAGES = {
    "gpdu-plain": GTP_U_Header(teid=0x11223344) / inner,
    "gpdu-uplink-qfi-1": GTP_U_Header(teid=1) / GTPPDUSessionContainer(type=1, QFI=1) / inner,
    "gpdu-downlink-qfi-9": GTP_U_Header(teid=2) / GTPPDUSessionContainer(type=0, QFI=9) / inner,
    "gpdu-downlink-qfi-9-rqi": GTP_U_Header(teid=2) / GTPPDUSessionContainer(type=0, QFI=9, RQI=1) / inner,
    "gpdu-sequence": GTP_U_Header(teid=3, S=1, seq=0xBEEF) / inner,
    "gpdu-npdu": GTP_U_Header(teid=3, PN=1, npdu=7) / inner,
    "gpdu-two-extensions": GTP_U_Header(teid=4, gtp_type=255, E=1, next_ex=0x40)
        / GTP_UDPPort_ExtensionHeader(udp_port=2152, next_ex=0x85)
        / GTPPDUSessionContainer(type=1, QFI=5) / inner,
    "gpdu-container-with-delays": GTP_U_Header(teid=5)
        / GTPPDUSessionContainer(type=1, QFI=6, QMP=1, SNP=1, dlSendTimeRpt=1, dlRecvTime=2, ulSendTime=3, UlQFISeqNum=4,
                                 padding=b"\0" * 3 + b"") / inner,
    "echo-request": GTP_U_Header(teid=0, S=1, seq=0x1234) / GTPEchoRequest(),
    "echo-response": GTP_U_Header(teid=0, S=1, seq=0x1234) / GTPEchoResponse(IE_list=[IE_Recovery(restart_counter=0)]),
    "end-marker": GTP_U_Header(teid=0x55, gtp_type=254),
    "error-indication": GTP_U_Header(teid=0, S=1, seq=0)
        / GTPErrorIndication(IE_list=[IE_TEIDI(TEIDI=0x11223344), IE_GSNAddress(ietype=133, length=4, ipv4_address="192.0.2.1")]),
    "inner": inner,
}

for name, message in MESSAGES.items():
    print(name, bytes(message).hex())
