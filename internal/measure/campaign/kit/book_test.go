package kit

import (
	"errors"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/record"
)

// TestCalibrationOfTheMachine: a run has what is known of its machine with its bench, is asked anew when it goes on
// with another, and says why it has nothing.
func TestCalibrationOfTheMachine(t *testing.T) {
	known, damaged := &record.Calibration{Runs: 8}, errors.New("read the calibration of this machine: it is damaged")
	var asked []string
	r := &Book{Result: &record.Result{Host: record.Host{Kernel: "6.12"}, Engine: record.Engine{Name: "xdp"}, DUTs: []record.DUT{{}}}}
	r.calibrate()
	r.Calibration = func(h record.Host, b record.Bench) (*record.Calibration, error) {
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
	r.Result.DUTs[0].Setup.Links = []record.LinkEnd{{Link: "n3", End: record.EndUPF, Driver: "veth"},
		{Link: "n3", End: record.EndTester, Driver: "igb", Offloads: []string{"rx-gro"}}}
	for range 2 {
		r.calibrate()
	}
	if r.Result.Calibration != known || len(r.Result.Notes) > 0 || len(asked) != 1 || asked[0] != "xdp over igb rx-gro" {
		t.Errorf("%+v, %q, asked %q", r.Result.Calibration, r.Result.Notes, asked)
	}
	r.Result.Engine.Name = "af_packet"
	for range 2 {
		r.calibrate()
	}
	if r.Result.Calibration != nil || len(r.Result.Notes) != 1 || r.Result.Notes[0] != damaged.Error() || len(asked) != 2 {
		t.Errorf("%+v, %q, asked %q", r.Result.Calibration, r.Result.Notes, asked)
	}
}

// TestMeet: runs that were under way before, or that began later, are noted once; its own, and those that are dead, are not.
func TestMeet(t *testing.T) {
	r := &record.Result{Run: "own"}
	meet(r, []host.Record{{Run: "before", PID: 7, Live: true}, {Run: "dead", PID: 8}, {Run: "own", PID: 9, Live: true}})
	for range 2 {
		meet(r, []host.Record{{Run: "own", PID: 9, Live: true}, {Run: "after", PID: 10, Live: true}})
	}
	if want := []record.Neighbour{{Run: "before", PID: 7}, {Run: "after", PID: 10}}; !slices.Equal(r.Neighbours, want) || len(r.Notes) != 2 {
		t.Errorf("%v, notes %q", r.Neighbours, r.Notes)
	}
}
