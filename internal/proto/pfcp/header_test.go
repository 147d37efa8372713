package pfcp

import (
	"bytes"
	"errors"
	"testing"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

func TestParseReadsWhatScapyWrites(t *testing.T) {
	for _, s := range samples(t) {
		h, ies, rest, err := Parse(s.octets)
		if err != nil || h != s.header || len(ies) != s.ies || len(rest) != 0 {
			t.Errorf("%s: %+v, %d octets of IEs, %d left, %v; want %+v, %d", s.name, h, len(ies), len(rest), err, s.header, s.ies)
		}
	}
}

func TestBuilderWritesWhatScapyWrites(t *testing.T) {
	var m Builder
	for _, s := range samples(t) {
		m.Begin(s.header)
		_, ies, _, _ := Parse(s.octets)
		if err := Decode(ies, func(all []*ie.IE) error {
			for _, i := range all {
				m.IE(i.Type, i.Payload...)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(m.Bytes(), s.octets) {
			t.Errorf("%s:\n got %x\nwant %x", s.name, m.Bytes(), s.octets)
		}
	}
}

func TestParseLengths(t *testing.T) {
	for _, c := range []struct {
		story     string
		b         []byte
		want      error
		ies, rest int
	}{
		{"node message", []byte{0x20, 1, 0, 4, 0, 0, 1, 0}, nil, 0, 0},
		{"padded", []byte{0x20, 1, 0, 4, 0, 0, 1, 0, 9, 9}, nil, 0, 2},
		{"two messages", []byte{0x20, 1, 0, 5, 0, 0, 1, 0, 7, 0x20, 1, 0, 4, 0, 0, 2, 0}, nil, 1, 8},
		{"nothing", nil, ErrShort, 0, 0},
		{"seven octets", []byte{0x20, 1, 0, 3, 0, 0, 1}, ErrShort, 0, 0},
		{"no room for the SEID", []byte{0x21, 51, 0, 4, 0, 0, 1, 0}, ErrShort, 0, 0},
		{"length below the header", []byte{0x20, 1, 0, 3, 0, 0, 1, 0}, ErrLength, 0, 0},
		{"length past the datagram", []byte{0x20, 1, 0, 5, 0, 0, 1, 0}, ErrLength, 0, 0},
		{"version 2", []byte{0x40, 1, 0, 4, 0, 0, 1, 0}, ErrVersion, 0, 0},
		{"version 2 with a wrong length", []byte{0x40, 1, 9, 9, 0, 0, 1, 0}, ErrVersion, 0, 0},
	} {
		h, ies, rest, err := Parse(c.b)
		if err != c.want || len(ies) != c.ies || len(rest) != c.rest {
			t.Errorf("%s: %d octets of IEs, %d left, %v", c.story, len(ies), len(rest), err)
		}
		if err != ErrShort && (h.Type != 1 || h.Sequence != 1) {
			t.Errorf("%s: header %+v, which an answer needs", c.story, h)
		}
	}
}

func FuzzParse(f *testing.F) {
	fuzztest.Brief(f)
	for _, s := range samples(f) {
		f.Add(s.octets)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, ies, rest, err := Parse(b)
		if err != nil {
			return
		}
		size := nodeHeaderLen
		if h.HasSEID {
			size = sessionHeaderLen
		}
		if size+len(ies)+len(rest) != len(b) {
			t.Errorf("%d + %d + %d octets of %d", size, len(ies), len(rest), len(b))
		}
		if h.HasSEID == h.Type.OfSession() && b[0]&^(versionMask|flagSEID) == 0 {
			rebuilt(t, h, ies, b[:size+len(ies)])
		}
		err = Decode(ies, func(all []*ie.IE) error { return readEverything(all) })
		if err != nil && !errors.Is(err, ErrIEs) && !errors.Is(err, ErrDecoder) {
			t.Errorf("error %v is not one of Decode's", err)
		}
	})
}

// rebuilt holds the Builder to what was parsed. The last octet of the header
// is spare or a priority, which nobody reads.
func rebuilt(t *testing.T, h Header, ies, want []byte) {
	t.Helper()
	var m Builder
	m.Begin(h)
	m.Octets(ies...)
	want = bytes.Clone(want)
	want[len(want)-len(ies)-1] = 0
	if !bytes.Equal(m.Bytes(), want) {
		t.Errorf("%+v is built as\n%x, parsed from\n%x", h, m.Bytes(), want)
	}
}

// readEverything calls accessors that trust a peer's lengths.
func readEverything(all []*ie.IE) error {
	for _, i := range all {
		i.FTEID()
		i.FSEID()
		i.NodeID()
		i.SDFFilter()
		i.UEIPAddress()
		i.OuterHeaderCreation()
		i.RecoveryTimeStamp()
		readEverything(i.ChildIEs)
	}
	return nil
}
