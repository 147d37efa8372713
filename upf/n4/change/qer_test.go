package change

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/n4/request"
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
		f := request.Fields{ie.NewQERID(1)}
		if c.window != nil {
			f = append(f, c.window)
		}
		change, err := request.DecodeUpdateQER(f)
		if err != nil {
			t.Fatal(err)
		}
		if applyQER(&change, &q); q.Window != c.want {
			t.Errorf("%s: the window is %v, want %v", c.story, q.Window, c.want)
		}
	}
	if _, err := request.DecodeUpdateQER(request.Fields{ie.NewQERID(1), ie.New(ie.AveragingWindow, []byte{0, 1})}); err == nil {
		t.Error("an Averaging Window of two octets is accepted")
	}
}

// TestPagingPolicyIndicator: an update with the IE (TS 29.244 clause 8.2.116: the low three bits of an
// octet) changes the indicator, one without keeps it, an empty one takes it away. 0 is an indicator.
func TestPagingPolicyIndicator(t *testing.T) {
	var q session.QER
	for _, c := range []struct {
		story string
		ppi   *ie.IE
		want  session.PPI
	}{
		{"given", ie.New(ie.PagingPolicyIndicator, []byte{5}), session.PPIOf(5)},
		{"absent", nil, session.PPIOf(5)},
		{"0, with spare bits", ie.New(ie.PagingPolicyIndicator, []byte{0xf8}), session.PPIOf(0)},
		{"empty", ie.New(ie.PagingPolicyIndicator, nil), 0},
	} {
		f := request.Fields{ie.NewQERID(1)}
		if c.ppi != nil {
			f = append(f, c.ppi)
		}
		change, err := request.DecodeUpdateQER(f)
		if err != nil {
			t.Fatal(err)
		}
		if applyQER(&change, &q); q.PPI != c.want {
			t.Errorf("%s: the indicator is %#x, want %#x", c.story, q.PPI, c.want)
		}
		text, err := json.Marshal(q)
		var again session.QER
		if err != nil || json.Unmarshal(text, &again) != nil || again != q {
			t.Errorf("%s: kept as %s, %v", c.story, text, err)
		}
	}
}
