package plan

import (
	"strings"

	"github.com/upflab/upflab/internal/lab/dut"
)

// Folder is the name of a target's folder in the result.
func Folder(t dut.Target) string { return strings.NewReplacer(":", "-", "/", "-").Replace(t.Label()) }
