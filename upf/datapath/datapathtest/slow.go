package datapathtest

import (
	_ "embed"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/upflab/upflab/upf/session"
)

//go:embed testdata/slow.txt
var slowFrames string

// SlowFrame is a packet that does not fit, or a G-PDU that comes in fragments, and what leaves.
type SlowFrame struct {
	Name string
	// Big is the link that takes 3000 octets: n3 or n6; "": none does.
	Big         string
	At, Leaves  string // n3 or n6
	Frames, Out [][]byte
}

// SlowFrames are those of testdata/slow.py.
func SlowFrames(t testing.TB) (list []SlowFrame) {
	t.Helper()
	for line := range strings.Lines(slowFrames) {
		w := strings.Split(strings.TrimSpace(line), ";")
		list = append(list, SlowFrame{Name: w[0], Big: w[1], At: w[2], Leaves: w[4], Frames: hexes(t, w[3]), Out: hexes(t, w[5])})
	}
	return list
}

func hexes(t testing.TB, list string) (all [][]byte) {
	t.Helper()
	for digits := range strings.SplitSeq(list, ",") {
		b, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// Sessions are the sessions of the frame's.
func (f SlowFrame) Sessions() []*session.Rules {
	if strings.HasPrefix(f.Name, "from tunnel to tunnel") {
		return []*session.Rules{Intermediate()}
	}
	return append(append(FrameSessions(), OuterSession()), ExitSessions()...)
}
