package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
)

// lookEvery is how often a calibration looks for other runs. The shortest takes seconds.
const lookEvery = time.Second

// othersDuring does some work and looks which runs are under way on this machine meanwhile. list gives the runs that
// there are. What cannot be read is not ours.
func othersDuring(list func() ([]host.Record, error), work func()) (seen []host.Record) {
	look := func() {
		records, _ := list()
		for _, r := range records {
			if r.Live && !slices.ContainsFunc(seen, func(s host.Record) bool { return s.Run == r.Run }) {
				seen = append(seen, r)
			}
		}
	}
	look()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				look()
			}
		}
	}()
	work()
	close(done)
	<-ended
	look()
	return seen
}

// otherRuns names those of them that are not run; "": there were none.
func otherRuns(seen []host.Record, run string) string {
	var names []string
	for _, r := range seen {
		if r.Run != run {
			names = append(names, fmt.Sprintf("%s, process %d", r.Run, r.PID))
		}
	}
	return strings.Join(names, "; ")
}
