package trex

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/traffic"
)

// machine does what TRex's field engine does: each packet gets the variables' values, and
// then they step.
type machine struct {
	instructions []map[string]any
	at           map[string]int
}

func (m *machine) next(frame []byte) []byte {
	b := bytes.Clone(frame)
	values := map[string]map[string]any{}
	for _, x := range m.instructions {
		name, _ := x["name"].(string)
		switch x["type"] {
		case "flow_var":
			values[name] = x
		case "write_flow_var":
			v := values[name]
			put(b[x["pkt_offset"].(int):], v["size"].(int), value(v, m.at[name]))
		case "fix_checksum_ipv4":
			h := b[x["pkt_offset"].(int):][:20]
			clear(h[10:12])
			checksum.Put(h[10:], checksum.Finish(checksum.Sum(h)))
		}
	}
	for name := range values {
		m.at[name]++
	}
	return b
}

// value is what a variable has at its n-th packet: it begins again behind its range.
func value(v map[string]any, n int) uint64 {
	if list, is := v["value_list"].([]uint64); is {
		return list[n%len(list)]
	}
	low, high, step := v["min_value"].(uint64), v["max_value"].(uint64), v["step"].(uint64)
	return low + uint64(n)*step%(high-low+1)
}

func put(b []byte, size int, v uint64) {
	if size == 1 {
		b[0] = byte(v)
		return
	}
	binary.BigEndian.PutUint32(b, uint32(v))
}

func ueAt(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, 60 + byte(i>>16), byte(i >> 8), byte(i)})
}

// TestInstructions: over the sessions, and again from the first, TRex makes the frames that
// upflab's own engines send, but for UDP checksums.
func TestInstructions(t *testing.T) {
	teids := map[string]func(i int) uint32{
		"two apart":    func(i int) uint32 { return uint32(1 + 2*i) },
		"any":          func(i int) uint32 { return uint32(0x9e3779b9*i + 7) },
		"alike":        func(int) uint32 { return 5 },
		"near the end": func(i int) uint32 { return 0xffffffff - uint32(10-i) },
	}
	for name, teid := range teids {
		for _, f := range flows() {
			f.Streams = nil
			for i := range 5 {
				f.Streams = append(f.Streams, traffic.Stream{UE: ueAt(i), UplinkTEID: teid(i), QFI: 9})
			}
			list, err := instructions(f)
			if err != nil {
				t.Fatal(err)
			}
			m := &machine{list, map[string]int{}}
			for n := range 12 {
				want := f.Frame(f.Streams[n%5], 0)
				clear(want[innerIP(f)+26:][:2])
				if f.Uplink() {
					clear(want[40:42])
				}
				if got := m.next(frame(f, 0)); !bytes.Equal(got, want) {
					t.Fatalf("TEIDs %s, %s, packet %d:\n%x\nwant\n%x", name, f.Direction, n, got, want)
				}
			}
		}
	}
}

// TestOneSession needs no instructions: TRex sends the frame as it is.
func TestOneSession(t *testing.T) {
	for _, f := range flows() {
		f.Streams = f.Streams[:1]
		if list, err := instructions(f); len(list) > 0 || err != nil {
			t.Errorf("%v, %v", list, err)
		}
	}
}

// TestTooManyTEIDs: more TEIDs without an order than TRex takes.
func TestTooManyTEIDs(t *testing.T) {
	f := flows()[0]
	f.Streams = nil
	for i := range maxList + 1 {
		f.Streams = append(f.Streams, traffic.Stream{UE: ueAt(i), UplinkTEID: uint32(i * i), QFI: 9})
	}
	if _, err := instructions(f); err == nil || !strings.Contains(err.Error(), "teid.assign=smf") {
		t.Error(err)
	}
	f = flows()[0]
	f.Streams = nil
	for i := range 200000 {
		f.Streams = append(f.Streams, traffic.Stream{UE: ueAt(i), UplinkTEID: uint32(1 + 2*i), QFI: 9})
	}
	if list, err := instructions(f); len(list) != 5 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}
