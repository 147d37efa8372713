package host

import (
	"os"
	"testing"
)

func TestFacts(t *testing.T) {
	h := Facts()
	for what, v := range map[string]string{
		"OS": h.OS, "kernel": h.Kernel, "CPU": h.CPU, "preemption": h.Preemption, "hostname": h.Hostname, "command line": h.Cmdline,
	} {
		if v == "" {
			t.Errorf("the %s is not known", what)
		}
	}
	if h.CPUs < 1 || h.MemoryBytes < 1<<26 {
		t.Errorf("%d CPUs, %d bytes of memory", h.CPUs, h.MemoryBytes)
	}
	if _, err := os.Stat("/sys/devices/system/clocksource"); err == nil && h.Clocksource == "" {
		t.Error("the clocksource is not known")
	}
}

func TestStartTime(t *testing.T) {
	own, err := startTime(os.Getpid())
	if err != nil || own == 0 {
		t.Fatal(own, err)
	}
	first, err := startTime(1)
	if err != nil || first > own {
		t.Errorf("process 1 started at %d, %v; this one at %d", first, err, own)
	}
}
