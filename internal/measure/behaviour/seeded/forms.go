package seeded

import (
	"encoding/binary"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// forms are faults in what a message has besides its values, and in what a look at round values and one order misses.
func forms() []Fault {
	signal := func(typ gtpu.MessageType, change func(m []byte) []byte) func([]byte) []byte {
		return func(m []byte) []byte {
			if gtpu.MessageType(m[1]) != typ {
				return m
			}
			return change(append([]byte(nil), m...))
		}
	}
	report := func(value func(byte) byte) func([]byte) []byte {
		return func(m []byte) []byte {
			return ies(m, func(typ uint16, v []byte) []byte {
				if typ == ie.ReportType {
					return []byte{value(v[0])}
				}
				return v
			})
		}
	}
	const usage = ie.UsageReportWithinSessionModificationResponse
	return []Fault{
		{Name: "volumes are rounded down to hundreds of octets", Row: "urr.volume",
			Answer: numbers(ie.VolumeMeasurement, func(n uint64) uint64 { return n - n%100 })},
		{Name: "of a PDR's QERs the last alone counts", Row: "qer.gate.any-of-several",
			Rules: pdrs(func(p *session.PDR) { p.QERs = p.QERs[max(0, len(p.QERs)-1):] })},
		{Name: "the second PDR of a CHOOSE ID gets another F-TEID", Row: "fteid.choose-id", Answer: secondTEID},
		{Name: "usage reports in answers to deletions are the IE of modifications", Row: "n4.report.form", Also: []string{"urr.volume.downlink"},
			Answer: retyped(pfcp.SessionDeletionResponse, ie.UsageReportWithinSessionDeletionResponse, usage)},
		{Name: "usage reports in session reports are the IE of modifications", Row: "n4.report.form",
			Answer: retyped(pfcp.SessionReportRequest, ie.UsageReportWithinSessionReportRequest, usage)},
		{Name: "session reports have no Report Type", Row: "n4.report.form", Answer: without(pfcp.SessionReportRequest, ie.ReportType)},
		{Name: "session reports of usage say that they are of downlink data, too", Row: "n4.report.form",
			Answer: report(func(b byte) byte { return b | b>>1&1 })},
		{Name: "usage reports have no UR-SEQN", Row: "n4.report.form", Also: []string{"urr.volume.downlink"},
			Answer: without(0, ie.URSEQN)},
		{Name: "what is about an unknown session is answered to SEID 7", Row: "session.unknown.modify", Also: []string{"session.unknown.delete"},
			Answer: func(m []byte) []byte {
				if c := at(m, ie.Cause); c > 0 && m[c] == ie.CauseSessionContextNotFound {
					binary.BigEndian.PutUint64(m[4:], 7)
				}
				return m
			}},
		{Name: "uplink packets of odd lengths are lost", Row: "ip.exact.uplink",
			Arriving: func(_ int, uplink bool, ip []byte) bool { return !uplink || binary.BigEndian.Uint16(ip[2:])%2 == 0 }},
		{Name: "the mask of a type of service is ignored", Row: "pdr.sdf.tos.uplink", Also: []string{"pdr.sdf.tos.downlink"},
			Rules: filters(func(f *session.Filter) {
				if f.TOSMask != 0 {
					f.TOSMask = 0xff
				}
			})},
		{Name: "End Markers have 20 octets that are no IE", Row: "far.end-marker",
			Signal: signal(gtpu.EndMarker, func(m []byte) []byte {
				m = append(m, make([]byte, 20)...)
				binary.BigEndian.PutUint16(m[2:], binary.BigEndian.Uint16(m[2:])+20)
				return m
			})},
		{Name: "an Error Indication has no sequence number", Row: "gtpu.error-indication",
			Signal: signal(gtpu.ErrorIndication, func(m []byte) []byte {
				const plain, options = 8, 4
				m = append(m[:plain:plain], m[plain+options:]...)
				m[0] &^= 7
				binary.BigEndian.PutUint16(m[2:], binary.BigEndian.Uint16(m[2:])-options)
				return m
			})},
		{Name: "an Echo Response has the Restart Counter 7", Row: "gtpu.echo.recovery",
			Signal: signal(gtpu.EchoResponse, func(m []byte) []byte { m[len(m)-1] = 7; return m })},
		{Name: "ICMP errors have a wrong checksum", Row: "ip.ttl.answered.uplink",
			Also: []string{"ip.ttl.answered.downlink", "ip.mtu.too-big.uplink", "ip.mtu.too-big"},
			ICMP: func(message []byte) { message[2] ^= 1 }},
	}
}

// secondTEID changes the TEID of the second Created PDR of an answer.
func secondTEID(m []byte) []byte {
	n := 0
	return ies(m, func(typ uint16, v []byte) []byte {
		if typ != ie.CreatedPDR || pfcp.MessageType(m[1]) != pfcp.SessionEstablishmentResponse {
			return v
		}
		if n++; n != 2 {
			return v
		}
		return changed(v, func(typ uint16, v []byte) []byte {
			if typ == ie.FTEID {
				v = append([]byte(nil), v...)
				v[4] ^= 1
			}
			return v
		})
	})
}
