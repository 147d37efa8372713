package sweep

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Residuals draws what is left between models and measurement.
func Residuals(v *view.Run) block.Section {
	f := block.Figure{ID: "residuals", Title: "Residuals of the models", Shape: block.XY,
		Caption: "By how much a model is above or below what was measured. Where marks follow a curve instead of " +
			"scattering about 0, the model has another shape than the UPF."}
	each(v, &f, residuals)
	return figure(f)
}

func residuals(s view.Sweep) (one block.View) {
	var says []string
	for _, m := range []*record.Model{s.Chosen(), s.Model(baseline)} {
		if m == nil || len(m.Residuals) == 0 || len(one.Panels) > 0 && m == s.Chosen() {
			continue
		}
		p, worst := residualPanel(m)
		one.Panels = append(one.Panels, p)
		says = append(says, fmt.Sprintf("%s is at most %s off (%s at %s).", m.Name, percent(math.Abs(worst.off)),
			worst.of, units.Rate(worst.pps)))
	}
	one.Caption = sentences(says)
	return one
}

// residual is one difference as a share of what was measured.
type residual struct {
	pps, off float64
	of       string
}

func residualPanel(m *record.Model) (p block.Panel, worst residual) {
	p = block.Panel{Title: m.Name, X: loadAxis(), Y: block.Axis{Label: "predicted / measured - 1", Unit: block.Ratio}}
	for i, q := range parts() {
		s := block.Series{Name: q.name, Color: fmt.Sprintf("c%d", i), Mark: []string{"circle", "square", "triangle"}[i], Line: "thin"}
		for _, r := range m.Residuals {
			if r.Observable != q.name || r.Measured <= 0 {
				continue
			}
			off := r.Predicted/r.Measured - 1
			s.Data = append(s.Data, block.Point{X: digits(r.LoadPPS), Y: digits(off)})
			if math.Abs(off) >= math.Abs(worst.off) {
				worst = residual{r.LoadPPS, off, q.name}
			}
		}
		if len(s.Data) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	return p, worst
}
