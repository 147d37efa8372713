package campaign

import (
	"errors"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestCalibrationOfTheMachine: a run has what is known of its machine, and says why it has not.
func TestCalibrationOfTheMachine(t *testing.T) {
	known, damaged := &record.Calibration{Runs: 8}, errors.New("read the calibration of this machine: it is damaged")
	r := &record.Result{Host: record.Host{Kernel: "6.12"}}
	(&Plan{}).calibrate(r)
	(&Plan{Calibration: func(h record.Host) (*record.Calibration, error) {
		if h.Kernel != "6.12" {
			t.Errorf("it is asked of %+v", h)
		}
		return known, nil
	}}).calibrate(r)
	if r.Calibration != known || len(r.Notes) > 0 {
		t.Errorf("%+v, %q", r.Calibration, r.Notes)
	}
	(&Plan{Calibration: func(record.Host) (*record.Calibration, error) { return nil, damaged }}).calibrate(r)
	if r.Calibration != nil || len(r.Notes) != 1 || r.Notes[0] != damaged.Error() {
		t.Errorf("%+v, %q", r.Calibration, r.Notes)
	}
}
