package report

import "github.com/upflab/upflab/internal/record"

// searchChart is a search as a chart draws it.
type searchChart struct {
	Name      string        `json:"name"`
	DUT       int           `json:"dut"`
	Direction string        `json:"direction"`
	Taken     int           `json:"taken"` // trials, of which Trials may be a part
	Goals     []goalChart   `json:"goals"`
	Trials    []searchPoint `json:"trials"`
}

type goalChart struct {
	Title    string `json:"title"`
	Loss     figure `json:"loss"`
	Lower    figure `json:"lower"` // packets/s, 0: none
	Upper    figure `json:"upper"`
	Rate     string `json:"rate"`     // as it is written, with its sign
	Standing string `json:"standing"` // "valid", "bound", "invalid"
}

type searchPoint struct {
	PPS     figure `json:"pps"`
	Sent    uint64 `json:"sent"`
	Lost    uint64 `json:"lost"`
	Seconds figure `json:"s"`
	Phase   string `json:"phase"`
	Limited string `json:"limited"`
	Used    bool   `json:"used"`
}

// searchPointsMax bounds the trials that a chart shows of one search, and
// searchesPointsMax those of all together, about 110 bytes each in the page.
const (
	searchPointsMax   = 250
	searchesPointsMax = 1600
	searchPointsLeast = 50
)

func (v view) searchCharts() []searchChart {
	var list []searchChart
	searches := 0
	for _, d := range v.DUTs {
		searches += len(d.Found)
	}
	most := min(searchPointsMax, max(searchPointsLeast, searchesPointsMax/v.share/max(1, searches)))
	for _, d := range v.DUTs {
		for _, s := range d.Found {
			c := searchChart{Name: s.Name(), DUT: d.Index, Direction: string(s.Direction), Taken: s.TrialCount()}
			for _, g := range s.Goals {
				c.Goals = append(c.Goals, newGoalChart(g))
			}
			c.Trials = searchPoints(s.Search.Trials, most)
			list = append(list, c)
		}
	}
	return list
}

func newGoalChart(g goalView) goalChart {
	names := [...]string{standsNot: "invalid", standsAsBound: "bound", stands: "valid"}
	return goalChart{
		Title: g.Title, Loss: newFigure(g.LossRatio), Lower: newFigure(g.LowerPPS), Upper: newFigure(g.UpperPPS),
		Rate: bound(g.Bound, Rate(g.LowerPPS)), Standing: names[g.Standing],
	}
}

// searchPoints takes all trials, or evenly about most of them and the last.
func searchPoints(trials []record.SearchTrial, most int) []searchPoint {
	step := max(1, (len(trials)+most-1)/most)
	var points []searchPoint
	for i, t := range trials {
		if i%step != 0 && i != len(trials)-1 {
			continue
		}
		points = append(points, searchPoint{
			PPS: rounded(t.PPS), Sent: t.Sent, Lost: t.Lost, Seconds: newFigure(t.DurationS), Phase: t.Phase,
			Limited: orNone(t.LimitedBy), Used: t.Used,
		})
	}
	return points
}
