package seeded

import (
	"encoding/binary"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// last changes the last octet of an IE in answers to establishments.
func last(typ uint16) func([]byte) []byte {
	return func(m []byte) []byte {
		if at := at(m, typ); pfcp.MessageType(m[1]) == pfcp.SessionEstablishmentResponse && at > 0 {
			m[at-1+int(binary.BigEndian.Uint16(m[at-2:]))] ^= 0x40
		}
		return m
	}
}

// misnamed are faults in what names a session, a request or a tunnel: what is due comes, but cannot be told from what is
// not.
func misnamed() []Fault {
	const seid, sequence = 4, 12 // where a header has its SEID, and after it the sequence number
	other := func(typ pfcp.MessageType, change func(m []byte)) func([]byte) []byte {
		return func(m []byte) []byte {
			if pfcp.MessageType(m[1]) == typ {
				change(m)
			}
			return m
		}
	}
	signal := func(typ gtpu.MessageType, change func(m []byte)) func([]byte) []byte {
		return func(m []byte) []byte {
			if gtpu.MessageType(m[1]) == typ {
				change(m)
			}
			return m
		}
	}
	return []Fault{
		{Name: "modifications are answered to another SEID", Row: "session.answer.seid", Also: []string{"n4.fseid.modify"},
			Answer: other(pfcp.SessionModificationResponse, func(m []byte) { m[seid] ^= 0x40 })},
		{Name: "session reports go to another SEID", Row: "n4.report.seid",
			Also: []string{"far.notify", "far.buffer.idle", "urr.threshold.volume", "urr.threshold.direction", "urr.threshold.time", "urr.quota.volume",
				"urr.quota.renewed", "urr.periodic", "urr.start", "urr.quota.time", "gtpu.error-indication.reported", "n4.fseid.modify",
				"session.modify.update-urr", "urr.report.once"},
			Answer: other(pfcp.SessionReportRequest, func(m []byte) { m[seid] ^= 0x40 })},
		{Name: "heartbeats are answered with another sequence number", Row: "n4.heartbeat",
			Also: []string{"n4.recovery.same", "n4.recovery.newer", "n4.short-ie", "n4.garbage"},
			Answer: other(pfcp.HeartbeatResponse, func(m []byte) {
				const sequence = 4 // without a SEID
				m[sequence] ^= 0x40
			})},
		{Name: "an F-TEID that was chosen has another address", Row: "fteid.choose", Also: []string{"fteid.unique", "scas.teid-unique"},
			Answer: func(m []byte) []byte {
				const address = 6 + 4 + 1 + 4 // behind the PDR ID, the IE's header, its flags and the TEID
				if group := at(m, ie.CreatedPDR); pfcp.MessageType(m[1]) == pfcp.SessionEstablishmentResponse && group > 0 && group+address+4 <= len(m) {
					m[group+address+3] ^= 0x40
				}
				return m
			}, Elsewhere: true},
		{Name: "an Echo Response has the sequence number 0", Row: "gtpu.echo",
			Signal: signal(gtpu.EchoResponse, func(m []byte) { m[8], m[9] = 0, 0 })},
		{Name: "an Error Indication has another TEID", Row: "gtpu.error-indication",
			Signal: signal(gtpu.ErrorIndication, func(m []byte) { m[16] ^= 1 })},
		{Name: "an Error Indication has another address", Row: "gtpu.error-indication",
			Signal: signal(gtpu.ErrorIndication, func(m []byte) { m[len(m)-1] ^= 1 })},
		{Name: "the End Marker is in another tunnel", Row: "far.end-marker", Also: []string{"far.end-marker.last"},
			Signal: signal(gtpu.EndMarker, func(m []byte) { binary.BigEndian.PutUint32(m[4:], binary.BigEndian.Uint32(m[4:])+1) })},
		{Name: "answers come from another port", Row: "n4.answer.port", AnswersFrom: 9999},
		{Name: "an Echo Response comes from another port", Row: "gtpu.echo", EchoesFrom: 9999},
		{Name: "the header of an Error Indication has a TEID", Row: "gtpu.error-indication",
			Signal: signal(gtpu.ErrorIndication, func(m []byte) { m[7] = 5 })},
		{Name: "an error indication report names another tunnel", Row: "gtpu.error-indication.reported",
			Answer: func(m []byte) []byte {
				return ies(m, func(typ uint16, v []byte) []byte {
					if v = append([]byte(nil), v...); typ == ie.FTEID && pfcp.MessageType(m[1]) == pfcp.SessionReportRequest {
						v[4] ^= 1
					}
					return v
				})
			}},
		{Name: "refusals name no Offending IE", Row: "n4.missing-ie", Answer: without(0, ie.OffendingIE)},
		{Name: "refusals name no Failed Rule ID", Row: "session.modify.unknown-far",
			Also: []string{"session.modify.unknown-pdr", "session.atomic.modify", "session.atomic.establish"}, Answer: without(0, ie.FailedRuleID)},
		{Name: "establishments are answered without a Node ID", Row: "session.answer.node",
			Answer: without(pfcp.SessionEstablishmentResponse, ie.NodeID)},
		{Name: "establishments are answered with another Node ID", Row: "session.answer.node", Answer: last(ie.NodeID)},
		{Name: "the UP F-SEID has the address 0.0.0.0", Row: "session.answer.node",
			Answer: other(pfcp.SessionEstablishmentResponse, func(m []byte) {
				const address = 1 + 8 // behind the flags and the SEID
				if value := at(m, ie.FSEID); value > 0 {
					clear(m[value+address:][:4])
				}
			})},
		{Name: "a Created PDR names another PDR", Row: "fteid.choose", Also: []string{"fteid.unique", "scas.teid-unique"},
			Answer: func(m []byte) []byte {
				if group := at(m, ie.CreatedPDR); pfcp.MessageType(m[1]) == pfcp.SessionEstablishmentResponse && group > 0 {
					m[group+5] += 40
				}
				return m
			}},
		{Name: "the End Marker is 3 s late", Row: "far.end-marker.prompt", MarkerAfter: 3 * time.Second},
		{Name: "the End Marker is 1.2 s late", Row: "far.end-marker.prompt", Also: []string{"far.end-marker.last"},
			MarkerAfter: 1200 * time.Millisecond},
	}
}
