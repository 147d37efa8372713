package pages

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/socket/threads"
)

// TestPagesDoNotWait: a page whose index is being made says so, runs are shown meanwhile,
// and the next page has all.
func TestPagesDoNotWait(t *testing.T) {
	s := serve(t, folder(t), Options{Loopback: true, Patience: time.Nanosecond})
	first := true
	shown := func() bool {
		status, body := get(t, s.Client(), s.URL+"/")
		if status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
		if first && !strings.Contains(body, "Results are being read") {
			t.Error("the first page waited, or does not say that results are being read")
		}
		first = false
		if status, _ := get(t, s.Client(), s.URL+"/runs/night-03"); status != http.StatusOK {
			t.Errorf("a run while results are being read: status %d", status)
		}
		return strings.Contains(body, "night-11") && strings.Contains(body, "Since")
	}
	if !threads.Await(time.Minute, 20*time.Millisecond, shown) {
		t.Error("the runs and what changed did not come within a minute")
	}
}
