package uegateway

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
)

// frame is a case of testdata/frames.json, which testdata/gen.py wrote.
type frame struct {
	Name, Program, Frame, Verdict, Out, Reason string
}

// frameGateway has the programs and three UEs, and no ports: nothing is sent.
func frameGateway(t *testing.T) *Gateway {
	t.Helper()
	sitetest.Privileged(t)
	hw := func(last byte) net.HardwareAddr { return net.HardwareAddr{2, 0, 0, 0, 1, last} }
	at := netip.MustParseAddr
	s := &portsOnly{spec: site.Spec{MTU: 1544}}
	s.links.GNB.MAC, s.links.GNB.Addr = hw(3), at("192.0.2.2")
	s.links.UPFN3.MAC, s.links.UPFN3.Addr = hw(4), at("192.0.2.1")
	g := &Gateway{n3: s.links.GNB, cfg: Config{Site: s, Pool: netip.MustParsePrefix("10.45.0.0/16"), Pool6: netip.MustParsePrefix("2001:db8:45::/48"), UEs: []UE{
		{Address: at("10.45.0.2"), Address6: at("2001:db8:45:1::2"), UplinkTEID: 0x11223344, DownlinkTEID: 2, QFI: 5},
		{Address: at("10.45.0.3"), UplinkTEID: 3, DownlinkTEID: 4, QFI: 63},
		{Address6: at("2001:db8:45:3::2"), UplinkTEID: 5, DownlinkTEID: 6, QFI: 9},
	}}}
	g.ue.MAC = hw(1)
	var err error
	if g.index, err = g.cfg.indexed(); err != nil {
		t.Fatal(err)
	}
	if err := g.load(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.prog.Close() })
	if err := g.Set(g.cfg.UEs...); err != nil {
		t.Fatal(err)
	}
	g.signalled = &signalling{}
	return g
}

// portsOnly is a site of which only the ports are known.
type portsOnly struct {
	site.Site
	spec  site.Spec
	links site.Links
}

func (s *portsOnly) Spec() site.Spec    { return s.spec }
func (s *portsOnly) Links() *site.Links { return &s.links }

// The verdicts of a classifier.
var verdicts = map[string]uint32{"pass": 0, "drop": 2, "redirect": 7}

// TestFrames gives scapy's frames to the programs.
func TestFrames(t *testing.T) {
	g := frameGateway(t)
	b, err := os.ReadFile("testdata/frames.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []frame
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		t.Run(f.Program+" "+f.Name, func(t *testing.T) { testFrame(t, g, f) })
	}
}

func testFrame(t *testing.T, g *Gateway, f frame) {
	before := counted(t, g)
	verdict, out := runProgram(t, map[string]*ebpf.Program{"ue": g.prog.FromUe, "n3": g.prog.FromN3}[f.Program], unhex(t, f.Frame))
	if verdict != verdicts[f.Verdict] {
		t.Errorf("verdict %d, want %s", verdict, f.Verdict)
	}
	if f.Out != "" && !bytes.Equal(out, unhex(t, f.Out)) {
		t.Errorf("\n got %x\nwant %s", out, f.Out)
	}
	now := counted(t, g)
	up, down := now.UplinkPackets-before.UplinkPackets, now.DownlinkPackets-before.DownlinkPackets
	if sent := up + down; (f.Verdict == "redirect") != (sent == 1) {
		t.Errorf("counted %d packets up, %d down", up, down)
	}
	if got := now.OtherQFI - before.OtherQFI; (f.Reason == "other QFI") != (got == 1) {
		t.Errorf("counted %d of another QFI", got)
	}
	for i, name := range headerReasons(t) {
		want := uint64(0)
		if name == f.Reason {
			want = 1
		}
		if got := now.Dropped[Reason(i)] - before.Dropped[Reason(i)]; got != want {
			t.Errorf("%s counted %d times, want %d", name, got, want)
		}
	}
}

func counted(t *testing.T, g *Gateway) Counters {
	t.Helper()
	c, err := g.Counters()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func runProgram(t *testing.T, p *ebpf.Program, in []byte) (verdict uint32, out []byte) {
	t.Helper()
	o := &ebpf.RunOptions{Data: in, DataOut: make([]byte, len(in)+256)}
	verdict, err := p.Run(o)
	if err != nil {
		t.Fatal(err)
	}
	return verdict, o.DataOut
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// headerReasons are the names in bpf/counters.h.
func headerReasons(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("bpf/counters.h")
	if err != nil {
		t.Fatal(err)
	}
	body := regexp.MustCompile(`(?s)enum reason \{(.*?)\}`).FindSubmatch(b)[1]
	names := regexp.MustCompile(`(?m)^\t([A-Z_0-9]+),`).FindAllSubmatch(body, -1)
	var list []string
	for _, n := range names[:len(names)-1] { // the last is their number
		list = append(list, string(n[1]))
	}
	return list
}

// TestReasonsMatchHeader holds reason.go and bpf/counters.h together.
func TestReasonsMatchHeader(t *testing.T) {
	source, err := os.ReadFile("reason.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := regexp.MustCompile(`(?m)^\t([A-Z]\w+)(?: Reason = iota)?$`).FindAllSubmatch(source, -1)
	names := headerReasons(t)
	if len(names) != int(reasons) || len(constants) != len(names) {
		t.Fatalf("the header has %d reasons, Go %d", len(names), len(constants))
	}
	for i, name := range names {
		if got := string(constants[i][1]); !strings.EqualFold(got, strings.ReplaceAll(name, "_", "")) {
			t.Errorf("%d is %s in the header and %s in Go", i, name, got)
		}
	}
}
