#!/usr/bin/env python3
"""Writes messages.txt: PFCP messages that scapy encodes, one a line:
name, type, SEID (or -), sequence number, length of the IEs, octets.

    python3 gen.py > messages.txt
"""
from scapy.contrib.pfcp import *

SEID = 0x1122334455667788


def node(seq, body):
    return PFCP(version=1, S=0, seq=seq) / body


def session(seq, body, seid=SEID):
    return PFCP(version=1, S=1, seid=seid, seq=seq) / body


STAMP = IE_RecoveryTimeStamp(timestamp=3958000000)
NODE = IE_NodeId(id_type=0, ipv4="10.10.1.1")
MESSAGES = {
    "heartbeat-request": node(1, PFCPHeartbeatRequest(IE_list=[STAMP])),
    "heartbeat-response": node(0xFFFFFF, PFCPHeartbeatResponse(IE_list=[STAMP])),
    "association-setup-request": node(2, PFCPAssociationSetupRequest(IE_list=[NODE, STAMP])),
    "association-release-request": node(3, PFCPAssociationReleaseRequest(IE_list=[NODE])),
    "version-not-supported": node(4, PFCPVersionNotSupportedResponse()),
    "session-deletion-request": session(5, PFCPSessionDeletionRequest()),
    "session-deletion-response": session(5, PFCPSessionDeletionResponse(IE_list=[IE_Cause(cause=1)]), seid=7),
    "session-report-request": session(0xABCDEF, PFCPSessionReportRequest(IE_list=[IE_ReportType(DLDR=1)])),
}
for name, message in MESSAGES.items():
    octets = bytes(message)
    seid = hex(message.seid) if message.S else "-"
    print(name, octets[1], seid, message.seq, len(octets) - (16 if message.S else 8), octets.hex())
