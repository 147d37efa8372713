package svg

import (
	"encoding/json"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
)

// shareStops is how many shares a pointer stops at along an axis of shares.
const shareStops = 40

// Stops are the places along an axis at which a pointer reads all series at once.
type Stops struct {
	Axis   string     `json:"axis"` // "x" or "y"
	Stops  []stop     `json:"stops"`
	Series []readings `json:"series"`
}

// stop is a place along an axis with its text, or one of a series there.
type stop struct {
	at   float64 // of x in percent, of y in pixels
	text string
}

// MarshalJSON writes [at, text].
func (s stop) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{math.Round(s.at*10) / 10, s.text})
}

// readings are what one series says at all stops; nil where it says nothing.
type readings struct {
	Name  string  `json:"name"`
	Color string  `json:"color"`
	Dash  bool    `json:"dash,omitempty"`
	At    []*stop `json:"at"`
}

// stops are those of a figure that is read along an axis; nil: of one that is not.
func (d *drawing) stops(axis string, p block.Panel) *Stops {
	at, place, read := longest(p.Series), d.stopX, d.atX
	switch axis {
	case "":
		return nil
	case "y":
		at, place, read = d.shares(), d.stopShare, d.atShare
	}
	if len(at) == 0 {
		return nil
	}
	all := &Stops{Axis: axis}
	for _, v := range at {
		all.Stops = append(all.Stops, place(v))
	}
	for _, s := range p.Series {
		r := readings{Name: s.Name, Color: s.Color, Dash: strings.Contains(s.Line, "dashed")}
		for _, v := range at {
			r.At = append(r.At, read(p, s, v))
		}
		all.Series = append(all.Series, r)
	}
	return all
}

func (d *drawing) stopX(x float64) stop { return stop{d.across(x), "at " + d.x.text(x)} }

func (d *drawing) stopShare(share float64) stop {
	return stop{d.down(share), shareName(share)}
}

// longest are the xs of the series that has most.
func longest(series []block.Series) (xs []float64) {
	for _, s := range series {
		if len(s.Data) > len(xs) {
			xs = nil
			for _, q := range s.Data {
				xs = append(xs, q.X)
			}
		}
	}
	return xs
}

// atX is the point of a series that is nearest along x.
func (d *drawing) atX(p block.Panel, s block.Series, x float64) *stop {
	if len(s.Data) == 0 {
		return nil
	}
	i := sort.Search(len(s.Data), func(i int) bool { return s.Data[i].X >= x })
	if i == len(s.Data) || i > 0 && x-s.Data[i-1].X < s.Data[i].X-x {
		i--
	}
	q := s.Data[i]
	if math.IsNaN(q.Y) {
		return nil
	}
	text := d.y.text(q.Y)
	for _, one := range more(p, q) {
		text += ", " + one
	}
	return &stop{d.down(q.Y), text}
}

// shares are stops that are as far apart in the panel.
func (d *drawing) shares() (list []float64) {
	for i := range shareStops + 1 {
		list = append(list, 1-math.Pow(10, -d.y.hi*float64(i)/shareStops))
	}
	return list
}

// shareName is "min" or "p99.9", to the digits that tell it from its neighbours.
func shareName(share float64) string {
	if share == 0 {
		return "min"
	}
	digits := math.Pow10(max(0, int(math.Ceil(-math.Log10(1-share)-1e-6))-1))
	return "p" + strconv.FormatFloat(math.Round(100*share*digits)/digits, 'f', -1, 64)
}

// atShare is where a series of rising shares is at one, between its points.
func (d *drawing) atShare(p block.Panel, s block.Series, share float64) *stop {
	i := sort.Search(len(s.Data), func(i int) bool { return s.Data[i].Y >= share })
	if i == len(s.Data) {
		return nil
	}
	x := s.Data[i].X
	if i > 0 {
		before, to := s.Data[i-1], s.Data[i]
		if from := d.y.to(before.Y); d.y.to(to.Y) > from {
			x = before.X * math.Pow(to.X/before.X, (d.y.to(share)-from)/(d.y.to(to.Y)-from))
		}
	}
	return &stop{d.across(x), d.x.text(x)}
}
