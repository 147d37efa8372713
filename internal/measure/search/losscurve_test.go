package search

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// 100 %, 90 % ... until two trials in a row lose nothing (RFC 2544 clause 26.3).
func TestLossCurve(t *testing.T) {
	v := device{Capacity: 650e3}
	r, err := LossCurve{MaxPPS: 1e6, Step: 0.1, Duration: time.Minute}.Run(t.Context(), v.trial)
	if err != nil || !r.Valid() {
		t.Fatalf("%v %+v", err, r.Reasons)
	}
	want := []struct{ ratio, loss float64 }{
		{1, 0.35}, {0.9, 1 - 65.0/90}, {0.8, 1 - 65.0/80}, {0.7, 1 - 65.0/70}, {0.6, 0}, {0.5, 0},
	}
	if len(r.Points) != len(want) {
		t.Fatalf("%d points: %+v", len(r.Points), r.Points)
	}
	for i, w := range want {
		if p := r.Points[i]; math.Abs(p.Ratio-w.ratio) > 1e-9 || math.Abs(p.LossRatio-w.loss) > 1e-6 || math.Abs(p.PPS-w.ratio*1e6) > 1e-3 {
			t.Errorf("point %d: %+v, want %+v", i, p, w)
		}
	}
}

func TestLossCurveInBadCases(t *testing.T) {
	for _, c := range []struct {
		name   string
		device device
		points int
		want   record.SearchReason // "" for a whole curve
		err    error
	}{
		{"loses everything", device{Capacity: 0}, 10, record.ReasonNoLowerBound, nil},
		{"loses at each second load",
			device{Capacity: 1e7, spoil: func(n int, o *Outcome, _ float64) { o.Lost = uint64(n % 2) }}, 10,
			record.ReasonNoLowerBound, nil},
		{"loses nothing", device{Capacity: 1e7}, 2, "", nil},
		{"the generator is slower", device{Capacity: 1e7, generator: 750e3}, 5, "", nil},
		{"dies", device{Capacity: 1e5, dies: 3}, 2, record.ReasonTrialFailed, errDied},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := LossCurve{MaxPPS: 1e6, Step: 0.1, Duration: time.Second}.Run(t.Context(), c.device.trial)
			if !errors.Is(err, c.err) || len(r.Points) != c.points {
				t.Errorf("%v, %d points", err, len(r.Points))
			}
			if r.Valid() != (c.want == "") || c.want != "" && r.Reasons[0].Code != c.want {
				t.Errorf("valid %v, %+v", r.Valid(), r.Reasons)
			}
		})
	}
	v := device{Capacity: 1e7, generator: 750e3}
	r, _ := LossCurve{MaxPPS: 1e6, Step: 0.1, Duration: time.Second}.Run(t.Context(), v.trial)
	if !r.Points[0].Bench || r.Points[3].Bench {
		t.Errorf("the generator's loss is given to the device, or the reverse: %+v", r.Points)
	}
	for _, l := range []LossCurve{{}, {MaxPPS: 1e6, Duration: time.Second}, {MaxPPS: 1e6, Step: 0.1},
		{MaxPPS: math.NaN(), Step: 0.1, Duration: time.Second}} {
		if _, err := l.Run(t.Context(), nil); !errors.Is(err, ErrSettings) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

func TestWholeLossCurve(t *testing.T) {
	v := device{Capacity: 650e3}
	r, err := LossCurve{MaxPPS: 1e6, Step: 0.1, Duration: time.Second, All: true}.Run(t.Context(), v.trial)
	if err != nil || len(r.Points) != 10 || math.Abs(r.Points[9].Ratio-0.1) > 1e-9 {
		t.Errorf("%v, %+v", err, r.Points)
	}
}
