package scenario

import "github.com/upflab/upflab/internal/record"

// Control asks for the control-plane study.
type Control struct {
	// Procedures whose highest rates are searched, each alone: establish, modify and delete are
	// one PFCP message, the others what UEs cause (TS 23.502); mix is that of the key mix.
	// Empty: no control-plane study.
	Procedures []string `yaml:"procedures" enum:"establish,modify,delete,attach,detach,idle,active,handover,qos,mix" items:"..10" unique:"true" example:"establish,mix"`
	// Procedures of the mix, by weight. In short: PROCEDURE:WEIGHT.
	Mix []ControlShare `yaml:"mix" plural:"procedures with their weights" short:"procedure:weight" items:"..10" example:"attach:1,detach:1,handover:2"`
	// Sessions that procedures work on, besides those with user traffic (the key sessions). A UPF
	// that takes fewer has as many as it takes.
	Population int `yaml:"population" range:"2..1000000" example:"10000"`
	// The second rate of each procedure is the highest at which 99 of 100 answers come within this
	// time.
	P99 Duration `yaml:"p99" range:"100us..10s" example:"5ms"`
	// Highest rate that is tried, procedures/s.
	Max record.Load `yaml:"max" kind:"rate" range:"10..10M" example:"50k"`
	// Length of a trial of the searches, and of each load.
	Trial Duration `yaml:"trial" range:"50ms..1m" example:"1s"`
	// Loads of the mix, as shares of the highest rate found, for answer latency over load.
	Shares []float64 `yaml:"shares" range:"0.001..3" items:"..50" unique:"true" example:"0.1,0.5,0.9"`
	// Arrival processes of those loads.
	Arrivals []Arrivals `yaml:"arrivals" enum:"constant,poisson" items:"1..2" unique:"true" example:"constant,poisson"`
	// Sessions that are established until the UPF refuses or dies, at most; 0: that is not tried.
	Capacity int `yaml:"capacity" range:"0..1000000" unit:"sessions" example:"1000000"`
	// Longest time for establishing those.
	CapacityTime Duration `yaml:"capacity_time" range:"1s..24h" example:"10m"`
	// Requests that wait for their answers at once, where requests follow answers.
	Window int `yaml:"window" range:"1..1024" example:"16"`
	// User traffic during procedures, as shares of what the DUT carries without loss; each
	// direction is measured. Empty: none.
	Beside []float64 `yaml:"beside" range:"0.001..1" items:"..10" unique:"true" example:"0.5,0.9"`
	// Rates of the mix during that traffic, procedures/s.
	Churn []record.Load `yaml:"churn" plural:"rates" kind:"rate" range:"1..1M" items:"..10" example:"100,1k"`
	// Numbers of PDRs of a session, packets/s of which are measured; an even number above 2 has as many
	// for each direction. Empty: none.
	PDRs []int `yaml:"pdrs" plural:"numbers of PDRs" range:"1..256" items:"..20" unique:"true" example:"1,16,256"`
	// Numbers of sessions, packets/s of which are measured. Empty: none.
	Tables []int `yaml:"tables" plural:"numbers of sessions" range:"1..1000000" items:"..20" unique:"true" example:"1,10000"`
	// Numbers of gNBs, packets/s of which are measured, with 64 sessions that are dealt to them in
	// turn. Each gNB has an address of its own, as with the key gnbs. Empty: none.
	GNBs []int `yaml:"gnbs" plural:"numbers of gNBs" range:"1..64" items:"..20" unique:"true" example:"1,16"`
}

// ControlShare is a procedure's part of a mix.
type ControlShare struct {
	// The procedure.
	Procedure string `yaml:"procedure" enum:"attach,detach,idle,active,handover,qos,paging" required:"true" example:"handover"`
	// Its part, of the sum of all weights.
	Weight float64 `yaml:"weight" range:"0..1000" default:"1" example:"2"`
}

// Asked reports whether there is to be a control-plane study.
func (c Control) Asked() bool {
	return len(c.Procedures) > 0 || len(c.Shares) > 0 || c.Capacity > 0 || len(c.Beside) > 0 || len(c.PDRs) > 0 ||
		len(c.Tables) > 0 || len(c.GNBs) > 0
}

// crowd is a key that asks for so many UEs at once.
type crowd struct {
	key string
	ues int
}

// ues are those that parts of the study have at once, with the sessions that have user traffic.
func (c Control) ues(sessions int) (list []crowd) {
	if !c.Asked() {
		return nil
	}
	list = []crowd{{"control.population", sessions + c.Population}, {"control.capacity", sessions + c.Capacity}}
	for _, n := range c.Tables {
		list = append(list, crowd{"control.tables", n})
	}
	return list
}

// checkControl checks what the study needs.
func checkControl(s *Scenario, r *report) {
	k := s.Control
	for _, n := range k.GNBs {
		checkGNBs(s, r, n, "control.gnbs")
	}
	mixed := len(k.Shares) > 0 || len(k.Beside) > 0
	for _, p := range k.Procedures {
		mixed = mixed || p == "mix"
	}
	switch {
	case mixed && len(k.Mix) == 0:
		r.blame("control.mix is empty, and a mix is asked for; list procedures with their weights, as "+
			"attach:1,detach:1,handover:2", nil, "control.mix", "control.procedures", "control.shares", "control.beside")
	case len(k.Beside) > 0 && len(k.Churn) == 0:
		r.blame("control.beside is user traffic during procedures, whose rates control.churn has; list "+
			"some, as 100,1k", nil, "control.churn", "control.beside")
	case k.Asked() && (s.Stress.Asked() || s.Soak.Asked() || len(s.Flows) > 0 || s.Search.Preset != SearchOff):
		r.blame("a control-plane study is a run of its own; leave flows, soak.share, stress.arrivals and "+
			"search.preset as they are in load-latency", nil,
			"control.procedures", "flows", "soak.share", "stress.arrivals", "search.preset")
	}
}

// Attack is how hard and how long a UPF is attacked.
type Attack struct {
	// Inputs made by grammar and mutation. A UPF that upflab did not start gets at most 1000/s.
	Rate int `yaml:"rate" range:"1..1000000" unit:"1/s" example:"20000"`
	// How long inputs of each kind are sent, and the packets of each rate of a flood.
	Duration Duration `yaml:"duration" range:"100ms..24h" example:"10m"`
	// Of the inputs: the same seed makes the same ones for the same UPF.
	Seed int `yaml:"seed" range:"1..4294967295" example:"2"`
}
