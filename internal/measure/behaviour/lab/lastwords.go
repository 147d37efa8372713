package lab

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/text/units"
)

// lastWords is the line of a log that says why a program ended: a panic with the function
// that it was in, a failed assertion, or else the last one.
func lastWords(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal error: "):
			return fmt.Sprintf("%q in %s", line, panicked(lines[i:]))
		case strings.Contains(line, "Assertion"), strings.Contains(line, "FATAL"), strings.Contains(line, "SUMMARY: "):
			return fmt.Sprintf("its log: %q", strings.TrimSpace(line))
		}
	}
	return fmt.Sprintf("its last message: %q", units.LastLine(log))
}

// panicked gives the function in the first frame of a Go trace that is not of the runtime.
func panicked(lines []string) string {
	trace := false
	for _, line := range lines {
		name, _, called := strings.Cut(line, "(0x")
		if !called {
			name, _, called = strings.Cut(line, "(...)")
		}
		switch {
		case strings.HasPrefix(line, "goroutine "):
			trace = true
		case trace && called && !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "panic("):
			return name[strings.LastIndex(name, "/")+1:]
		}
	}
	return "a function that its log does not name"
}
