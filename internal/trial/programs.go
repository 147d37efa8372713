package trial

import (
	"github.com/cilium/ebpf"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/telemetry"
)

// programRuns reads the statistics of the XDP programs where the direction's
// packets come in.
func (dp *Deployment) programRuns(d record.Direction) (sum telemetry.ProgramRuns, err error) {
	if dp.stats == nil {
		return sum, nil
	}
	for _, way := range d.Each() {
		runs, err := dp.programRunsOf(way)
		if err != nil {
			return sum, err
		}
		sum.NS += runs.NS
		sum.Count += runs.Count
	}
	return sum, nil
}

func (dp *Deployment) programRunsOf(d record.Direction) (telemetry.ProgramRuns, error) {
	in := dp.site.Links().Path(d).UPF
	if !in.Readable() {
		return telemetry.ProgramRuns{}, nil
	}
	id, err := in.XDPProgram()
	if err != nil || id == 0 {
		return telemetry.ProgramRuns{}, err
	}
	return telemetry.Runs(ebpf.ProgramID(id))
}
