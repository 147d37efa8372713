package smf

import (
	"fmt"
	"strings"
	"sync"

	"github.com/upflab/upflab/internal/record"
)

// The codes that a record.N4Finding can have.
const (
	FindingSEIDWrong    = "answer_seid_wrong"
	FindingSEIDMissing  = "answer_seid_missing"
	FindingUPSEIDReused = "up_seid_reused"
	FindingFTEIDReused  = "f_teid_reused"
	FindingSequence     = "answer_sequence_wrong"
	FindingType         = "answer_type_wrong"
	FindingAddress      = "answer_address_wrong"
	FindingPort         = "answer_port_wrong"
	FindingDoubled      = "answer_doubled"
	FindingUnasked      = "answer_unasked"
	FindingRepeated     = "request_repeated"
	FindingMalformed    = "malformed"
	FindingRestarted    = "restarted"
)

// sentences describe the findings, in the order in which they are reported.
var sentences = [...]struct{ code, text string }{
	{FindingSEIDWrong, "Its PFCP answers have a SEID that is not the SMF's of the session (TS 29.244 clause 7.2.2.4.2)"},
	{FindingSEIDMissing, "Its PFCP answers about a session have no SEID (TS 29.244 clause 7.2.2.4.2)"},
	{FindingUPSEIDReused, "It gave one UP SEID to several sessions (TS 29.244 clause 8.2.37)"},
	{FindingFTEIDReused, "It gave one F-TEID to several sessions (TS 29.244 clause 5.5)"},
	{FindingSequence, "Its PFCP answers have a sequence number of no request (TS 29.244 clause 6.4)"},
	{FindingType, "Its PFCP answers have a message type that is not the request's plus one (TS 29.244 clause 7.3)"},
	{FindingAddress, "Its PFCP answers came from another address than the one asked (TS 29.244 clause 4.4)"},
	{FindingPort, "Its PFCP answers came from another port than the one asked (TS 29.244 clause 4.4)"},
	{FindingDoubled, "It answered PFCP requests more often than they were sent (TS 29.244 clause 6.4)"},
	{FindingUnasked, "It sent PFCP answers to requests that were not made"},
	{FindingRepeated, "It answered PFCP requests only after they were sent again"},
	{FindingMalformed, "It sent datagrams on N4 that are not PFCP messages"},
	{FindingRestarted, "Its Recovery Time Stamp moved on: it restarted, and its sessions were lost"},
}

// FindingKind returns the sentence that describes a finding's code, without its count.
func FindingKind(code string) string {
	for _, s := range sentences {
		if s.code == code {
			return s.text
		}
	}
	return code
}

// FindingRemark writes a finding as a line of a report.
func FindingRemark(f record.N4Finding) string {
	times := "once"
	if f.Count > 1 {
		times = fmt.Sprintf("%d times", f.Count)
	}
	return fmt.Sprintf("%s: %s; first: %s.", FindingKind(f.Code), times, f.Example)
}

// maxExample bounds an example's text, which may quote a peer, in octets.
const maxExample = 200

// findings collects what a UPF did wrong. It may be used from several goroutines.
type findings struct {
	mu     sync.Mutex
	byCode map[string]*record.N4Finding
}

// add counts a finding. The first of its kind is kept as the example.
func (f *findings) add(code, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := f.byCode[code]; known != nil {
		known.Count++
		return
	}
	if f.byCode == nil {
		f.byCode = map[string]*record.N4Finding{}
	}
	example := strings.ToValidUTF8(fmt.Sprintf(format, args...), "?")
	f.byCode[code] = &record.N4Finding{Code: code, Count: 1, Example: example[:min(len(example), maxExample)]}
}

// Findings lists what the UPF did wrong since Dial, one for each kind.
func (c *peering) Findings() []record.N4Finding {
	f := &c.findings
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []record.N4Finding
	for _, s := range sentences {
		if found := f.byCode[s.code]; found != nil {
			list = append(list, *found)
		}
	}
	return list
}
