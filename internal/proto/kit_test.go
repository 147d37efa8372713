package proto

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/histogram"
	"github.com/upflab/upflab/internal/proto/signature"
)

// number, signing and ttl are the structs of kit.c.
type number struct {
	Value, Bucket                             uint64
	Fold, Fold32, Finish, Finish32, FinishUDP uint16
	Pad                                       [3]uint16
}

type signing struct {
	Sequence, Intended, Sent uint64
	Word                     uint32
	Trial, Pad               uint16
	Session, Shape           uint32
	VaryingSum               uint64
	Signature                [signature.Bytes]byte
}

type ttl struct {
	Ethernet [16]byte // with padding
	IP       [20]byte
}

func openKit(t *testing.T) *kitObjects {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("needs root, for BPF: run the tests as root")
		}
		t.Skip("needs root, for BPF")
	}
	var k kitObjects
	if err := loadKitObjects(&k, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	return &k
}

// ask gives a program a value and reads its answer into it.
func ask[T any](t *testing.T, p *ebpf.Program, value *T) {
	t.Helper()
	in, err := binary.Append(nil, binary.LittleEndian, value)
	if err != nil {
		t.Fatal(err)
	}
	o := ebpf.RunOptions{Data: in, DataOut: make([]byte, len(in)+64), Repeat: 1}
	if verdict, err := p.Run(&o); err != nil || verdict != 2 {
		t.Fatalf("run %s: verdict %d, %v", p, verdict, err)
	}
	if err := binary.Read(bytes.NewReader(o.DataOut), binary.LittleEndian, value); err != nil {
		t.Fatal(err)
	}
}

// values are those at which something changes, and random ones of every length.
func values() []uint64 {
	list := []uint64{0, 0xffff, 0x1fffe, 0xfffeffff, 0xffff0000, 0xffffffff00000000, math.MaxUint64 - 1, math.MaxUint64}
	for shift := range 64 {
		list = append(list, 1<<shift-1, 1<<shift, 1<<shift+1)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		list = append(list, r.Uint64()>>r.IntN(64))
	}
	return list
}

func TestNumbersAgree(t *testing.T) {
	k := openKit(t)
	for _, v := range values() {
		got := number{Value: v}
		ask(t, k.Number, &got)
		low := uint64(uint32(v))
		want := number{
			Value: v, Bucket: uint64(histogram.Bucket(v)), Fold: checksum.Fold(v), Fold32: checksum.Fold(low),
			Finish: checksum.Finish(v), Finish32: checksum.Finish(low), FinishUDP: checksum.FinishUDP(v),
		}
		if got != want {
			t.Fatalf("of %#x the programs make\n%+v, Go\n%+v", v, got, want)
		}
	}
}

func TestSignaturesAgree(t *testing.T) {
	k := openKit(t)
	r := rand.New(rand.NewPCG(9, 10))
	for range 5000 {
		got := signing{Sequence: r.Uint64() >> r.IntN(64), Intended: r.Uint64(), Sent: r.Uint64(), Word: r.Uint32(), Trial: uint16(r.Uint32())}
		s := signature.Signature{Trial: got.Trial, Word: got.Word, Sequence: got.Sequence, Intended: got.Intended, Sent: got.Sent}
		want := got
		want.Session, want.Shape, want.VaryingSum = uint32(s.Session()), uint32(s.Shape()), s.VaryingSum()
		s.Put(want.Signature[:])
		if ask(t, k.Signing, &got); got != want {
			t.Fatalf("the programs make\n%+v, Go\n%+v", got, want)
		}
		if read, ok := signature.Parse(got.Signature[:]); !ok || read != s {
			t.Fatalf("Go reads %+v, want %+v", read, s)
		}
	}
}

// TestTTLAgrees: at every checksum.
func TestTTLAgrees(t *testing.T) {
	k := openKit(t)
	for sum := range 1 << 16 {
		got := ttl{IP: [20]byte{0: 0x45, 8: byte(1 + sum%255)}}
		checksum.Put(got.IP[10:], uint16(sum))
		want := got
		checksum.DecrementTTL(want.IP[:])
		if ask(t, k.Ttl, &got); got != want {
			t.Fatalf("checksum %#x: the programs make\n% x, Go\n% x", sum, got.IP, want.IP)
		}
	}
}

func TestConstantsAgree(t *testing.T) {
	spec, err := loadKit()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]uint32{
		kitVarHistogramBuckets: histogram.Buckets, kitVarSignatureBytes: signature.Bytes, kitVarSignatureFill: signature.Fill,
	} {
		var got uint32
		if err := spec.Variables[name].Get(&got); err != nil || got != want {
			t.Errorf("%s is %d in C, %d in Go (%v)", name, got, want, err)
		}
	}
}
