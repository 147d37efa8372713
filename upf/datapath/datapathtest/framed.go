package datapathtest

import (
	_ "embed"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/upf/session"
)

//go:embed testdata/framed.txt
var framedFrames string

// FramedFrames are the frames of networks behind UEs that testdata/framed.py made, as those of
// OuterFrames.
func FramedFrames(t testing.TB) []Frame {
	t.Helper()
	return framesOf(framedFrames)
}

// FramedSessions are their sessions.
func FramedSessions() []*session.Rules {
	behind := func(seid uint64, ue string, routes ...string) *session.Rules {
		return pair(seid, ue, uint32(seid), func(r *session.Rules) {
			for i := range r.PDRs {
				for _, p := range routes {
					r.PDRs[i].PDI.Framed = append(r.PDRs[i].PDI.Framed, netip.MustParsePrefix(p))
				}
			}
		})
	}
	first := behind(400, "10.45.3.1", "10.45.200.0/24", "2001:db8:45:7000::/60")
	with6("2001:db8:45:71::/64")(first)
	alone := behind(430, "", "10.45.202.0/25") // its UE has an IPv6 prefix
	with6("2001:db8:45:74::/64")(alone)
	return []*session.Rules{first, behind(410, "10.45.3.2", "10.45.200.128/25"), behind(420, "10.45.200.5"), alone}
}
