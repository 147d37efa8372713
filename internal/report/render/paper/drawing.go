package paper

import (
	"bytes"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// drawing is a plot with its legend above it.
type drawing struct {
	plot   *plot.Plot
	legend []entry
	height vg.Length // of the plot
}

func (d drawing) rows() [][]entry { return rows(d.legend, width-2*margin) }

func (d drawing) size() (w, h vg.Length) {
	return width, d.height + d.above() + 2*margin
}

// above is what the legend takes.
func (d drawing) above() vg.Length {
	if n := len(d.rows()); n > 0 {
		return vg.Length(n)*rowHeight + gap
	}
	return 0
}

// on draws everything.
func (d drawing) on(c draw.Canvas) {
	inner := draw.Crop(c, margin, -margin, margin, -margin)
	drawLegend(inner, d.rows())
	d.plot.Draw(draw.Crop(inner, 0, 0, 0, -d.above()))
}

// fonts are those that a viewer without Liberation Sans takes: they have its widths.
var fonts = []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif")

func (d drawing) svg() ([]byte, error) {
	w, h := d.size()
	c := vgsvg.New(w, h)
	d.on(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), fonts), nil
}

// dots is the resolution of a PNG, dots an inch: what journals ask for.
const dots = 300

func (d drawing) png() ([]byte, error) {
	w, h := d.size()
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dots), vgimg.UseBackgroundColor(color.White))
	d.on(draw.New(c))
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&b)
	return b.Bytes(), err
}
