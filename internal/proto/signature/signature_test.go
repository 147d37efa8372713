package signature

import (
	"testing"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/text/fuzztest"
)

func example() Signature {
	return Signature{Trial: 0x0102, Word: Word(0x81234, 0x567), Sequence: 0x1122334455667788, Intended: 1 << 63, Sent: ^uint64(0)}
}

func TestPutAndParse(t *testing.T) {
	s := example()
	b := make([]byte, Bytes+1)
	s.Put(b)
	if b[0] != 'f' || b[1] != 'u' || b[Bytes] != 0 {
		t.Errorf("wrote % x", b)
	}
	got, ok := Parse(b)
	if !ok || got != s || got.Session() != 0x81234 || got.Shape() != 0x567 {
		t.Errorf("%+v, %v", got, ok)
	}
	if got, ok := Parse(b[:Bytes-1]); ok {
		t.Errorf("a signature cut short is %+v", got)
	}
	b[1]++
	if got, ok := Parse(b); ok {
		t.Errorf("another magic is %+v", got)
	}
}

func TestSum(t *testing.T) {
	s := example()
	b := make([]byte, Bytes)
	s.Put(b)
	if got, want := checksum.Fold(s.Sum()), checksum.Fold(checksum.Sum(b)); got != want {
		t.Errorf("sum is %#x, that of its octets %#x", got, want)
	}
}

func FuzzParse(f *testing.F) {
	fuzztest.Brief(f)
	b := make([]byte, Bytes)
	s := example()
	s.Put(b)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		s, ok := Parse(b)
		if !ok {
			return
		}
		again := make([]byte, Bytes)
		if s.Put(again); string(again) != string(b[:Bytes]) {
			t.Errorf("%x became %x", b[:Bytes], again)
		}
	})
}
