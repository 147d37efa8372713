package datapathtest

import (
	_ "embed"
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"

	"github.com/upflab/upflab/upf/session"
)

//go:embed testdata/outer6.txt
var outer6 string

// OuterFrames are the frames over IPv6 on N3 that testdata/outer6.py made. The verdict is
// redirect, with what leaves, pass, or drop.
func OuterFrames(t testing.TB) []Frame {
	t.Helper()
	return framesOf(outer6)
}

// framesOf reads lines of name, program, frame, and what leaves or why nothing does.
func framesOf(lines string) (list []Frame) {
	for line := range strings.Lines(lines) {
		w := strings.Split(strings.TrimSpace(line), ";")
		f := Frame{Name: w[0], Program: w[1], Frame: w[2], Verdict: "redirect", Out: w[3]}
		if _, err := hex.DecodeString(w[3]); err != nil {
			f.Verdict, f.Out = "drop", ""
			if f.Reason = w[3]; w[3] == "pass" {
				f.Verdict, f.Reason = "pass", ""
			}
		}
		list = append(list, f)
	}
	return list
}

// N3Address6 is the UPF's address in them.
var N3Address6 = netip.MustParseAddr("2001:db8:3::1")

// OuterSession is their session: its gNB has an IPv6 address.
func OuterSession() *session.Rules {
	return pair(100, "10.45.1.2", 101, func(r *session.Rules) {
		with6("2001:db8:45:50::/64")(r)
		withQER(session.QER{QFI: 1, GateUL: true, GateDL: true})(r)
		r.FARs[1].Outer.Peer = netip.MustParseAddr("2001:db8:3::2")
	})
}
