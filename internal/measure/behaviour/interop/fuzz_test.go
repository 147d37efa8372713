package interop

import (
	"bytes"
	"io"
	"testing"

	b "github.com/upflab/upflab/internal/measure/behaviour"
)

// FuzzParse: a dialect that is taken can be written, read and made steps of.
func FuzzParse(f *testing.F) {
	for _, d := range Dialects() {
		f.Add(d.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse(text)
		if err != nil {
			return
		}
		d.steps(b.Sample())
		if again, err := Parse(d.String()); err != nil || again.String() != d.String() {
			t.Errorf("written and read it is another one: %v", err)
		}
	})
}

// FuzzRecord: what a capture gives is a dialect that can be read again.
func FuzzRecord(f *testing.F) {
	for _, name := range []string{"n4.pcap", "n4.pcapng", "esp.pcap", "fragments.pcap"} {
		all, err := io.ReadAll(open(f, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(all)
	}
	f.Fuzz(func(t *testing.T, capture []byte) {
		d, err := Record("some", "", bytes.NewReader(capture), 1)
		if err != nil {
			return
		}
		d.steps(b.Sample())
		if _, err := Parse(d.String()); err != nil {
			t.Errorf("what was recorded cannot be read: %v\n%s", err, d)
		}
	})
}
