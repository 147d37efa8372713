package seeded

import (
	"slices"
	"strings"
	"testing"
)

// TestWhatCameIsSaid: what came and was wrong is not said to be missing, in the case that names it and in others.
func TestWhatCameIsSaid(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string]map[string]string{
		"modifications are answered to another SEID":                {"session.answer.seid": "it goes to SEID 0x"},
		"session reports go to another SEID":                        {"n4.report.seid": "came with the SEID of no session, the last with 0x", "far.notify": "the session's is 0x"},
		"heartbeats are answered with another sequence number":      {"n4.heartbeat": "Heartbeat Response came with other sequence numbers", "n4.garbage": "in place of"},
		"an F-TEID that was chosen has another address":             {"fteid.choose": "it was sent to 192.0.2.67, the address of the F-TEID in Created PDR"},
		"an Echo Response has the sequence number 0":                {"gtpu.echo": "Echo Response came: its sequence number is 0x0 in place of 0x4711"},
		"an Error Indication has another TEID":                      {"gtpu.error-indication": "Error Indication came: its TEID Data I is 0x"},
		"an Error Indication has another address":                   {"gtpu.error-indication": "Error Indication came: its GTP-U Peer Address is 192.0.2.2"},
		"the End Marker is in another tunnel":                       {"far.end-marker": "0 arrived there, and 1 in tunnel 0x", "far.end-marker.last": "and 1 in tunnel 0x"},
		"a Created PDR names another PDR":                           {"fteid.choose": "the Created PDRs that there are name PDR 41"},
		"answers come from another port":                            {"n4.answer.port": ":9999"},
		"an Echo Response comes from another port":                  {"gtpu.echo": "it comes from UDP port 9999"},
		"the UP F-SEID has the address 0.0.0.0":                     {"session.answer.node": "it has 0.0.0.0, which no node has"},
		"the End Marker is 3 s late":                                {"far.end-marker.prompt": "it arrived 3"},
		"the End Marker is 1.2 s late":                              {"far.end-marker.prompt": "s after the answer to the modification"},
		"downlink packets go to UDP port 2153":                      {"gtpu.outer.port": "the outer UDP destination port is 2153"},
		"a GTP-U extension header in 50 is damaged":                 {"gtpu.outer.header": "its GTP-U header cannot be read"},
		"downlink packets leave in fragments of their outer packet": {"gtpu.outer.whole": "it came in 2 fragments"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := slices.IndexFunc(pervading(), func(f Fault) bool { return f.Name == name })
			b := open(t, pervading()[n])
			for id, want := range rows {
				if row := run(t, b, id); !row.Verdict.Bad() || row.Verdict == "died" || !strings.Contains(row.Observed, want) {
					t.Errorf("%s is %s: %q, want %q", id, row.Verdict, row.Observed, want)
				}
			}
		})
	}
}
