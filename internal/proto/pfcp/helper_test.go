package pfcp

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
)

// sample is a message that scapy encoded (testdata/gen.py).
type sample struct {
	name   string
	header Header
	ies    int // octets
	octets []byte
}

func samples(t testing.TB) []sample {
	t.Helper()
	text, err := os.ReadFile("testdata/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	for line := range strings.Lines(string(text)) {
		all = append(all, parseSample(t, line))
	}
	if len(all) == 0 {
		t.Fatal("testdata/messages.txt is empty")
	}
	return all
}

func parseSample(t testing.TB, line string) sample {
	t.Helper()
	var s sample
	var seid, octets string
	_, err := fmt.Sscan(line, &s.name, (*uint8)(&s.header.Type), &seid, &s.header.Sequence, &s.ies, &octets)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if s.header.HasSEID = seid != "-"; s.header.HasSEID {
		if _, err := fmt.Sscan(seid, &s.header.SEID); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	if s.octets, err = hex.DecodeString(octets); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return s
}
