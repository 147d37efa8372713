package e2e

import (
	"debug/elf"
	"strings"
	"testing"
)

// TestProgramIsLight: the program keeps its weight, stripped; docs/inside.md says what it is of.
// A library that is as heavy as some here needs a reason.
func TestProgramIsLight(t *testing.T) {
	f, err := elf.Open(program())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const most = 54e6 // bytes
	kept := 0.0       // of a stripped file
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOBITS && !strings.HasPrefix(s.Name, ".debug_") && s.Name != ".symtab" && s.Name != ".strtab" {
			kept += float64(s.FileSize)
		}
	}
	t.Logf("%.1f MB", kept/1e6)
	if kept > most {
		t.Errorf("the stripped program has %.1f MB, and %.1f are the most: see docs/inside.md", kept/1e6, most/1e6)
	}
}
