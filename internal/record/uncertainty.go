package record

// Uncertainty is the budget of a figure of a DUT: how far it may be from the truth, and what that comes from
// (JCGM 100:2008). Values are standard uncertainties, in the unit of the figure.
type Uncertainty struct {
	DUT    string    `json:"dut"`
	Of     string    `json:"of"` // where: kind, direction, load and size of the trials, or the search
	Kind   Kind      `json:"kind"`
	Where  Direction `json:"direction"`
	Figure string    `json:"figure"` // "rx_pps", "frame_loss_ratio", "latency.p50" ...
	Unit   string    `json:"unit"`
	Value  float64   `json:"value"` // the mean of the repeats; of a search the relevant lower bound
	Trials int       `json:"trials"`
	// Sources are all that were looked at, whether they are known or not.
	Sources []Source `json:"sources"`
	// Combined is the root of the sum of the squares of all that are known and not part of another; nil:
	// nothing is known of how far another trial lies, and NotKnown says so.
	Combined *float64 `json:"combined,omitempty"`
	DF       float64  `json:"df,omitempty"` // effective degrees of freedom (G.4.1); 0: infinite
	Coverage float64  `json:"k,omitempty"`  // the factor of Student's t for 95 %
	Expanded *float64 `json:"expanded,omitempty"`
	// AcrossRuns: Combined contains how much the machine differs from itself from run to run.
	AcrossRuns bool   `json:"across_runs"`
	NotKnown   string `json:"not_known,omitempty"`
	// Bound says that what limited a trial was not the UPF, or that packets waited for a disturbance: the UPF's own
	// figure is at least, or at most, as much. The sums are of what was measured.
	Bound Bound `json:"bound,omitempty"`
}

// Source is what a figure may be off by.
type Source struct {
	Source string `json:"source"`
	Type   string `json:"type"` // "A": by statistics of observations; "B": otherwise (JCGM 100:2008, 2.3.2)
	// Value is the standard uncertainty; nil: not known, and Why says so.
	Value *float64 `json:"value,omitempty"`
	DF    float64  `json:"df,omitempty"`    // degrees of freedom; 0: infinite
	Share float64  `json:"share,omitempty"` // of the combined variance, 0..1
	// Within names the source that contains it already, so that it is not added; "": it is added.
	Within string `json:"within,omitempty"`
	Why    string `json:"why,omitempty"` // how it is known, or why it is not
}

// Bound is what a measured value is to the UPF's own.
type Bound string

// The bounds; "": the value is the UPF's own.
const (
	AtLeast Bound = "at least"
	AtMost  Bound = "at most"
)

// Sign is what stands before a value.
func (b Bound) Sign() string { return BoundSign(b == AtMost, b == AtLeast) }
