package session

import (
	"fmt"
	"net/netip"
	"reflect"
	"testing"
	"time"
)

// filler gives each field of rules a value that no other one has, whatever fields there are.
type filler struct{ n uint64 }

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Interface().(type) {
	case netip.Addr:
		v.Set(reflect.ValueOf(f.addr()))
		return
	case netip.Prefix:
		v.Set(reflect.ValueOf(netip.PrefixFrom(f.addr(), int(f.n%32))))
		return
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(1_800_000_000, int64(f.n))))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.String:
		v.SetString(fmt.Sprint("text", f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(f.n) << 20)
	default:
		v.SetUint(f.n << (v.Type().Bits() / 4)) // of more octets than one, where there are
	}
}

func (f *filler) addr() netip.Addr {
	if f.n%2 == 0 {
		return netip.AddrFrom4([4]byte{10, 45, byte(f.n >> 8), byte(f.n)})
	}
	return netip.AddrFrom16([16]byte{0: 0x20, 14: byte(f.n >> 8), 15: byte(f.n)})
}

// TestPackedHasAll fails for a field that Pack does not know.
func TestPackedHasAll(t *testing.T) {
	r := &Rules{}
	new(filler).fill(reflect.ValueOf(r).Elem())
	if got := Pack(r).Rules(); !reflect.DeepEqual(got, r) {
		t.Errorf("rules that were packed are\n%+v\nwant\n%+v", got, r)
	}
}

func TestPackedKeepsExtremes(t *testing.T) {
	far := FAR{Outer: &OuterHeader{Peer: netip.MustParseAddr("fe80::1%n3")}}
	mapped := PDI{UE: netip.MustParseAddr("::ffff:10.45.0.1"), UE6: netip.MustParsePrefix("::/0")}
	for story, r := range map[string]*Rules{
		"no rules":           {},
		"a zone":             {FARs: []FAR{far}},
		"odd addresses":      {PDRs: []PDR{{PDI: mapped}}},
		"the greatest value": {SEID: 1<<64 - 1, BARs: []BAR{{Delay: -1, Packets: -1}}},
		"zero, and not nil":  {URRs: []URR{{Asked: URRParameters{Quota: &Octets{}, TimeQuota: new(time.Duration)}}}},
	} {
		if got := Pack(r).Rules(); !reflect.DeepEqual(got, r) {
			t.Errorf("%s: rules that were packed are %+v, want %+v", story, got, r)
		}
	}
	if !Pack(nil).IsZero() || Pack(nil).Rules() != nil {
		t.Error("no rules are packed as some")
	}
}

// TestPackedIsSmall: a plain session takes one allocation of 112 octets at most.
func TestPackedIsSmall(t *testing.T) {
	if n := len(Pack(sample()).octets); n > 112 {
		t.Errorf("a plain session takes %d octets", n)
	}
}

func BenchmarkPack(b *testing.B) {
	r := sample()
	b.ReportAllocs()
	for b.Loop() {
		Pack(r)
	}
}

func BenchmarkUnpack(b *testing.B) {
	p := Pack(sample())
	b.ReportAllocs()
	for b.Loop() {
		p.Rules()
	}
}

func BenchmarkClone(b *testing.B) {
	r := sample()
	b.ReportAllocs()
	for b.Loop() {
		r.Clone()
	}
}
