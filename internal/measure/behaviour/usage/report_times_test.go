package usage

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
)

// TestTimesMayBeOffByASecond: times of whole seconds that are cut off in one place and rounded in another differ by one.
func TestTimesMayBeOffByASecond(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(1_000_000+s), 0) }
	volume := rules.Volume{Total: rules.Octets(1)}
	for name, c := range map[string]struct {
		report      n4.Usage
		right, soft bool
	}{
		"as it should be":         {n4.Usage{Volume: volume, Start: at(0), End: at(3), First: at(1), Last: at(2)}, true, false},
		"ends a second early":     {n4.Usage{Volume: volume, Start: at(1), End: at(0)}, true, false},
		"ends two seconds early":  {n4.Usage{Volume: volume, Start: at(2), End: at(0)}, false, true},
		"last a second too early": {n4.Usage{Volume: volume, Start: at(0), End: at(3), First: at(2), Last: at(1)}, true, false},
		"last two too early":      {n4.Usage{Volume: volume, Start: at(0), End: at(3), First: at(3), Last: at(1)}, false, true},
		"no End Time":             {n4.Usage{Volume: volume, Start: at(0)}, false, false},
	} {
		err := timesFit(&c.report, 5*time.Second)
		if (err == nil) != c.right || err != nil && err.Soft != c.soft {
			t.Errorf("%s: %v", name, err)
		}
	}
}
