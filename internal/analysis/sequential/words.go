package sequential

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// Words say how a run ended and what it knows: "stopped after 11 repeats: 1.47 Mpps is known to ±1.9 %".
func Words(u *record.Until) string {
	text := "stopped after " + units.Plural(u.Repeats, "repeat")
	switch u.Ended {
	case record.EndedKnown:
	case record.EndedTime:
		text += ", since another one does not fit into " + seconds(u.AtMostS)
	case record.EndedMost:
		text += ", which is as many as a run has"
	case record.EndedFutile:
		text += ", since more would change nothing"
	default:
		text += ", cut short"
	}
	if u.Decided > 0 {
		return text + ": " + verdictWords(u)
	}
	return text + ": " + knownWords(u)
}

func seconds(s float64) string { return time.Duration(s * float64(time.Second)).String() }

// knownWords has the first figure, how many others are known, and the one that is known worst.
func knownWords(u *record.Until) string {
	if len(u.Known) == 0 {
		return "nothing was measured"
	}
	first, n := u.Known[0], len(u.Known)
	missed := slices.DeleteFunc(slices.Clone(u.Known), func(k record.KnownFigure) bool { return k.Known })
	known := ""
	if first.Within != nil {
		known = fmt.Sprintf("%s is known to ±%s", valueOf(first), percent(*first.Within))
	}
	if len(missed) > 0 {
		open := fmt.Sprintf("%d of %s not known to ±%s, the worst %s", len(missed), units.Plural(n, "figure"), percent(u.Precision), oneWords(worstOf(missed)))
		if known == "" {
			return open
		}
		return known + "; " + open
	}
	if n > 1 {
		known += fmt.Sprintf(", and the other %s to ±%s or better", units.Plural(n-1, "figure"), percent(u.Precision))
	}
	return known
}

// oneWords say how well one figure is known.
func oneWords(k record.KnownFigure) string {
	place := fmt.Sprintf("%s of %s, %s", k.Figure, k.DUT, k.Where)
	switch {
	case k.Repeats == 0:
		return place + ": " + k.Why
	case k.Within == nil:
		return fmt.Sprintf("%s: %s, and no interval yet of %s: %d are the least", place, valueOf(k), units.Plural(k.Repeats, "valid repeat"),
			LeastRepeats(false))
	case k.Known:
		return fmt.Sprintf("%s: %s ±%s", place, valueOf(k), percent(*k.Within))
	case k.Why != "":
		return fmt.Sprintf("%s: %s ±%s, %s", place, valueOf(k), percent(*k.Within), k.Why)
	case k.Needs > 0:
		return fmt.Sprintf("%s: %s ±%s, which needs about %d more", place, valueOf(k), percent(*k.Within), k.Needs)
	}
	return fmt.Sprintf("%s: %s ±%s, which needs more than %d", place, valueOf(k), percent(*k.Within), MostRepeats)
}

// worstOf is the figure that is known worst, one without any interval first.
func worstOf(list []record.KnownFigure) record.KnownFigure {
	return slices.MaxFunc(list, func(a, b record.KnownFigure) int {
		if a.Within == nil || b.Within == nil {
			return cmp.Compare(missing(a), missing(b))
		}
		return cmp.Compare(*a.Within, *b.Within)
	})
}

func missing(k record.KnownFigure) int {
	if k.Within == nil {
		return 1
	}
	return 0
}

func valueOf(k record.KnownFigure) string { return k.Sign + figure.Write(k.Value, figure.Unit(k.Unit)) }

func percent(ratio float64) string { return strings.TrimPrefix(signed(ratio), "+") }

// signed is a change in percent with its sign.
func signed(ratio float64) string {
	if math.Abs(ratio) >= 0.1 {
		return fmt.Sprintf("%+.0f %%", 100*ratio)
	}
	return fmt.Sprintf("%+.2g %%", 100*ratio)
}

// verdictWords say what a comparison came to.
func verdictWords(u *record.Until) string {
	v := u.Verdict
	if v == nil || len(v.Figures) == 0 {
		return "the two have no valid figure in common"
	}
	by := fmt.Sprintf(" than %s by more than %s", v.A, percent(u.Decided))
	switch compare.Decision(v.Decision) {
	case compare.DecidedWorse:
		return v.B + " is worse" + by + ", in " + strings.Join(of(v, compare.DecidedWorse), "; ")
	case compare.DecidedNotWorse:
		return v.B + " is not worse" + by + ", in any of " + units.Plural(len(v.Figures), "figure")
	case compare.NeedsRepeats:
		text := fmt.Sprintf("whether %s is worse%s is not decided, in %s", v.B, by, strings.Join(of(v, compare.NeedsRepeats), "; "))
		if v.Needs > 0 {
			text += fmt.Sprintf(": about %d more repeats", v.Needs)
		}
		return text
	}
	return fmt.Sprintf("whether %s is worse%s cannot be decided, in %s", v.B, by, strings.Join(of(v, compare.Undecidable), "; "))
}

// of are the figures with a decision, in words.
func of(v *record.UntilVerdict, d compare.Decision) (list []string) {
	for _, f := range v.Figures {
		if f.Decision != string(d) {
			continue
		}
		text := fmt.Sprintf("%s (%s, %s)", f.Figure, f.Where, signed(f.Change))
		if f.Why != "" {
			text = fmt.Sprintf("%s (%s: %s)", f.Figure, f.Where, f.Why)
		}
		list = append(list, text)
	}
	return list
}

// Across says where another run lies, where runs differ by more than the precision that this one has; "": they do not.
func Across(u *record.Until) string {
	var k record.KnownFigure
	for _, other := range u.Known {
		if other.Known && other.BetweenRuns > max(u.Precision, k.BetweenRuns) {
			k = other
		}
	}
	if k.Figure == "" {
		return ""
	}
	how := "as upflab calibrate measured"
	if k.Assumed {
		how = "assumed: sudo upflab calibrate measures it"
	}
	return fmt.Sprintf("That is of this run. Another run of the same thing may lie up to %s away, in %s (%s).", percent(k.BetweenRuns), k.Figure, how)
}

// Progress says how far a run is, in a line.
func Progress(u *record.Until) string {
	if u.Decided > 0 {
		return verdictWords(u)
	}
	known := 0
	for _, k := range u.Known {
		if k.Known {
			known++
		}
	}
	text := fmt.Sprintf("%d of %s known to ±%s", known, units.Plural(len(u.Known), "figure"), percent(u.Precision))
	if known == len(u.Known) {
		return text
	}
	missed := slices.DeleteFunc(slices.Clone(u.Known), func(k record.KnownFigure) bool { return k.Known })
	return text + "; " + oneWords(worstOf(missed))
}
