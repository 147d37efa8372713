package external

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
)

// nodeExporter is the URL of Prometheus's node-exporter on the UPF's machine. It
// knows no processes: all that the machine does counts as the UPF's.
type nodeExporter string

func (n nodeExporter) meter() (dut.Meter, error) {
	client := &http.Client{Timeout: 5 * time.Second}
	answer, err := client.Get(string(n))
	if err != nil {
		return dut.Meter{}, fmt.Errorf("external.node_exporter: %w: give the whole URL, as http://HOST:9100/metrics", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return dut.Meter{}, fmt.Errorf("external.node_exporter: %s answers %s: give the whole URL, as http://HOST:9100/metrics", n, answer.Status)
	}
	m, err := parseMetrics(io.LimitReader(answer.Body, 16<<20))
	if err != nil {
		return m, fmt.Errorf("external.node_exporter: %s: %w", n, err)
	}
	m.At, m.Source = time.Now(), "its whole machine, by node-exporter"
	return m, nil
}

// parseMetrics adds up the modes of node_cpu_seconds_total in the text format.
func parseMetrics(r io.Reader) (m dut.Meter, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		rest, found := strings.CutPrefix(lines.Text(), "node_cpu_seconds_total{")
		if !found {
			continue
		}
		labels, value, _ := strings.Cut(rest, "} ")
		seconds, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || seconds < 0 || seconds > 1e9 {
			return m, fmt.Errorf("unexpected line %q", lines.Text())
		}
		t := time.Duration(seconds * float64(time.Second))
		m.Total += t
		if !strings.Contains(labels, `mode="idle"`) && !strings.Contains(labels, `mode="iowait"`) {
			m.Busy += t
		}
	}
	m.DUT = m.Busy
	if m.Total == 0 {
		return m, errors.Join(lines.Err(), errors.New("no node_cpu_seconds_total in it: is the CPU collector on?"))
	}
	return m, lines.Err()
}
