"""The SMF: PFCP by scapy. It answers what the UPF asks, and keeps it."""

import socket
import threading
import time

from scapy.all import raw
from scapy.contrib.pfcp import *

from outcome import CannotBegin, Refused, Wrong

REQUESTS = {1: PFCPHeartbeatResponse, 5: None, 9: PFCPAssociationReleaseResponse, 12: PFCPNodeReportResponse, 56: PFCPSessionReportResponse}
ACCEPTED = 1


def first(message, kind):
    """The first IE of a kind in a message, at any depth; None."""
    for ie in getattr(message, "IE_list", None) or []:
        found = ie if isinstance(ie, kind) else first(ie, kind)
        if found is not None:
            return found
    return None


def every(message, kind):
    """All IEs of a kind directly in a message or a grouped IE."""
    return [ie for ie in getattr(message, "IE_list", None) or [] if isinstance(ie, kind)]


class SMF:
    """One address that associations and sessions are set up from. `recovery` is its start, in NTP seconds."""

    def __init__(self, address, upf, patience):
        self.address, self.upf, self.patience = address, upf, patience
        self.recovery = int(time.time()) + 2208988800
        self.seq, self.answers, self.asked, self.unread = 0x1000, {}, [], []
        self.news = threading.Condition()
        self.quiet = False  # it does not answer reports
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self.socket.bind((address, 8805))
        except OSError as e:
            raise CannotBegin("cannot listen at %s port 8805 for PFCP (%s): give an address that this machine has" % (address, e))
        threading.Thread(target=self._receive, daemon=True).start()

    def node(self):
        return IE_NodeId(id_type=1, ipv6=self.address) if ":" in self.address else IE_NodeId(id_type=0, ipv4=self.address)

    def fseid(self, seid):
        return IE_FSEID(v6=1, seid=seid, ipv6=self.address) if ":" in self.address else IE_FSEID(v4=1, seid=seid, ipv4=self.address)

    def _receive(self):
        while True:
            octets, sender = self.socket.recvfrom(65536)
            try:
                message = PFCP(octets)
                self._take(message)
            except Exception as e:  # kept, for the check that runs to fail; the next message may be good
                with self.news:
                    self.unread.append("the UPF sent a message that cannot be read (%s): %s" % (e, octets.hex()))
                continue
            if message.message_type in REQUESTS and not self.quiet:
                try:
                    self._answer(message, sender)
                except OSError:
                    pass  # the UPF asks again

    def taken(self):
        """What was wrong with messages that could not be read, which the SMF then forgets."""
        with self.news:
            unread, self.unread = self.unread, []
            return unread

    def _take(self, message):
        with self.news:
            if message.message_type in REQUESTS:
                self.asked.append((time.monotonic(), message))
            else:
                self.answers.setdefault(message.seq, []).append(message)
            self.news.notify_all()

    def _answer(self, message, sender):
        kind = REQUESTS[message.message_type]
        if kind is None:
            return
        ies = {1: [IE_RecoveryTimeStamp(timestamp=self.recovery)], 12: [self.node(), IE_Cause(cause=1)], 56: [IE_Cause(cause=1)], 9: [self.node(), IE_Cause(cause=1)]}
        head = PFCP(S=message.S, seq=message.seq)
        if message.S:
            head.seid = SEIDS.get(message.seid, 0)
        self.socket.sendto(raw(head / kind(IE_list=ies[message.message_type])), sender)

    def next(self):
        self.seq += 1
        return self.seq

    def send(self, octets):
        self.socket.sendto(octets, (self.upf, 8805))

    def ask(self, message, seid=None, seq=None):
        """The answer to a request, repeated as TS 29.244 clause 6.4 asks; Wrong when there is none."""
        seq = seq or self.next()
        octets = message if isinstance(message, bytes) else raw(PFCP(S=int(seid is not None), seid=seid or 0, seq=seq) / message)
        for _ in range(3):
            self.send(octets)
            answer = self.answer(seq, self.patience)
            if answer is not None:
                return answer
        raise Wrong("no answer to three requests")

    def answer(self, seq, seconds, number=1):
        with self.news:
            self.news.wait_for(lambda: len(self.answers.get(seq, [])) >= number, seconds)
            return (self.answers.get(seq, []) + [None] * number)[number - 1]

    def reports(self, seid, since=0):
        """Session Report Requests of the UPF, of one of our SEIDs."""
        with self.news:
            return [m for _, m in self.asked[since:] if m.message_type == 56 and m.seid == seid]

    def report(self, wanted, seid, seconds, since=0):
        """The first session report for which wanted(report) holds; None."""
        with self.news:
            self.news.wait_for(lambda: any(wanted(m) for m in self.reports(seid, since)), seconds)
            return next((m for m in self.reports(seid, since) if wanted(m)), None)

    def reported(self, number, seid, seconds):
        """Whether so many session reports come within so long."""
        with self.news:
            return self.news.wait_for(lambda: len(self.reports(seid)) >= number, seconds)

    def associate(self, *more):
        answer = self.ask(PFCPAssociationSetupRequest(IE_list=[self.node(), IE_RecoveryTimeStamp(timestamp=self.recovery), *more]))
        cause_is(answer, ACCEPTED)
        return answer


# SEIDS are the UPF's by ours, for answers to its reports.
SEIDS = {}


def cause(answer):
    found = first(answer.payload, IE_Cause)
    return found.cause if found is not None else None


def story(answer):
    """A refusal in words: its cause, and what the UPF blames."""
    ie, rule = first(answer.payload, IE_OffendingIE), first(answer.payload, IE_FailedRuleId)
    words = "cause %s" % cause(answer)
    if ie is not None:
        words += ", Offending IE %d" % ie.type
    if rule is not None:
        words += ", Failed Rule ID %s %s" % (["PDR", "FAR", "QER", "URR", "BAR"][min(rule.type, 4)], rule.fields.get(["pdr_id", "far_id", "qer_id", "urr_id", "bar_id"][min(rule.type, 4)]))
    return words


def cause_is(answer, wanted):
    if cause(answer) == wanted:
        return
    if wanted == ACCEPTED:
        raise Refused(story(answer))
    raise Wrong(story(answer) if cause(answer) != ACCEPTED else "accepted")
