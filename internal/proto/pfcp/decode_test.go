package pfcp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
)

func TestDecodeRefusesLengths(t *testing.T) {
	for story, ies := range map[string][]byte{
		"longer than the message":   {0, 19, 0, 9, 1},
		"no octet of its payload":   {0, 19, 0, 9},
		"half an IE header":         {0, 19, 0},
		"longer than its group":     {0, 8, 0, 6, 0, 21, 0, 3, 1, 0},
		"groups in groups":          nested(MaxDepth + 1),
		"groups in groups, no end":  nested(16000),
		"too many IEs":              bytes.Repeat([]byte{0, 19, 0, 0}, MaxIEs+1),
		"too many IEs in one group": group(1, bytes.Repeat([]byte{0, 19, 0, 0}, MaxIEs)),
	} {
		begin := time.Now()
		err := Decode(ies, func([]*ie.IE) error { t.Errorf("%s: was read", story); return nil })
		if !errors.Is(err, ErrIEs) {
			t.Errorf("%s: error %v", story, err)
		}
		if took := time.Since(begin); took > 100*time.Millisecond {
			t.Errorf("%s: took %v", story, took)
		}
	}
}

// nested is a Create PDR in a Create PDR and so on.
func nested(depth int) []byte {
	b := make([]byte, 4*depth)
	for i := range depth {
		b[4*i+1] = 1
		binary.BigEndian.PutUint16(b[4*i+2:], uint16(len(b)-4*i-4))
	}
	return b
}

func group(typ byte, ies []byte) []byte {
	return append([]byte{0, typ, byte(len(ies) >> 8), byte(len(ies))}, ies...)
}

func TestDecodeTakesWhatIsWithinTheBounds(t *testing.T) {
	for story, ies := range map[string][]byte{
		"nothing":          nil,
		"groups in groups": nested(MaxDepth),
		"many IEs":         bytes.Repeat([]byte{0, 19, 0, 0}, MaxIEs),
	} {
		if err := Decode(ies, func([]*ie.IE) error { return nil }); err != nil {
			t.Errorf("%s: %v", story, err)
		}
	}
}

// An SDF filter whose flow description is longer than the IE makes the library
// panic.
func TestDecodeRecoversFromTheLibrary(t *testing.T) {
	err := Decode([]byte{0, 23, 0, 5, 1, 0, 0xff, 0xff, 'p'}, func(all []*ie.IE) error {
		_, err := all[0].SDFFilter()
		return err
	})
	if !errors.Is(err, ErrDecoder) {
		t.Errorf("error %v", err)
	}
}

func TestDecodeReturnsTheReadersError(t *testing.T) {
	want := errors.New("not to my taste")
	if err := Decode(nil, func([]*ie.IE) error { return want }); err != want {
		t.Errorf("error %v", err)
	}
}
