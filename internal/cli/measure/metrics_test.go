package measure

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/exit"
)

// TestMetricsPortInUse: nothing is made for a run whose port is taken.
func TestMetricsPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = listenMetrics(l.Addr().String())
	var said bytes.Buffer
	if got := exit.Report(&said, err); got != exit.Usage || !strings.Contains(said.String(), "--metrics "+l.Addr().String()+": another program listens there") {
		t.Errorf("status %d, says %q", got, said.String())
	}
}
