package scenario

// Attack is how hard and how long a UPF is attacked.
type Attack struct {
	// Inputs made by grammar and mutation. A UPF that upflab did not start gets at most 1000/s.
	Rate int `yaml:"rate" range:"1..1000000" unit:"1/s" example:"20000"`
	// How long inputs of each kind are sent, and the packets of each rate of a flood.
	Duration Duration `yaml:"duration" range:"100ms..24h" example:"10m"`
	// Of the inputs: the same seed makes the same ones for the same UPF.
	Seed int `yaml:"seed" range:"1..4294967295" example:"2"`
}
