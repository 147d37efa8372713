package upgvpp

import (
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// nodeError is a line of `show errors`: what a node of VPP's graph has counted.
type nodeError struct {
	count                  uint64
	node, reason, severity string
}

// severities end a line.
var severities = []string{"error", "warn", "info", "unknown"}

// parseErrors reads `show errors`. Lines that are none of its counters are left out.
func parseErrors(text string) []nodeError {
	var list []nodeError
	for line := range strings.Lines(text) {
		if e, ok := parseError(strings.TrimSpace(line)); ok {
			list = append(list, e)
		}
	}
	return list
}

// parseError takes a line apart: count, node, reason (of several words), severity.
func parseError(line string) (e nodeError, ok bool) {
	number, rest, found := strings.Cut(line, " ")
	count, err := strconv.ParseUint(number, 10, 64)
	if err != nil || !found {
		return e, false
	}
	node, rest, found := strings.Cut(strings.TrimSpace(rest), " ")
	if !found {
		return e, false
	}
	for _, s := range severities {
		if reason, found := strings.CutSuffix(rest, s); found {
			e = nodeError{count, node, strings.TrimSpace(reason), s}
			return e, e.reason != ""
		}
	}
	return e, false
}

// harmless are counters of what is no loss but has the severity "error", as all
// have that are older than severities: good packets, system calls.
var harmless = map[string]bool{
	"no error": true, "good packets decapsulated": true, "good packets encapsulated": true, "good packets classify": true,
	"handoff to other worker": true, "tx sendto temporary failure": true, "tx sendto fatal failure": true,
	"timed out block": true, "total received block": true, "syscall required": true, "syscall failures": true,
}

// drops are the counters that count lost packets, one place for each.
func drops(list []nodeError) []record.Count {
	var out []record.Count
	for _, e := range list {
		if e.severity == "info" || harmless[e.reason] {
			continue
		}
		out = append(out, record.Count{Place: record.Place("VPP: " + e.node + ": " + e.reason), Packets: e.count})
	}
	return out
}
