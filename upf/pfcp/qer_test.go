package pfcp

import (
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// TestAveragingWindow: an update with the IE (TS 29.244 clause 8.2.115, milliseconds in 32
// bits) changes the window, one without keeps it, an empty one gives the default again.
func TestAveragingWindow(t *testing.T) {
	var q session.QER
	for _, c := range []struct {
		story  string
		window *ie.IE
		want   time.Duration
	}{
		{"given", ie.New(ie.AveragingWindow, []byte{0, 0, 1, 0xf4}), 500 * time.Millisecond},
		{"absent", nil, 500 * time.Millisecond},
		{"empty", ie.New(ie.AveragingWindow, nil), 0},
	} {
		f := fields{ie.NewQERID(1)}
		if c.window != nil {
			f = append(f, c.window)
		}
		change, err := decodeUpdateQER(f)
		if err != nil {
			t.Fatal(err)
		}
		if change.apply(&q); q.Window != c.want {
			t.Errorf("%s: the window is %v, want %v", c.story, q.Window, c.want)
		}
	}
	if _, err := decodeUpdateQER(fields{ie.NewQERID(1), ie.New(ie.AveragingWindow, []byte{0, 1})}); err == nil {
		t.Error("an Averaging Window of two octets is accepted")
	}
}
