package scenario

import "strconv"

// Soak asks for a long trial at a share of the load that was found or given.
type Soak struct {
	Share        float64 `yaml:"share"`         // 0..1; 0: no soak
	LossBudget   Ratio   `yaml:"loss_budget"`   // frame loss ratio
	Drift        float64 `yaml:"drift"`         // of latency and CPU, as a share of their medians
	MemoryGrowth float64 `yaml:"memory_growth"` // likewise of memory
}

// Ratio is a small share that YAML writes without an exponent: "0.00001".
type Ratio float64

// MarshalYAML is yaml.BytesMarshaler's.
func (r Ratio) MarshalYAML() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(r), 'f', -1, 64), nil
}

// Asked reports whether there is to be a soak.
func (s Soak) Asked() bool { return s.Share > 0 }

func decodeSoak(n *node) Soak {
	return Soak{Share: n.number("share"), LossBudget: Ratio(n.number("loss_budget")), Drift: n.number("drift"), MemoryGrowth: n.number("memory_growth")}
}
