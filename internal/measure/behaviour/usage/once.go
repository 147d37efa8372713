package usage

import (
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
)

// Once holds the UPF to one Session Report Request for each report: all of them are answered at once,
// so that none has to be sent again (TS 29.244 clause 6.4).
func Once(u *behaviour.UE) behaviour.Step {
	const expected = "each session report comes once, as it is answered"
	return behaviour.Step{Text: expected, Do: func(t *behaviour.T) error {
		t.Wait(time.Second) // that of a UPF's timer T1, mostly
		for n, r := range t.Peer().Reports(t.Session(u).Ours) {
			if r.Again > 0 {
				return fail.Repeated(fail.Wrongf(expected, "session report %d came %d times", n+1, r.Again+1))
			}
		}
		return nil
	}}
}
