package run

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// UPFs is what is known of each UPF besides its figures.
func UPFs(v *view.Run) block.Section {
	s := block.Section{Title: "The UPFs", Only: block.Pages}
	for _, d := range v.UPFs {
		s.Blocks = append(s.Blocks, block.Section{Title: d.Label, Blocks: upf(d)})
	}
	return s
}

func upf(d *view.UPF) []block.Block {
	blocks := []block.Block{block.Note{Text: fmt.Sprintf("%s, %s, memory at most %s", units.OrNone(d.Version), d.State(), memory(d))}}
	if p := problem(d); p != "" {
		blocks = append(blocks, block.Note{Tone: block.Bad, Text: p})
	}
	if lines := block.PrintableLines(d.LogTail); len(lines) > 0 {
		blocks = append(blocks, block.Code{Lines: lines})
	}
	if len(d.Remarks) > 0 {
		blocks = append(blocks, block.List{Items: block.Texts(d.Remarks)})
	}
	if len(d.Files) > 0 {
		blocks = append(blocks, block.Note{Tone: block.Muted, Label: "Files", Text: strings.Join(d.Files, ", ")})
	}
	return blocks
}

func memory(d *view.UPF) string {
	if d.Memory() == 0 {
		return units.None
	}
	return units.Bytes(d.Memory())
}
