package sections

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/behaviour"
	"github.com/upflab/upflab/internal/report/sections/run"
	"github.com/upflab/upflab/internal/report/sections/searches"
	"github.com/upflab/upflab/internal/report/sections/trials"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// Part is a result that a dossier is made of.
type Part struct {
	Result *record.Result
	Folder string // where it is, for commands on the page
}

// Reproducer is what shows a finding without upflab.
type Reproducer struct {
	Case   string
	Folder string // relative to the page's; "": there is none
	Why    string // there is none
}

// Dossier is one page on a UPF for those who maintain it: what was found, with what shows it; its rates and the load that is
// safe; the truth of its telemetry; and what it leaves in the kernel. missing are the scenarios without a result.
func Dossier(label string, parts []Part, shown []Reproducer, missing []string, now time.Time) block.Document {
	d := block.Document{Title: "Dossier: " + label, Meta: []block.Fact{{Name: "date", Value: now.UTC().Format("2006-01-02 15:04 UTC")}}}
	for _, p := range parts {
		v := view.New(only(p.Result, label))
		d.Maker = strings.TrimSpace("upflab " + p.Result.Tool.Version)
		d.Meta = append(d.Meta, block.Fact{Name: p.Result.Scenario, Value: described(v, p)})
		list := made(v, []Section{run.Answers, behaviour.Findings, leaks, behaviour.Telemetry, behaviour.IPsec,
			searches.Rates, trials.Models, run.Validity})
		if len(list) > 0 && list[0].Title == "" {
			list[0].Title = cmp.Or(p.Result.Title, p.Result.Scenario)
		}
		d.Sections = append(d.Sections, list...)
	}
	if len(shown) > 0 {
		d.Sections = append(d.Sections, reproducers(shown))
	}
	if len(missing) > 0 {
		d.Sections = append(d.Sections, block.Section{Title: "Not measured", Blocks: []block.Block{
			block.Note{Text: strings.Join(missing, ", ") + ": run `upflab dossier --dut " + label + "` again to measure it."}}})
	}
	return d
}

// only is a result with one of its UPFs.
func only(r *record.Result, label string) *record.Result {
	one := *r
	one.DUTs = slices.Clone(r.DUTs)
	one.DUTs = slices.DeleteFunc(one.DUTs, func(d record.DUT) bool { return compare.Label(&d) != label && !d.Reference })
	return &one
}

// described is which run a part is, and of what.
func described(v *view.Run, p Part) string {
	r, version := p.Result, ""
	for _, d := range v.UPFs {
		if !d.Reference {
			version = d.Version
		}
	}
	return fmt.Sprintf("version %s, %s, Linux %s, %s, upflab %s; %s", version, r.Started.UTC().Format("2006-01-02 15:04"), r.Host.Kernel,
		r.Host.CPU, r.Tool.Version, filepath.Base(p.Folder))
}

// leaks are what sessions leave in the kernel.
func leaks(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("Case"), block.Words("Verdict"), block.Prose("Observed")}}
	for _, d := range v.UPFs {
		for i := range d.Cases {
			if c := &d.Cases[i]; strings.HasPrefix(c.ID, "leak.") {
				t.Rows = append(t.Rows, block.Row{Cells: block.Cells(c.ID, view.VerdictWords(c.Verdict), c.Observed)})
			}
		}
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Leaks", Hint: "What sessions that are gone leave in the kernel.", Blocks: []block.Block{t}}
}

func reproducers(list []Reproducer) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("Finding"), block.Prose("What shows it without upflab")}}
	for _, x := range list {
		how := "python3 " + x.Folder + "/reproduce.py, with report.md and packets.pcapng next to it"
		if x.Folder == "" {
			how = "none: " + x.Why
		}
		t.Rows = append(t.Rows, block.Row{Cells: block.Cells(x.Case, how)})
	}
	return block.Section{Title: "Reproducers", Hint: "Each folder has the text of a bug report, and a script that needs Python alone.",
		Blocks: []block.Block{t}}
}
