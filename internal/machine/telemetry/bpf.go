package telemetry

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cilium/ebpf"
)

// BPFMapBytes is the memory of the BPF maps that a process holds open, as the
// kernel charges it.
func BPFMapBytes(pid int) uint64 {
	paths, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	seen := map[string]bool{}
	var sum uint64
	for _, path := range paths {
		fields := fdinfo(path)
		id := fields["map_id"]
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		n, _ := strconv.ParseUint(fields["memlock"], 10, 64)
		sum += n
	}
	return sum
}

func fdinfo(path string) map[string]string {
	f, err := os.Open(path)
	if err != nil {
		return nil // descriptors come and go
	}
	defer f.Close()
	fields := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		fields[key] = strings.TrimSpace(value)
	}
	return fields
}

// ProgramRuns is how often a BPF program ran and how long that took, ns. Both
// are 0 unless statistics are on (ebpf.EnableStats).
type ProgramRuns struct {
	Count, NS uint64
}

// Runs reads the statistics of a program.
func Runs(id ebpf.ProgramID) (ProgramRuns, error) {
	p, err := ebpf.NewProgramFromID(id)
	if err != nil {
		return ProgramRuns{}, fmt.Errorf("open BPF program %d: %w", id, err)
	}
	defer p.Close()
	stats, err := p.Stats()
	if errors.Is(err, ebpf.ErrNotSupported) {
		return ProgramRuns{}, nil
	}
	if err != nil {
		return ProgramRuns{}, fmt.Errorf("read statistics of BPF program %d: %w", id, err)
	}
	return ProgramRuns{Count: stats.RunCount, NS: uint64(stats.Runtime)}, nil
}
