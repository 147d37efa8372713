package campaign

import (
	"errors"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestCalibrationOfTheMachine: a run has what is known of its machine with its bench, is asked anew when it goes on
// with another, and says why it has nothing.
func TestCalibrationOfTheMachine(t *testing.T) {
	known, damaged := &record.Calibration{Runs: 8}, errors.New("read the calibration of this machine: it is damaged")
	var asked []string
	r := &book{job: &Job{}, result: &record.Result{Host: record.Host{Kernel: "6.12"}, Engine: record.Engine{Name: "xdp"}, DUTs: []record.DUT{{}}}}
	r.calibrate()
	r.job.Calibration = func(h record.Host, b record.Bench) (*record.Calibration, error) {
		if h.Kernel != "6.12" {
			t.Errorf("it is asked of %+v", h)
		}
		asked = append(asked, b.String())
		if b.Engine == "xdp" {
			return known, nil
		}
		return nil, damaged
	}
	r.calibrate() // nothing is known of the links
	r.result.DUTs[0].Setup.Links = []record.LinkEnd{{Link: "n3", End: record.EndUPF, Driver: "veth"},
		{Link: "n3", End: record.EndTester, Driver: "igb", Offloads: []string{"rx-gro"}}}
	for range 2 {
		r.calibrate()
	}
	if r.result.Calibration != known || len(r.result.Notes) > 0 || len(asked) != 1 || asked[0] != "xdp over igb rx-gro" {
		t.Errorf("%+v, %q, asked %q", r.result.Calibration, r.result.Notes, asked)
	}
	r.result.Engine.Name = "af_packet"
	for range 2 {
		r.calibrate()
	}
	if r.result.Calibration != nil || len(r.result.Notes) != 1 || r.result.Notes[0] != damaged.Error() || len(asked) != 2 {
		t.Errorf("%+v, %q, asked %q", r.result.Calibration, r.result.Notes, asked)
	}
}
