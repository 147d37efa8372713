package bess

import (
	"bytes"
	"strings"
	"testing"
)

// What each refuses.
func TestMalformed(t *testing.T) {
	for why, b := range map[string][]byte{
		"a tag that does not end":     {0xff},
		"a varint that does not end":  {0x08, 0x80},
		"bytes that are not there":    {0x12, 0x05, 'a'},
		"a length beyond all":         {0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
		"half of a fixed number":      {0x11, 1, 2, 3},
		"a group, which none has now": {0x0b},
	} {
		if err := each(b, func(field) error { return nil }); err == nil {
			t.Errorf("%s: taken", why)
		}
	}
}

// The specification's own examples (protobuf.dev, Encoding): field 1 = 150, and
// field 2 = "testing".
func TestEach(t *testing.T) {
	var got []field
	err := each([]byte{0x08, 0x96, 0x01, 0x12, 0x07, 't', 'e', 's', 't', 'i', 'n', 'g'}, func(x field) error {
		got = append(got, x)
		return nil
	})
	if err != nil || len(got) != 2 || got[0].number != 1 || got[0].value != 150 || got[1].number != 2 || string(got[1].bytes) != "testing" {
		t.Errorf("%+v, %v", got, err)
	}
	if b := text(2, "testing"); !bytes.Equal(b, []byte{0x12, 0x07, 't', 'e', 's', 't', 'i', 'n', 'g'}) {
		t.Errorf("text is %x", b)
	}
	if list, err := numbers([]byte{0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05}); err != nil || len(list) != 3 || list[0] != 3 || list[1] != 270 || list[2] != 86942 {
		t.Errorf("packed numbers are %v, %v", list, err)
	}
}

func TestUnframe(t *testing.T) {
	if m, err := unframe([]byte{0, 0, 0, 0, 2, 'o', 'k'}); err != nil || string(m) != "ok" {
		t.Errorf("%q, %v", m, err)
	}
	for _, b := range [][]byte{nil, {0, 0, 0}, {1, 0, 0, 0, 0}, {0, 0, 0, 0, 3, 'o', 'k'}, {0, 0xff, 0xff, 0xff, 0xff}} {
		if _, err := unframe(b); err == nil {
			t.Errorf("%x is taken for a message", b)
		}
	}
}

func TestFailure(t *testing.T) {
	none := []byte{0x12, 0x01, 'v'}
	refused := append([]byte{0x0a, 0x0b, 0x08, 0x02, 0x12, 0x07}, "no such"...) // error {code: 2, errmsg: "no such"}
	if err := failure(none); err != nil {
		t.Error(err)
	}
	if err := failure(refused); err == nil || !strings.Contains(err.Error(), "error 2: no such") {
		t.Errorf("the error is %v", err)
	}
}

// No answer may do more than fail.
func FuzzAnswers(f *testing.F) {
	for _, x := range recorded(f) {
		f.Add(x.answer)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		unframe(b)
		failure(b)
		parseModules(b)
		parseOutputs(b)
		parsePortStats(b)
		parseSilentDrops(b)
		parseLeaves(b)
		parseUsage(b)
	})
}
