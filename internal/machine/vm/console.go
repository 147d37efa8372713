package vm

import (
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// console keeps the end of what a guest's kernel printed.
type console struct {
	mu    sync.Mutex
	lines []string // the last one may be unfinished
}

// consoleKept is how many lines of it are kept.
const consoleKept = 200

// read reads to the end, and copies all of it; nil: nowhere.
func (c *console) read(from io.Reader, copy io.Writer) {
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		c.add(string(b[:n]))
		if copy != nil {
			_, _ = copy.Write(b[:n])
		}
		if err != nil {
			return
		}
	}
}

func (c *console) add(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lines) == 0 {
		c.lines = []string{""}
	}
	for i, part := range strings.Split(text, "\n") {
		if i > 0 {
			c.lines = append(c.lines, "")
		}
		c.lines[len(c.lines)-1] += part
	}
	if extra := len(c.lines) - consoleKept; extra > 0 {
		c.lines = append([]string(nil), c.lines[extra:]...)
	}
}

// has reports whether a text is in a line that is kept.
func (c *console) has(text string) bool {
	return strings.Contains(strings.Join(c.last(consoleKept), "\n"), text)
}

// faults begin what a kernel prints when something went wrong in it.
func faults() []string {
	return []string{"BUG: ", "Oops: ", "general protection fault", "Kernel panic"}
}

// end are up to n lines: the last that say something, or those of the first fault.
func (c *console) end(n int) []string {
	all := c.last(consoleKept)
	for i, line := range all {
		if slices.ContainsFunc(faults(), func(text string) bool { return strings.Contains(line, text) }) {
			return all[max(0, i-1):min(i+n-1, len(all))]
		}
	}
	return all[max(0, len(all)-n):]
}

// last are up to n of the last lines that say something, without what controls a terminal.
func (c *console) last(n int) (list []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, line := range c.lines {
		line = strings.TrimSpace(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return -1
			}
			return r
		}, line))
		if line != "" {
			list = append(list, line)
		}
	}
	return list[max(0, len(list)-n):]
}
