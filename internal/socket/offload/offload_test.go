package offload

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/text/fuzztest"
)

// packets is one case of testdata/gen.py, made with scapy.
type packets struct {
	Name    string
	Merge   bool // a Merger makes Whole of Packets
	Whole   string
	Header  Header
	Packets []string
}

func cases(t testing.TB) (all []packets) {
	t.Helper()
	b, err := os.ReadFile("testdata/packets.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func octets(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (p packets) each(t testing.TB) (list [][]byte) {
	for _, text := range p.Packets {
		list = append(list, octets(t, text))
	}
	return list
}

func TestCut(t *testing.T) {
	var c Cutter
	for _, p := range cases(t) {
		got, err := c.Cut(p.Header, octets(t, p.Whole))
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		want := p.each(t)
		for i := range min(len(got), len(want)) {
			if !bytes.Equal(got[i], want[i]) {
				t.Errorf("%s: packet %d is\n%x, want\n%x", p.Name, i, got[i], want[i])
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: cut into %d packets, want %d", p.Name, len(got), len(want))
		}
	}
}

// TestCutFrame: frames are cut as their packets are, each behind the link's header; what cannot be
// cut is given as it is.
func TestCutFrame(t *testing.T) {
	var c Cutter
	link := octets(t, "0200000000010200000000020800")
	framed := func(ip []byte) []byte { return slices.Concat(link, ip) }
	header := func(h Header) []byte {
		b := make([]byte, HeaderBytes)
		h.HeaderBytes, h.SumFrom = h.HeaderBytes+14, h.SumFrom+14
		h.Put(b)
		return b
	}
	for _, p := range cases(t) {
		got, want := c.CutFrame(header(p.Header), framed(octets(t, p.Whole))), p.each(t)
		if len(got) != len(want) {
			t.Errorf("%s: cut into %d frames, want %d", p.Name, len(got), len(want))
			continue
		}
		for i := range got {
			if !bytes.Equal(got[i], framed(want[i])) {
				t.Errorf("%s: frame %d is\n%x, want\n%x", p.Name, i, got[i], framed(want[i]))
			}
		}
	}
	odd := framed(octets(t, "4500"))
	for _, h := range [][]byte{make([]byte, HeaderBytes), header(Header{Flags: NeedsChecksum, GSO: GSOUDP, SegmentBytes: 9, SumFrom: 20, SumAt: 6})} {
		if got := c.CutFrame(h, odd); len(got) != 1 || !bytes.Equal(got[0], odd) {
			t.Errorf("header % x: %x, want the frame as it is", h, got)
		}
	}
}

// TestFinish: a packet that is not to be cut gets its checksum.
func TestFinish(t *testing.T) {
	var c Cutter
	for _, p := range cases(t) {
		want := octets(t, p.Packets[0])
		partial := slices.Clone(want)
		l, err := layoutOf(p.Header, octets(t, p.Whole))
		if err != nil {
			t.Fatal(err)
		}
		at := int(p.Header.SumFrom + p.Header.SumAt)
		partial[at], partial[at+1] = 0, 0
		protocol := uint16(protocolUDP)
		if l.tcp {
			protocol = protocolTCP
		}
		put := Header{Flags: NeedsChecksum, SumFrom: p.Header.SumFrom, SumAt: p.Header.SumAt}
		sum := pseudo(partial, l.version, protocol, len(partial)-l.transport)
		for sum > 0xffff {
			sum = sum&0xffff + sum>>16
		}
		partial[at], partial[at+1] = byte(sum), byte(sum>>8)
		got, err := c.Cut(put, partial)
		if err != nil || len(got) != 1 || !bytes.Equal(got[0], want) {
			t.Errorf("%s: %v, %d packets,\n%x, want\n%x", p.Name, err, len(got), got, want)
		}
	}
}

func TestMerge(t *testing.T) {
	var m Merger
	for _, p := range cases(t) {
		if !p.Merge {
			continue
		}
		m.Reset()
		for _, b := range p.each(t) {
			m.Add(b)
		}
		runs := m.Runs()
		if len(runs) != 1 {
			t.Errorf("%s: %d runs, want 1", p.Name, len(runs))
			continue
		}
		if got, want := bytes.Join(runs[0].Parts, nil), octets(t, p.Whole); !bytes.Equal(got, want) {
			t.Errorf("%s: merged into\n%x, want\n%x", p.Name, got, want)
		}
		if h := runs[0].Header(0); h != p.Header {
			t.Errorf("%s: header %+v, want %+v", p.Name, h, p.Header)
		}
	}
}

// TestNotMerged: packets that could not be told apart again stay alone.
func TestNotMerged(t *testing.T) {
	all := cases(t)
	tcp, udp := all[0], all[2]
	for story, c := range map[string]struct {
		packets packets
		change  func(second []byte)
	}{
		"another identification":      {udp, func(b []byte) { b[5]++ }},
		"another TOS":                 {udp, func(b []byte) { b[1]++ }},
		"another TTL":                 {udp, func(b []byte) { b[8]++ }},
		"another UE":                  {udp, func(b []byte) { b[15]++ }},
		"another port":                {udp, func(b []byte) { b[23]++ }},
		"a fragment":                  {udp, func(b []byte) { b[6] |= 0x20 }},
		"no checksum":                 {udp, func(b []byte) { b[26], b[27] = 0, 0 }},
		"a wrong checksum":            {udp, func(b []byte) { b[100]++ }},
		"UDP shorter than the packet": {udp, func(b []byte) { b[25]-- }},
		"options":                     {udp, func(b []byte) { b[0]++ }},
		"a gap":                       {tcp, func(b []byte) { b[27]++ }},
		"another acknowledgement":     {tcp, func(b []byte) { b[31]++ }},
		"another window":              {tcp, func(b []byte) { b[35]++ }},
		"a timestamp of its own":      {tcp, func(b []byte) { b[47]++ }},
		"FIN":                         {tcp, func(b []byte) { b[33] |= tcpFIN }},
		"a damaged payload":           {tcp, func(b []byte) { b[200]++ }},
	} {
		var m Merger
		first, second := octets(t, c.packets.Packets[0]), octets(t, c.packets.Packets[1])
		c.change(second)
		want := [][]byte{slices.Clone(first), slices.Clone(second)}
		m.Add(first)
		m.Add(second)
		runs := m.Runs()
		if len(runs) != 2 {
			t.Errorf("%s: %d runs, want 2", story, len(runs))
			continue
		}
		for i := range runs {
			if !bytes.Equal(runs[i].Parts[0], want[i]) || runs[i].Header(0) != (Header{}) {
				t.Errorf("%s: packet %d was changed", story, i)
			}
		}
	}
}

// TestOrder: no packet of a flow overtakes another of it, whatever comes between.
func TestOrder(t *testing.T) {
	all := cases(t)
	var m Merger
	tcp, udp := all[0].each(t), all[2].each(t)
	m.Add(udp[0])
	m.Add(tcp[0])
	m.Add(udp[3]) // short: it closes the run
	m.Add(tcp[1])
	m.Add(udp[1])
	var lengths []int
	for _, r := range m.Runs() {
		lengths = append(lengths, len(r.Parts))
	}
	if !slices.Equal(lengths, []int{1, 2, 1, 1}) {
		t.Errorf("runs of %v packets", lengths)
	}
}

func TestHeaderBytes(t *testing.T) {
	b := make([]byte, HeaderBytes)
	for _, p := range cases(t) {
		p.Header.Put(b)
		if got := Parse(b); got != p.Header {
			t.Errorf("%+v, want %+v", got, p.Header)
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	var c Cutter
	var m Merger
	p := cases(t)[0]
	whole, list := octets(t, p.Whole), p.each(t)
	n := testing.AllocsPerRun(100, func() {
		c.Reset()
		if _, err := c.Cut(p.Header, whole); err != nil {
			t.Fatal(err)
		}
		m.Reset()
		for _, b := range list {
			m.Add(b)
		}
		m.Runs()
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzCut: nothing that a device hands over breaks the cutter, and what it gives has
// the payload that came in.
func FuzzCut(f *testing.F) {
	fuzztest.Brief(f)
	for _, p := range cases(f) {
		f.Add(p.Header.Flags, p.Header.GSO, p.Header.SegmentBytes, p.Header.SumFrom, p.Header.SumAt, octets(f, p.Whole))
	}
	f.Fuzz(func(t *testing.T, flags, gso uint8, segment, from, at uint16, b []byte) {
		var c Cutter
		if len(b) > octetsMax || segment < 8 {
			return
		}
		n := len(b)
		list, err := c.Cut(Header{flags, gso, 0, segment, from, at}, b)
		if err == nil && len(list) == 0 || err != nil && len(list) > 0 {
			t.Errorf("%d packets and %v", len(list), err)
		}
		if len(list) == 1 && len(list[0]) != n && gso == GSONone {
			t.Errorf("%d octets of %d", len(list[0]), n)
		}
	})
}

// FuzzMerge: whatever packets come, each octet of payload stays.
func FuzzMerge(f *testing.F) {
	fuzztest.Brief(f)
	for _, p := range cases(f) {
		f.Add(octets(f, p.Packets[0]), octets(f, p.Packets[1]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if len(a) < 20 || len(b) < 20 || len(a)+len(b) > octetsMax {
			return
		}
		var m Merger
		m.Add(slices.Clone(a))
		m.Add(slices.Clone(b))
		packets := 0
		for _, r := range m.Runs() {
			packets += r.Packets()
		}
		if packets != 2 {
			t.Errorf("%d packets of 2", packets)
		}
	})
}

// TestManyFlows: packets of each flow are merged, however many flows take turns.
func TestManyFlows(t *testing.T) {
	const flows = 500
	var m Merger
	p := cases(t)[2].each(t)[:3] // UDP, of one length
	for round := range 3 {
		m.Reset()
		for _, ip := range p {
			for f := range flows {
				m.Add(fromUE(ip, f+round))
			}
		}
		runs := m.Runs()
		if len(runs) != flows {
			t.Fatalf("round %d: %d runs of %d flows", round, len(runs), flows)
		}
		for f, r := range runs {
			if from := int(r.Parts[0][14])<<8 | int(r.Parts[0][15]); len(r.Parts) != 3 || from != f+round {
				t.Fatalf("round %d: run %d has %d packets of UE %d", round, f, len(r.Parts), from)
			}
		}
	}
}

// TestTCPOnly: UDP is left as it is.
func TestTCPOnly(t *testing.T) {
	all := cases(t)
	m := Merger{TCPOnly: true}
	for _, p := range [][][]byte{all[0].each(t), all[2].each(t)} {
		for _, ip := range p {
			m.Add(ip)
		}
	}
	if got, want := len(m.Runs()), 1+len(all[2].Packets); got != want {
		t.Errorf("%d runs, want %d", got, want)
	}
}

// fromUE is a UDP packet with another source address, its checksum made good.
func fromUE(ip []byte, ue int) []byte {
	p := slices.Clone(ip)
	p[14], p[15] = byte(ue>>8), byte(ue)
	checksum.Put(p[20+udpSumAt:], 0)
	checksum.Put(p[20+udpSumAt:], checksum.FinishUDP(pseudo(p, 4, protocolUDP, len(p)-20)+checksum.Sum(p[20:])))
	return p
}
