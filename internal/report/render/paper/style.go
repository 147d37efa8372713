package paper

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a picture.
const (
	width     = 3.5 * vg.Inch
	height    = 2.3 * vg.Inch // of the axes and what is in them, without the legend
	margin    = 3 * vg.Millimeter
	labelSize = 8
	tickSize  = 7
)

// colorOf is the color of a series; those of the report in light.
func colorOf(name string) color.RGBA {
	known := map[string]uint32{"c0": 0x0072b2, "c1": 0xd55e00, "c2": 0x009e73, "c3": 0xb0578d, "c4": 0xb97f00, "c5": 0x3a9ad0, "c6": 0x7a4fb5,
		"c7": 0x6b7a12, "c8": 0x8a3b3b, "c9": 0x2f6f73, "ref": 0x7d8794, "good": 0x0b6b4f, "bad": 0xa3261a, "warn": 0xb97f00, "muted": 0x5c6877,
		"heat": 0x0b66a8, "grid": 0xe2e7ec}
	rgb, ok := known[name]
	if !ok {
		rgb = 0x5c6877
	}
	return color.RGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 0xff}
}

// pale is a color mixed with white; strength is 0..1.
func pale(c color.RGBA, strength float64) color.RGBA {
	mix := func(v uint8) uint8 { return uint8(255 - strength*(255-float64(v)) + 0.5) }
	return color.RGBA{R: mix(c.R), G: mix(c.G), B: mix(c.B), A: 0xff}
}

// letters are the texts of a picture.
func letters(size vg.Length) text.Style {
	return text.Style{Color: color.Black, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: text.Plain{Fonts: font.DefaultCache}}
}

// lineStyle is that of a series: "solid", "thin", "dashed", "thin dashed", "ideal".
func lineStyle(line, name string) draw.LineStyle {
	s := draw.LineStyle{Color: colorOf(name), Width: vg.Points(1.3)}
	if strings.Contains(line, "thin") {
		s.Width = vg.Points(0.8)
	}
	switch {
	case line == "ideal":
		s.Color, s.Width, s.Dashes = colorOf("muted"), vg.Points(0.8), []vg.Length{vg.Points(0.8), vg.Points(2)}
	case strings.Contains(line, "dashed"), name == "ref":
		s.Dashes = []vg.Length{vg.Points(3), vg.Points(2)}
	}
	return s
}

// glyph is the mark of a point.
func glyph(mark, style, name string) draw.GlyphStyle {
	g := draw.GlyphStyle{Color: colorOf(name), Radius: vg.Points(2.2)}
	hollow := style == "hollow"
	if style == "pale" {
		g.Color = pale(colorOf(name), 0.4)
	}
	switch {
	case style == "cross" || mark == "cross":
		g.Shape = draw.CrossGlyph{}
	case mark == "square" && hollow:
		g.Shape = draw.SquareGlyph{}
	case mark == "square":
		g.Shape = draw.BoxGlyph{}
	case (mark == "triangle" || mark == "diamond") && hollow:
		g.Shape = draw.TriangleGlyph{}
	case mark == "triangle" || mark == "diamond":
		g.Shape = draw.PyramidGlyph{}
	case hollow:
		g.Shape = draw.RingGlyph{}
	default:
		g.Shape = draw.CircleGlyph{}
	}
	return g
}
