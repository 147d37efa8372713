package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// textWidth is the widest line of Text, in characters.
const textWidth = 100

// Text writes the table shown in the terminal at the end of a run: a block for
// each DUT, references last, no line over 100 characters, no colours.
func Text(w io.Writer, r *record.Result) error { return writeText(w, r, Beside{}) }

func writeText(w io.Writer, r *record.Result, b Beside) error {
	if r == nil {
		return errNoResult
	}
	var t text
	v := newView(r)
	v.Published = v.publish(b.Published)
	t.head(v)
	for _, d := range v.DUTs {
		t.dut(d)
		t.soaks(d, v)
	}
	t.summary(v)
	t.published(v)
	return write(w, "the text report", t.Bytes())
}

// text collects lines, none of which holds a control character.
type text struct{ bytes.Buffer }

func (t *text) linef(format string, args ...any) {
	line := strings.Map(keepPrintable, fmt.Sprintf(format, args...))
	t.WriteString(strings.TrimRight(line, " ") + "\n")
}

// say writes a paragraph: the first line after lead, the others below it.
func (t *text) say(lead, words string) {
	indent := strings.Repeat(" ", len([]rune(lead)))
	for _, line := range wrap(printable(words), textWidth-len(indent)) {
		t.linef("%s%s", lead, line)
		lead = indent
	}
}

func (t *text) head(v view) {
	t.linef("%s, run %s, %s, upflab %s", orNone(printable(v.Scenario)), orNone(printable(v.Run)), instant(v.Started),
		orNone(printable(v.Tool.Version)))
	t.say("", fmt.Sprintf("%s, %d CPUs, kernel %s; generator on CPU %d, DUT on %s", orNone(v.Host.CPU), v.Host.CPUs,
		orNone(v.Host.Kernel), v.Host.Placement.Generator, cpuList(v.Host.Placement.DUT)))
	if words := engineWords(v); words != "" {
		t.say("", "sent and received by "+words)
	}
	if !v.Complete {
		t.say("! ", "INCOMPLETE: "+whyIncomplete(v))
	}
	t.say("", "latency counts from the intended send time; cores: CPU of the DUT"+wireWords(v)+shareWords(v)+repeatWords(v))
}

func wireWords(v view) string {
	if !v.HasReference {
		return ""
	}
	return "; wire: p50 µs without a UPF at that load, ~ at the nearest"
}

// shareWords explains the loads of searches.
func shareWords(v view) string {
	switch {
	case !v.Searched:
		return ""
	case slices.ContainsFunc(v.DUTs, dutView.doubtful):
		return "; NDR: non-drop rate, with ? where it is not valid"
	default:
		return "; NDR: non-drop rate"
	}
}

func (d dutView) doubtful() bool {
	return slices.ContainsFunc(d.Rows, func(r row) bool { return r.Doubtful })
}

func repeatWords(v view) string {
	if !v.Repeated {
		return ""
	}
	return "; figures are medians over repeats, their range below"
}

func (t *text) dut(d dutView) {
	title := d.Label
	if d.Reference {
		title += " (reference: no UPF, what the bench carries)"
	}
	t.linef("")
	t.say("", strings.TrimSpace(title+"  "+d.Version))
	if d.failed() {
		t.say("  ! ", d.state()+": "+orNone(d.Error))
	}
	for _, line := range printableLines(d.LogTail) {
		t.say("    | ", line)
	}
	if len(d.Rows) > 0 {
		t.linef("%s", textHeader())
	}
	size := ""
	for _, r := range d.Rows {
		if d.sized && r.group.Size != size {
			size = r.group.Size
			t.linef("  %s", sizeTitle(r.group.All[0]))
		}
		t.row(r)
	}
	t.searches(d)
	t.others(d)
}

func (t *text) row(r row) {
	t.linef("%s", textCells(r))
	if len(r.group.All) > 1 {
		t.say("    ", fmt.Sprintf("repeats %s: Rx %s kpps, p50 %s µs, p99 %s µs", r.Repeats, r.RxKpps.span(), r.P50.span(), r.P99.span()))
	}
	t.apart(r)
	for _, one := range r.group.All {
		if !one.Valid {
			t.say("    ! not valid"+repeatOf(r, one)+": ", strings.Join(one.Reasons, "; "))
		}
	}
}

// repeatOf names a repeat where there are several.
func repeatOf(r row, one *record.Trial) string {
	if len(r.group.All) < 2 {
		return ""
	}
	return fmt.Sprintf(" (repeat %d)", one.Repeat)
}

func (t *text) summary(v view) {
	t.linef("")
	if len(v.Sizes) > 0 {
		t.sizes(v)
	} else {
		t.heads(v)
		t.side(v)
	}
	if n, all := v.badSearches(); n > 0 {
		t.say("! ", fmt.Sprintf("not valid: %d of %s; their reasons are above", n, fmt.Sprint(all)+" rates searched"))
	}
	if n := len(v.Bad); n > 0 {
		t.say("! ", fmt.Sprintf("not valid: %d of %d trials; medians leave them out where valid ones exist", n, len(v.verdicts())))
	}
	for _, note := range v.Notes {
		t.say("note: ", note)
	}
}

func (t *text) heads(v view) {
	for _, h := range v.headlines() {
		t.say(pad(h.DUT.Label, 14, false)+" ", headlineWords(h))
	}
}

// headlineWords is the one sentence on a DUT.
func headlineWords(h headline) string {
	if len(h.DUT.Trials) == 0 && len(h.DUT.Searches) == 0 {
		return h.DUT.state() + ": nothing was measured"
	}
	var parts []string
	for _, f := range h.Figures {
		parts = append(parts, f.Direction+" "+f.words())
	}
	return strings.Join(parts, "; ")
}

// words prefers the rates that a search found to the highest one received.
func (f figures) words() string {
	var parts []string
	if f.NDR.Searched {
		parts = append(parts, f.NDR.words(true))
	}
	if f.PDR.Searched {
		parts = append(parts, f.PDR.words(false))
	}
	if !f.NDR.Known {
		parts = append(parts, f.received())
	}
	return strings.Join(parts, ", ")
}

func (f figures) received() string {
	switch {
	case !f.Known && f.NDR.Searched:
		return "no rate was measured otherwise"
	case !f.Known:
		return notMeasured + " (" + f.Note + ")"
	}
	text := fmt.Sprintf("%s Mpps, %s Gbit/s (%s)", f.Mpps.Text, f.Gbps.Text, f.Note)
	if f.NDR.Searched {
		return "highest received " + text
	}
	return text
}
