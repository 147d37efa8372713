package campaign

import (
	"context"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestAwait waits while the CPUs are apart, as long as the run has patience, and no longer.
func TestAwait(t *testing.T) {
	n := nearness{left: 3 * glance}
	n.saw(80)
	answers := []float64{400, 390, 85}
	n.await(t.Context(), func() float64 {
		defer func() { answers = answers[1:] }()
		return answers[0]
	})
	if len(answers) != 0 || n.left != glance || n.leastNS != 80 {
		t.Errorf("%d answers left, patience %v, least %v", len(answers), n.left, n.leastNS)
	}
	far := 400.0
	apart := &record.Trial{Evidence: &record.Evidence{LineNS: &far}}
	if !n.lost(apart) || n.lost(&record.Trial{}) {
		t.Error("a trial with the CPUs apart is to be repeated, one of which that is not known is not")
	}
	n.await(context.Background(), func() float64 { return far })
	if n.left > 0 || n.lost(apart) {
		t.Errorf("patience %v is left", n.left)
	}
	n = nearness{left: patience}
	n.await(context.Background(), func() float64 { return 0 })
	if n.left != patience {
		t.Error("waited where nothing is known")
	}
}
