package open5gs

import (
	"strings"

	"github.com/upflab/upflab/internal/dut/process"
)

// instance is a running UPF whose log people can read.
type instance struct{ *process.Instance }

// LogTail is dut.Instance's.
func (i instance) LogTail() string { return plain(i.Instance.LogTail()) }

// plain leaves out the colours, which Open5GS writes wherever its log goes.
func plain(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, text, _ = strings.Cut(after, "m")
	}
}
