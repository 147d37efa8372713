package scenario

import "strconv"

// Soak asks for a long trial at a share of the load that was found or given.
type Soak struct {
	// Share of the load that was found or given; 0: no soak.
	Share float64 `yaml:"share" range:"0..1" example:"0.5"`
	// Frame loss ratio that the soak may have; beyond it the exit status is 4.
	LossBudget Ratio `yaml:"loss_budget" range:"0..1" example:"0.001"`
	// By how much of their medians latency (p50, p99) and CPU may change in the whole soak.
	Drift float64 `yaml:"drift" range:"0..10" example:"0.05"`
	// By how much of its median memory may change in the whole soak.
	MemoryGrowth float64 `yaml:"memory_growth" range:"0..10" example:"0.01"`
}

// Ratio is a small share that YAML writes without an exponent: "0.00001".
type Ratio float64

// MarshalYAML is yaml.BytesMarshaler's.
func (r Ratio) MarshalYAML() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(r), 'f', -1, 64), nil
}

// Asked reports whether there is to be a soak.
func (s Soak) Asked() bool { return s.Share > 0 }
