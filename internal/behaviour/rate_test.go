package behaviour

import (
	"testing"
	"time"
)

// TestPauses: windows that a pause took time from do not count, nor does the one after it,
// in which a meter has room.
func TestPauses(t *testing.T) {
	begin := time.Now()
	var windows []window
	for i := range 30 {
		windows = append(windows, window{begin: begin.Add(time.Duration(i) * rateWindow), sent: []uint64{uint64(i)}})
	}
	all := paced(windows)
	during := append([]window(nil), windows...)
	pause(during[:20])
	if got := all - paced(during); got != 2 {
		t.Errorf("a pause in a window that goes on takes %d windows, want 2", got)
	}
	across := append([]window(nil), windows...)
	across[19].sent = nil // it has just begun
	pause(across[:20])
	if got := all - paced(across); got != 3 {
		t.Errorf("a pause until a window begins takes %d windows, want 3", got)
	}
}
