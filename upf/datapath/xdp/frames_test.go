package xdp

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
)

// frame is a case of testdata/frames.json, which testdata/gen.py wrote.
type frame struct {
	Name, Program, Frame, Verdict, Out, Reason string
}

// XDP actions.
const (
	xdpAborted  = 0
	xdpDrop     = 1
	xdpPass     = 2
	xdpRedirect = 4
)

func readFrames(t testing.TB) []frame {
	t.Helper()
	b, err := os.ReadFile("testdata/frames.json")
	must(t, "read frames", err)
	var all []frame
	must(t, "parse frames", json.Unmarshal(b, &all))
	return all
}

func octets(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	must(t, "decode hex", err)
	return b
}

// TestFrames gives scapy's frames to the programs.
func TestFrames(t *testing.T) {
	l := newLab(t, labConfig())
	testFrames(t, l)
}

// TestFramesOneInterface has N3 and N6 on one interface, whose program has to
// distinguish the directions.
func TestFramesOneInterface(t *testing.T) {
	cfg := labConfig()
	cfg.N6, cfg.Allow.Interfaces = cfg.N3, []string{"n6"}
	testFrames(t, newLab(t, cfg))
}

func testFrames(t *testing.T, l *lab) {
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	for _, f := range readFrames(t) {
		testFrame(t, l, f)
	}
}

func testFrame(t *testing.T, l *lab, f frame) {
	l.zero(t)
	in := octets(t, f.Frame)
	if len(l.dp.ports) == 1 {
		toN3(in)
	}
	verdict, out := l.run(t, f.Program, in)
	want := map[string]uint32{"drop": xdpDrop, "pass": xdpPass, "redirect": xdpRedirect, "slow": xdpPass}[f.Verdict]
	if f.Verdict == "slow" && f.Program == "n6" {
		want = xdpDrop // user space has it
	}
	if f.Reason == datapath.ReasonUnknownTEID.String() {
		want = xdpPass // to user space, which answers
	}
	if verdict != want {
		t.Errorf("%s: verdict %d, want %d", f.Name, verdict, want)
	}
	if f.Out != "" && !bytes.Equal(out, octets(t, f.Out)) {
		t.Errorf("%s:\n got %x\nwant %s", f.Name, out, f.Out)
	}
	checkCounted(t, l, f)
}

// toN3 has a frame to N6's MAC address go to N3's, where one interface is both.
func toN3(frame []byte) {
	if string(frame[:6]) == "\x02\x00\x00\x00\x06\x01" {
		frame[4] = 3
	}
}

// checkCounted wants the frame in exactly one counter, the right one.
func checkCounted(t *testing.T, l *lab, f frame) {
	c, err := l.dp.Counters()
	must(t, "Counters", err)
	total := c.Uplink.Packets + c.Downlink.Packets + c.Passed
	for reason, n := range c.Drops {
		total += n
		if reason.String() != f.Reason {
			t.Errorf("%s: dropped for %q, want %q", f.Name, reason, f.Reason)
		}
	}
	if total != 1 {
		t.Errorf("%s: counted %d times: %+v", f.Name, total, c)
	}
	if f.Verdict == "pass" && c.Passed != 1 || (f.Verdict == "redirect" || f.Verdict == "slow") && c.Uplink.Packets+c.Downlink.Packets != 1 {
		t.Errorf("%s: verdict %s, counted %+v", f.Name, f.Verdict, c)
	}
}
