package telemetry

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFrequency(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"cpu0": "3400000\n", "cpu1": "1400000\n", "cpu2": "<unknown>\n"} {
		dir := filepath.Join(root, name, "cpufreq")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "scaling_cur_freq"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		cpus []int
		mhz  float64
		ok   bool
	}{
		{[]int{0}, 3400, true}, {[]int{0, 1}, 2400, true}, {[]int{0, 2}, 0, false}, {[]int{3}, 0, false}, {nil, 0, false},
	} {
		if mhz, ok := frequency(root, c.cpus); mhz != c.mhz || ok != c.ok {
			t.Errorf("CPUs %v: %g MHz, %v", c.cpus, mhz, ok)
		}
	}
}
