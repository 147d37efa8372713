package render_test

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/svg"
	"github.com/upflab/upflab/internal/report/sections"
)

// TestFiguresForAPaper: each figure of each sample is an SVG that can be read and needs nothing
// else, in which no two texts meet.
func TestFiguresForAPaper(t *testing.T) {
	for name, r := range map[string]*record.Result{"sweep": swept(t), "searched": searched(t)} {
		folder := filepath.Join(t.TempDir(), "figures")
		names, err := svg.Write(folder, report(t, r))
		if err != nil || len(names) < 3 {
			t.Fatalf("%s: %d figures, %v", name, len(names), err)
		}
		captions, err := os.ReadFile(filepath.Join(folder, "captions.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if !strings.Contains(string(captions), "## "+n+"\n") {
				t.Errorf("%s has no caption", n)
			}
			apart(t, n, texts(t, filepath.Join(folder, n+".svg")))
		}
		if files, _ := os.ReadDir(folder); len(files) != len(names)+1 {
			t.Errorf("%s: %d files of %d figures: two have one name", name, len(files), len(names))
		}
	}
}

func report(t *testing.T, r *record.Result) block.Document {
	t.Helper()
	d, err := sections.Report(r, sections.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestFiguresOfASweep: what a paper on load needs, with units at the axes.
func TestFiguresOfASweep(t *testing.T) {
	folder := t.TempDir()
	if _, err := svg.Write(folder, report(t, swept(t))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"throughput-load": "received (kpps)", "loss-load": "frame loss ratio (%)", "latency-mean": "mean one-way latency (µs)",
		"cpu-load": "CPU of the UPF, cores", "memory-load": "memory of the UPF, MiB", "percentiles-p99": "p99 of one-way latency (µs)",
		"residuals-m-m-1-k": "predicted / measured - 1 (%)", "heat": "offered load (kpps)", "cpu-time": "time (s)",
	} {
		if all, err := os.ReadFile(filepath.Join(folder, "figure-"+name+".svg")); err != nil || !strings.Contains(string(all), want) {
			t.Errorf("%s: no axis %q, %v", name, want, err)
		}
	}
}

// TestFiguresOfOneName: two of one name, as of two sizes of packets, are two files.
func TestFiguresOfOneName(t *testing.T) {
	f := block.Figure{ID: "x", Shape: block.XY,
		Views: []block.View{{Panels: []block.Panel{{Series: []block.Series{{Data: []block.Point{{X: 1, Y: 1}}}}}}}}}
	whole := block.Section{Blocks: []block.Block{f, block.Section{Blocks: []block.Block{f}}}}
	names, err := svg.Write(t.TempDir(), block.Document{Sections: []block.Section{whole}})
	if err != nil || len(names) != 2 || names[0] == names[1] {
		t.Errorf("%v, %v", names, err)
	}
}

func TestNoFigures(t *testing.T) {
	if _, err := svg.Write(t.TempDir(), block.Document{}); err == nil || !strings.Contains(err.Error(), "no figure") {
		t.Errorf("%v", err)
	}
}

// label is a level text of an SVG.
type label struct {
	text             string
	left, right, top float64
}

// texts reads the level texts of an SVG, whose drawings lie in others; those along an upright axis
// are turned.
func texts(t *testing.T, path string) (list []label) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "var(") {
		t.Errorf("%s refers to colors that it has not", path)
	}
	type node struct {
		XMLName   xml.Name
		X         string `xml:"x,attr"`
		Y         string `xml:"y,attr"`
		DX        string `xml:"dx,attr"`
		Width     string `xml:"width,attr"`
		Anchor    string `xml:"text-anchor,attr"`
		Transform string `xml:"transform,attr"`
		Text      string `xml:",chardata"`
		Nodes     []node `xml:",any"`
	}
	var root node
	if err := xml.Unmarshal(raw, &root); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	place := func(text string, wide float64) float64 {
		share, percent := strings.CutSuffix(text, "%")
		v, _ := strconv.ParseFloat(share, 64)
		if percent {
			return v / 100 * wide
		}
		return v
	}
	var walk func(n node, left, top, wide float64)
	walk = func(n node, left, top, wide float64) {
		x, y := left+place(n.X, wide), top+place(n.Y, 0)
		if n.XMLName.Local == "text" && n.Transform == "" {
			long := 6 * float64(utf8.RuneCountInString(n.Text))
			from := x + place(n.DX, 0) - map[string]float64{"middle": long / 2, "end": long}[n.Anchor]
			list = append(list, label{n.Text, from, from + long, y})
		}
		for _, inner := range n.Nodes {
			if n.XMLName.Local == "svg" && n.Width != "" && !strings.HasSuffix(n.Width, "in") {
				walk(inner, x, y, place(n.Width, wide))
			} else {
				walk(inner, left, top, wide)
			}
		}
	}
	walk(root, 0, 0, 440)
	return list
}

// apart checks that texts do not meet: a letter is half as wide as high.
func apart(t *testing.T, name string, list []label) {
	t.Helper()
	if len(list) < 4 {
		t.Errorf("%s: %d texts only", name, len(list))
	}
	for i, a := range list {
		for _, b := range list[i+1:] {
			if a.top-b.top < 6 && b.top-a.top < 6 && a.left < b.right && b.left < a.right {
				t.Errorf("%s: %q and %q meet", name, a.text, b.text)
			}
		}
	}
}
